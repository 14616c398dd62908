#include "specialize/neighbour_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/scratch_folder.h"
#include "support/fake_clock.h"
#include "support/memory_file_system.h"

namespace kiln {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(NeighbourFiles, HaveTheBodiesOfDeviceFunctions) {
  const test::FakeClock clock;
  test::MemoryFileSystem files(clock);
  for (const char* folder : {"/p/include", "/p/q", "/common"}) files.make_directories(folder, false);
  const std::string text =
      "__device__ float f(float x);\nextern __device__ int table[4];\n__device__ int unused(int);\n"
      "__global__ void k(float* a) { a[0] = f(a[1]) + table[0]; }\n";
  files.write_file("/p/main.cu", text, false);
  files.write_file("/p/f.cu", "__device__ float g(float);\n__device__ float f(float x) { return g(x); }\n",
                   false);
  files.write_file("/p/g.cpp", "__device__ float g(float x) { return 2 * x; }\n", false);
  files.write_file("/p/table.cu", "__device__ int table[4] = {1, 2, 3, 4};\n", false);
  files.write_file("/p/other.cu", "__device__ int unused(int i) { return i; }\n", false);
  EXPECT_THAT(files_of_device_code(files, "/p/main.cu", text, {}),
              ElementsAre("/p/f.cu", "/p/table.cu", "/p/g.cpp"));
}

TEST(NeighbourFiles, NameTheHeaderOfAFunctionThatNoTextDeclares) {
  const test::FakeClock clock;
  test::MemoryFileSystem files(clock);
  for (const char* folder : {"/p/include", "/p/src"}) files.make_directories(folder, false);
  const std::string text =
      "#define SCALED(x) scaled(x)\n__device__ float own(float x) { return x; }\n"
      "__global__ void k(float* a) {\n  float* s = shared_array<float>(4, a);\n  a[0] = own(a[1]) + "
      "twice(a[2]) + "
      "SCALED(a[3]) + Box().member(3) + ns::inside(2) + common(1) + sqrtf(a[4]);\n}\n";
  files.write_file("/p/src/main.cu", text, false);
  files.write_file("/p/include/pool.hpp",
                   "#ifdef __CUDA_ARCH__\n#define DEVICE __device__\n#else\n#define DEVICE\n#endif\n"
                   "template <class T> DEVICE inline T* shared_array(int n, T* p) { return p + n; }\n"
                   "DEVICE inline float common(float x) { return x; }\n",
                   false);
  files.write_file(
      "/p/include/more.h",
      "__device__ inline float twice(float x) { return 2 * x; }\n"
      "__device__ float own(float x) { return x; }\n__device__ float scaled(float x) { return x; }\n"
      "__device__ float member(float x) { return x; }\n__device__ float inside(float x) { return x; }\n",
      false);
  files.write_file("/p/include/host.h", "__device__ inline float sqrtf(float x) { return x; }\n", false);
  std::vector<std::string> found;
  const auto names = [&](const std::vector<IncludedHeader>& headers) {
    found.clear();
    for (const UndeclaredFunction& one : undeclared_functions(files, "/p/src/main.cu", text, headers))
      found.push_back(one.name + " " + one.header.string());
    return found;
  };
  EXPECT_THAT(names({}), ElementsAre("twice /p/include/more.h", "common /p/include/pool.hpp"));
  files.write_file("/p/include/other.cuh", "__device__ float common(float x) { return 3; }\n", false);
  EXPECT_THAT(names({}), ElementsAre("twice /p/include/more.h", "shared_array /p/include/pool.hpp"));
  EXPECT_THAT(names({{"more.h", "/p/include/more.h", *files.read_file("/p/include/more.h")}}),
              ElementsAre("shared_array /p/include/pool.hpp"));
}

TEST(NeighbourFiles, HaveTheBodiesOfTheSourcesOfAFolderOfHeaders) {
  const test::FakeClock clock;
  test::MemoryFileSystem files(clock);
  for (const char* folder : {"/p/include/math", "/p/src/math", "/p/app"})
    files.make_directories(folder, false);
  const std::string header = "template <class T> __device__ T weight(T x);\n";
  const std::string text =
      "#include \"math/weight.h\"\n__global__ void k(float* a) { a[0] = weight(a[1]); }\n";
  files.write_file("/p/include/math/weight.h", header, false);
  files.write_file("/p/src/math/weight.cu", "template <class T> __device__ T weight(T x) { return 2 * x; }\n",
                   false);
  EXPECT_THAT(files_of_device_code(files, "/p/app/main.cu", text,
                                   {{"math/weight.h", "/p/include/math/weight.h", header}}),
              ElementsAre("/p/src/math/weight.cu"));
}

TEST(NeighbourFiles, HaveTheBodiesOfTheSourcesBesideAFolderOfHeaders) {
  const std::string header = "__device__ int weight(int x);\n";
  const struct {
    const char *headers, *sources;
  } cases[] = {{"/p/include/math", "/p/src"}, {"/p/public/m/n", "/p/private"}};
  for (const auto& [headers, sources] : cases) {
    const test::FakeClock clock;
    test::MemoryFileSystem files(clock);
    for (const char* folder : {headers, sources, "/p/app"}) files.make_directories(folder, false);
    const std::string named = std::string(headers) + "/weight.h",
                      defined = std::string(sources) + "/weight.cu";
    files.write_file(named, header, false);
    files.write_file(defined, "__device__ int weight(int x) { return 2 * x; }\n", false);
    EXPECT_THAT(
        files_of_device_code(files, "/p/app/main.cu", "__global__ void k(int* a) { *a = weight(*a); }\n",
                             {{"weight.h", named, header}}),
        ElementsAre(defined));
  }
}

TEST(NeighbourFiles, HaveTheBodiesOfMembersOfClasses) {
  const test::FakeClock clock;
  test::MemoryFileSystem files(clock);
  files.make_directories("/p", false);
  const std::string header =
      "struct Image {\n  int w;\n  __device__ Image(int w);\n  __device__ int width() const;\n"
      "  __device__ int area() const { return w * w; }\n  int on_host() const;\n};\n";
  const std::string text =
      "#include \"image.h\"\n__global__ void k(Image* a) { a[0] = Image(a[1].width()); }\n";
  files.write_file("/p/image.h", header, false);
  files.write_file("/p/image.cu",
                   "#include \"image.h\"\n__device__ Image::Image(int n) : w(n) {}\n"
                   "__device__ int Image::width() const { return w; }\n",
                   false);
  files.write_file("/p/a_texture.cu",
                   "#include \"image.h\"\n__device__ int Texture::width() const { return 1; }\n", false);
  files.write_file("/p/host.cu", "#include \"image.h\"\nint Image::on_host() const { return w; }\n", false);
  EXPECT_THAT(files_of_device_code(files, "/p/main.cu", text, {{"image.h", "/p/image.h", header}}),
              ElementsAre("/p/image.cu"));
}

TEST(NeighbourFiles, HaveTheBodiesOfFunctionsThatMacrosMarkForTheDevice) {
  const test::FakeClock clock;
  test::MemoryFileSystem files(clock);
  files.make_directories("/p", false);
  const std::string header =
      "#include \"marks.h\"\nstruct Times {\n  HD Times(void) {}\n  HD Times(int n);\n  H double first() "
      "const;\n};\nBOTH int count(int);\n";
  const std::string marks = "#define H __host__\n#define HD H __device__\n#define BOTH HD\n";
  const std::string text =
      "#include \"times.h\"\n__global__ void k(double* a) { a[0] = sizeof(Times(count(2))); }\n";
  files.write_file("/p/count.cu", "#include \"times.h\"\nBOTH int count(int n) { return n; }\n", false);
  files.write_file("/p/host.cu", "#include \"times.h\"\nH double Times::first() const { return 1; }\n",
                   false);
  files.write_file("/p/times.cu",
                   "\xEF\xBB\xBF#include \"times.h\"\nnamespace ns { HD Times::Times(int n) {} }\n", false);
  EXPECT_THAT(files_of_device_code(files, "/p/main.cu", text,
                                   {{"times.h", "/p/times.h", header}, {"marks.h", "/p/marks.h", marks}}),
              ElementsAre("/p/count.cu", "/p/times.cu"));
}

TEST(NeighbourFiles, HaveTheBodiesOfMembersOfTemplatesAndOfOperators) {
  const test::FakeClock clock;
  test::MemoryFileSystem files(clock);
  files.make_directories("/p", false);
  const std::string text =
      "namespace ns {\ntemplate <class T> struct Complex {\n  T re, im;\n  __device__ Complex() {}\n"
      "  __device__ ~Complex();\n  __device__ T norm();\n  __device__ Complex operator+(const Complex& c);\n"
      "  __device__ T operator()(int i, int j);\n  __device__ operator bool() const;\n};\n}\n"
      "__global__ void k(ns::Complex<float>* a) { a[0] = a[1] + a[2]; a[0].re = a[0].norm(); }\n";
  const std::string head = "template <class T> __device__ ", scope = "ns::Complex<T>::";
  const auto write = [&](const std::string& name, const std::string& body) {
    files.write_file("/p/" + name + ".cu", head + body + "\n", false);
  };
  write("a", "ns::Complex<T>" + scope + "operator-(const Complex& c) { return *this; }");
  write("b", "T " + scope + "norm() { return re * re; }");
  write("c", "ns::Complex<T> " + scope + "operator+(const Complex& c) { return *this; }");
  write("d", "T " + scope + "operator()(int i, int j) { return re; }");
  write("e", scope + "~Complex() {}");
  write("f", scope + "operator bool() const { return true; }");
  EXPECT_THAT(files_of_device_code(files, "/p/main.cu", text, {}),
              testing::UnorderedElementsAre("/p/b.cu", "/p/c.cu", "/p/d.cu", "/p/e.cu", "/p/f.cu"));
}

TEST(NeighbourFiles, HaveTheBodiesOfFunctionsOfNamespaces) {
  const test::FakeClock clock;
  test::MemoryFileSystem files(clock);
  files.make_directories("/p", false);
  const std::string text =
      "namespace ns { __device__ float f(float); }\n__global__ void k(float* a) { a[0] = ns::f(a[1]); }\n";
  files.write_file("/p/f.cu", "__device__ float ns::f(float x) { return x; }\n", false);
  EXPECT_THAT(files_of_device_code(files, "/p/main.cu", text, {}), ElementsAre("/p/f.cu"));
}

TEST(NeighbourFiles, ThatDefineAClassAgainAreNotMeant) {
  const test::FakeClock clock;
  test::MemoryFileSystem files(clock);
  files.make_directories("/p", false);
  const std::string head = "struct Rule { int n; __device__ float at(int i) const; };\n";
  const std::string text = head + "__global__ void k(float* a, Rule r) { a[0] = r.at(1); }\n";
  const std::string body = "__device__ float Rule::at(int i) const { return i * n; }\n";
  files.write_file("/p/rule copy.cu", head + body, false);
  EXPECT_THAT(files_of_device_code(files, "/p/main.cu", text, {}), IsEmpty());
  files.write_file("/p/rule_body.cu", body + "template <> struct Rule<int> { int m; };\n", false);
  EXPECT_THAT(files_of_device_code(files, "/p/main.cu", text, {}), ElementsAre("/p/rule_body.cu"));
}

TEST(NeighbourFiles, NamesWithFoldersAreLookedForInEachFolderAbove) {
  const test::FakeClock clock;
  test::MemoryFileSystem files(clock);
  for (const char* folder : {"/home", "/home/p", "/home/p/src", "/home/p/src/a", "/home/p/src/a/b",
                             "/home/p/src/a/b/c", "/home/p/src/a/b/c/d", "/home/p/src/a/b/c/d/e"})
    files.make_directories(folder, false);
  files.write_file("/home/p/src/a/pool.h", "", false);
  const std::filesystem::path source = "/home/p/src/a/b/c/d/e/main.cu";
  EXPECT_THAT(folders_of_headers(files, source, {{"src/a/pool.h"}}), ElementsAre("/home/p"));
  EXPECT_THAT(folders_of_headers(files, source, {{"src/b/pool.h"}}), IsEmpty());
  files.make_directories("/home/p/include/core", false);
  files.write_file("/home/p/include/core/pool.h", "", false);
  EXPECT_THAT(folders_of_headers(files, source, {{"core/pool.h"}}), ElementsAre("/home/p/include"));
  EXPECT_THAT(folders_of_headers(files, source, {{"pool.h"}}), IsEmpty());
}

TEST(NeighbourFiles, ThatCannotBeReadAreNone) {
  const auto files = make_real_file_system();
  const ScratchFolder scratch = make_scratch_folder(*files, temporary_folder(), "kiln-neighbours-");
  const std::filesystem::path& folder = scratch.get().path;
  files->make_directories(folder / "a.cu", false);
  std::filesystem::create_symlink(folder / "loop.cu", folder / "loop.cu");
  files->write_file(folder / "z.cu", "__device__ float f(float x) { return x; }\n", false);
  const std::string text = "__device__ float f(float x);\n__global__ void k(float* a) { a[0] = f(1); }\n";
  EXPECT_THAT(files_of_device_code(*files, folder / "main.cu", text, {}), ElementsAre(folder / "z.cu"));
  EXPECT_THAT(folders_of_headers(*files, folder / "main.cu", {{"loop.cu"}}), IsEmpty());
}

TEST(NeighbourFiles, AreNotLookedForWhereNothingIsMissing) {
  const test::FakeClock clock;
  test::MemoryFileSystem files(clock);
  for (const char* folder : {"/p/include", "/p/q", "/common"}) files.make_directories(folder, false);
  files.write_file("/p/f.cu", "__device__ float f(float x) { return x; }\n", false);
  const std::string text =
      "__device__ float f(float x) { return x; }\n__global__ void k(float* a) { a[0] = f(1); }\n";
  EXPECT_THAT(files_of_device_code(files, "/p/main.cu", text, {}), IsEmpty());
}

TEST(NeighbourFiles, AreSearchedForHeaders) {
  const test::FakeClock clock;
  test::MemoryFileSystem files(clock);
  for (const char* folder : {"/p/include", "/p/q", "/common"}) files.make_directories(folder, false);
  files.write_file("/p/include/one.h", "", false);
  files.write_file("/common/two.cuh", "", false);
  files.write_file("/p/q/main.cu", "", false);
  EXPECT_THAT(folders_of_headers(files, "/p/q/main.cu", {{"one.h"}, {"two.cuh"}, {"three.h"}, {"vector"}}),
              ElementsAre("/p/include", "/common"));
}

TEST(NeighbourFiles, OfTheBuildAreThoseUpToTheRepository) {
  const test::FakeClock clock;
  test::MemoryFileSystem files(clock);
  for (const char* folder : {"/p/r/.git", "/p/r/a/b", "/p/r/deep/include", "/p/r/include"})
    files.make_directories(folder, false);
  for (const char* file : {"/p/Makefile", "/p/r/CMakeLists.txt", "/p/r/a/makefile", "/p/r/a/GNUmakefile"})
    files.write_file(file, "", false);
  files.make_directories("/p/r/a/b/Makefile", false);
  std::vector<std::string> found;
  for (const BuildFile& one : build_files_of(files, "/p/r/a/b/main.cu"))
    found.push_back(one.path.string() + (one.cmake ? " of CMake" : ""));
  EXPECT_THAT(found, ElementsAre("/p/r/a/GNUmakefile", "/p/r/CMakeLists.txt of CMake"));
  for (const char* folder : {"/p/r/deep/include", "/p/r/include"}) {
    files.write_file(std::filesystem::path(folder) / "one.h", "", false);
    files.write_file(std::filesystem::path(folder) / "Dense", "", false);
  }
  EXPECT_THAT(folders_of_headers(files, "/p/r/main.cu", {{"one.h"}, {"Dense"}}), ElementsAre("/p/r/include"));
  EXPECT_THAT(folders_of_headers(files, "/p/r/main.cu", {{"one.h"}, {"Dense"}}, {"/p/r/deep/include"}),
              ElementsAre("/p/r/deep/include"));
}

TEST(NeighbourFiles, HeadersNamedWithAFolderAreAnywhereInTheProject) {
  const test::FakeClock clock;
  test::MemoryFileSystem files(clock);
  for (const char* folder : {"/p/src/app", "/p/src/lib/core/math", "/p/other", "/q/core"})
    files.make_directories(folder, false);
  files.write_file("/p/CMakeLists.txt", "", false);
  files.write_file("/p/src/lib/core/math/vec.h", "", false);
  files.write_file("/p/other/vec.h", "", false);
  files.write_file("/q/core/none.h", "", false);
  EXPECT_THAT(
      folders_of_headers(files, "/p/src/app/main.cu", {{"core/math/vec.h"}, {"vec.h"}, {"core/none.h"}}),
      ElementsAre("/p/src/lib"));
}

/// A project's copy of CUDA's libraries is for an older CUDA.
TEST(NeighbourFiles, CopiesOfCubAndThrustAreNotMeant) {
  const test::FakeClock clock;
  test::MemoryFileSystem files(clock);
  for (const char* folder : {"/p/src", "/p/third/cub", "/p/third/thrust", "/p/third/cube"})
    files.make_directories(folder, false);
  files.write_file("/p/CMakeLists.txt", "", false);
  for (const char* header :
       {"/p/third/cub/cub.cuh", "/p/third/thrust/sort.h", "/p/third/cube/side.h", "/p/third/own.cuh"})
    files.write_file(header, "", false);
  const std::vector<HeaderName> libraries = {{"cub/cub.cuh"}, {"thrust/sort.h"}};
  EXPECT_THAT(folders_of_headers(files, "/p/src/main.cu", libraries), IsEmpty());
  EXPECT_THAT(folders_of_headers(files, "/p/src/main.cu", {{"cub/cub.cuh"}, {"cube/side.h"}}),
              ElementsAre("/p/third"));
  EXPECT_THAT(folders_of_headers(files, "/p/src/main.cu", libraries, {"/p/third"}), IsEmpty());
  EXPECT_THAT(folders_of_headers(files, "/p/src/main.cu", {{"own.cuh"}}, {"/p/third"}),
              ElementsAre("/p/third"));
}

TEST(NeighbourFiles, AProjectsFileThatIsCalledLikeAHeaderOfCxxIsNotMeant) {
  const test::FakeClock clock;
  test::MemoryFileSystem files(clock);
  for (const char* folder : {"/p/cuda", "/p/lib", "/p/lib/Eigen"}) files.make_directories(folder, false);
  files.write_file("/p/CMakeLists.txt", "", false);
  for (const char* header : {"/p/lib/cstring", "/p/lib/string.h", "/p/lib/Eigen/Dense"})
    files.write_file(header, "", false);
  const std::vector<HeaderName> names = {{"cstring"}, {"string.h"}};
  EXPECT_THAT(folders_of_headers(files, "/p/cuda/main.cu", names, {"/p/lib"}), IsEmpty());
  EXPECT_THAT(folders_of_headers(files, "/p/cuda/main.cu", {{"Eigen/Dense"}}, {"/p/lib"}),
              ElementsAre("/p/lib"));
  EXPECT_THAT(folders_of_headers(files, "/p/cuda/main.cu", {{"cstring", true}}, {"/p/lib"}),
              ElementsAre("/p/lib"));
}

TEST(NeighbourFiles, QuotedHeadersAreInTheNearestFolderOfTheProject) {
  const test::FakeClock clock;
  test::MemoryFileSystem files(clock);
  for (const char* folder : {"/p/a", "/p/b", "/p/src/cuda", "/p/src/host", "/p/src/parts", "/q"})
    files.make_directories(folder, false);
  files.write_file("/p/CMakeLists.txt", "", false);
  for (const char* header : {"/p/a/tools.h", "/p/src/host/tools.h", "/p/a/string.h", "/p/b/more.cuh",
                             "/q/none.h", "/p/a/part.cu", "/p/src/parts/part.cu"})
    files.write_file(header, "", false);
  const std::string text =
      "#include \"tools.h\"\n#include <string.h>\n#include \"none.h\"\n#include <more.cuh>\n"
      "#include <part.cu>\n";
  const Includes includes = find_includes(files, text, {"/p/src/cuda/main.cu"});
  EXPECT_THAT(folders_of_headers(files, "/p/src/cuda/main.cu", missing_headers(includes)),
              ElementsAre("/p/b", "/p/src/parts", "/p/src/host"));
}

TEST(NeighbourFiles, HeadersAreBelowAFolderOfHeadersWhereNoFileOfABuildIs) {
  const test::FakeClock clock;
  test::MemoryFileSystem files(clock);
  for (const char* folder : {"/p/lib/device", "/p/include/device", "/p/old"})
    files.make_directories(folder, false);
  files.write_file("/p/include/device/kernels.cuh", "", false);
  files.write_file("/p/old/kernels.cuh", "", false);
  EXPECT_THAT(folders_of_headers(files, "/p/lib/device/kernels.cu", {{"kernels.cuh", true}}),
              ElementsAre("/p/include/device"));
}

TEST(NeighbourFiles, HeadersThatOneFolderOfTheProjectHasAreTaken) {
  const test::FakeClock clock;
  test::MemoryFileSystem files(clock);
  for (const char* folder : {"/p/a/b/c/d/e", "/p/tools/deep/include", "/p/one", "/p/two"})
    files.make_directories(folder, false);
  files.write_file("/p/setup.py", "", false);
  files.write_file("/p/tools/deep/include/helpers.h", "", false);
  files.write_file("/p/tools/deep/include/math.h", "", false);
  files.write_file("/p/tools/deep/include/cuda_runtime_api.h", "", false);
  files.write_file("/p/one/twice.h", "", false);
  files.write_file("/p/two/twice.h", "", false);
  const std::filesystem::path source = "/p/a/b/c/d/e/main.cu";
  EXPECT_THAT(folders_of_headers(files, source, {{"helpers.h"}}), ElementsAre("/p/tools/deep/include"));
  EXPECT_THAT(folders_of_headers(files, source, {{"twice.h"}, {"math.h"}, {"cuda_runtime_api.h"}}),
              IsEmpty());
}

}  // namespace
}  // namespace kiln
