#include "specialize/host_code.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "specialize/include_scan.h"

namespace kiln {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

Specialization program(const std::string& text, const std::vector<std::string>& entries = {}) {
  Specialization spec;
  spec.source_name = "program.cu";
  spec.source_text = text;
  for (const std::string& entry : entries) spec.entries.push_back({entry, {}, ""});
  for (const IncludeUse& use : find_include_uses(text)) spec.unseen_headers.push_back(use.header.name);
  std::sort(spec.unseen_headers.begin(), spec.unseen_headers.end());
  return spec;
}

std::string cut(const std::string& text, const std::vector<std::string>& entries = {}) {
  Specialization spec = program(text, entries);
  leave_out_host_code(spec);
  EXPECT_EQ(std::count(spec.source_text.begin(), spec.source_text.end(), '\n'),
            std::count(text.begin(), text.end(), '\n'));
  return spec.source_text;
}

constexpr const char* kMain = "int main() { float* p; cudaMalloc(&p, 4); k<<<1, 1>>>(p); }\n";

TEST(HostCode, LeavesOutAllHeadersAtOnceUnlessOneOfTheirNamesIsUsed) {
  const std::string include = "#include <bits/stdc++.h>\n";
  const std::string plain = "__global__ void k(float* a) { a[0] = max(a[1], 2.0f); }\n";
  EXPECT_THAT(cut(include + plain + kMain, {"k"}), Not(HasSubstr("stdc++")));
  const std::string user = "__global__ void k(float* a) { std::swap(a[0], a[1]); }\n";
  EXPECT_THAT(cut(include + user + kMain, {"k"}), HasSubstr(include));
}

/// A header may define `inline` for what it includes, and undo that.
TEST(HostCode, LeavesOutFunctionsOfTheHostBesideAMacroInline) {
  const std::string left =
      cut("#define inline __device__ inline\ninline float twice(float x) { return 2 * x; }\n#undef inline\n"
          "__host__ inline void check(cudaError_t code) { printf(\"%d\", code); }\n"
          "__host__ __device__ inline float half_of(float x) { return x / 2; }\n"
          "__global__ void k(float* a) { a[0] = twice(half_of(a[1])); }\n" +
              std::string(kMain),
          {"k"});
  EXPECT_THAT(left, Not(HasSubstr("void check")));
  EXPECT_THAT(left, HasSubstr("inline float twice"));
  EXPECT_THAT(left, HasSubstr("float half_of"));
}

TEST(HostCode, EnumerationsOfMacrosWithHostFunctionsStay) {
  const std::string left =
      cut("struct Text { std::string s; };\ninline std::vector<Text> split(const char* all) { return "
          "{Text{all}}; }\n"
          "#define FUNCTIONS(NAME, ...) inline Text text_of_##NAME(NAME v) { return "
          "split(#__VA_ARGS__)[int(v)]; }\n"
          "#define DEFINE(NAME, ...) enum NAME { __VA_ARGS__ }; FUNCTIONS(NAME, __VA_ARGS__)\n"
          "DEFINE(Axis, AX_X,\n  AX_COUNT)\n"
          "__global__ void k(float* a) { a[AX_X] = AX_COUNT; }\n" +
              std::string(kMain),
          {"k"});
  EXPECT_THAT(left, HasSubstr("enum Axis{AX_X,AX_COUNT};"));
  EXPECT_THAT(left, Not(HasSubstr("DEFINE(Axis")));
}

/// A kernel's argument is a copy of the object's bytes, which nothing destroys.
TEST(HostCode, DestructorsOfArgumentsAreLeftOut) {
  const std::string left =
      cut("#include <vector>\nstruct Grid {\n  Grid(int n);\n  ~Grid() { delete[] host; }\n  float* data;\n"
          "  float* host;\n  std::vector<int> rows[8], all;\n};\n"
          "struct Box {\n  ~Box() { free(own); }\n  __device__ float first() { return grid.data[0]; }\n  "
          "Grid grid;\n  void* own;\n};\n"
          "__global__ void k(Box b, float* a) { a[0] = b.first(); }\n" +
              std::string(kMain),
          {"k"});
  EXPECT_THAT(left, Not(HasSubstr("~Grid")));
  EXPECT_THAT(left, Not(HasSubstr("~Box")));
  EXPECT_THAT(left, HasSubstr("unsigned long long rows[8][3], all[3];"));
}

/// Of a class with device code, branches that are not compiled may hold the host's members.
TEST(HostCode, MembersInBranchesDecideNothing) {
  const std::string of_class =
      "template <class T> struct Image {\n#ifndef DEVICE\n  Image(int n) : n_(n) {}\n#else\n"
      "  __device__ T read(int i) const { return p_[i]; }\n#endif\n  T* p_;\n  int n_;\n"
      "#ifndef DEVICE\n  std::string label_{};\n#endif\n};\ntypedef Image<float> image_t;\n";
  EXPECT_THAT(cut("#include <string>\n" + of_class +
                      "__global__ void k(image_t a) { a.p_[0] = a.read(1); }\n" + kMain,
                  {"k"}),
              HasSubstr("struct Image {"));
  EXPECT_THAT(cut("#include <string>\ntypedef struct Space_ {\n  float size;\n#if HOST\n  std::string "
                  "name;\n#endif\n} "
                  "Space;\n__global__ void k(float* a, Space s) { a[0] = s.size; }\n" +
                      std::string(kMain),
                  {"k"}),
              HasSubstr("} Space;"));
}

TEST(HostCode, SpecialisationsOfVariableTemplatesGoWithThem) {
  const std::string left =
      cut("#include <limits>\n#include <vector>\n"
          "template <class T> const T kHigh{std::numeric_limits<T>::max()};\n"
          "template <> inline const short kHigh<short>{7};\ntemplate <> const char kHigh<char> = 'a';\n"
          "template <class T> std::vector<T> highs(int n) { return std::vector<T>(n, kHigh<T>); }\n"
          "__global__ void k(float* a) { a[0] = 1; }\n" +
              std::string(kMain),
          {"k"});
  EXPECT_THAT(left, Not(HasSubstr("kHigh")));
}

TEST(HostCode, LeavesATextWithoutItAlone) {
  const std::string text =
      "#include <cmath>\nconstexpr int twice(int n) { return 2 * n; }\nstruct Unused { int a; };\n"
      "int shared_by_both(int a) { return a + 1; }\n__global__ void k(float* a) { a[0] = twice(1); }\n";
  EXPECT_EQ(cut(text), text);
}

TEST(HostCode, LeavesOutClassesWithMembersOfTheHost) {
  const std::string text =
      "#include <string>\n#include <vector>\nstruct Job { int n; std::vector<float> data; };\n"
      "struct Point { float x, y; };\nstruct Log { std::string name; };\n"
      "__global__ void k(Point* a) { a[0].x = 1; }\n";
  const std::string left = cut(text, {"k"});
  EXPECT_THAT(left, Not(HasSubstr("struct Job")));
  EXPECT_THAT(left, Not(HasSubstr("std::string")));
  EXPECT_THAT(left, Not(HasSubstr("#include <vector>")));
  EXPECT_THAT(left, HasSubstr("struct Point { float x, y; };"));
}

TEST(HostCode, LeavesOutClassesOfABaseOfTheHost) {
  const std::string text =
      "#include <stdexcept>\n#include <string>\n"
      "class Base {\n public:\n  Base() = default;\n  virtual ~Base() = default;\n  std::string label;\n};\n"
      "template <typename T> class Image : public Base {\n  T* data;\n"
      "  void check() { if (!data) throw std::runtime_error(label); }\n};\n"
      "struct Plain {\n  Plain() = default;\n  float x;\n};\nstruct Point : Plain { float y; };\n"
      "__global__ void k(Point* a) { a[0].x = 1; }\n";
  const std::string left = cut(text + kMain, {"k"});
  EXPECT_THAT(left, Not(HasSubstr("Image")));
  EXPECT_THAT(left, Not(HasSubstr("stdexcept")));
  EXPECT_THAT(left, HasSubstr("struct Point : Plain"));
}

TEST(HostCode, AClassIsNotKeptForItsForwardDeclaration) {
  const std::string text =
      "template <class T>\nclass Solver;\nclass Window;\nclass Mesh;\n"
      "class Window {\n  GLuint id;\n};\n"
      "template <class T>\nclass Solver {\n  cudaDataType type = CUDA_R_32F;\n};\n"
      "class Mesh {\n  friend class Window;\n  float x;\n};\n"
      "__global__ void k(Mesh* a) {}\n";
  const std::string left = cut(text + kMain, {"k"});
  EXPECT_THAT(left, Not(HasSubstr("GLuint")));
  EXPECT_THAT(left, Not(HasSubstr("CUDA_R_32F")));
  EXPECT_THAT(left, HasSubstr("class Mesh;"));
  EXPECT_THAT(left, HasSubstr("float x;"));
}

TEST(HostCode, MembersOfAClassTemplateOfTheHostGoWithIt) {
  const std::string text =
      "#include <memory>\n#include <string>\n"
      "template <class T, int N>\nclass Array {\n  Array(const Array& other);\n  ~Array();\n"
      "  T operator()(int i) const;\n  std::string name;\n};\n"
      "template <class T, int N>\nArray<T, N>::Array(const Array<T, N>& other) : name(other.name) {}\n"
      "template <class T, int N>\nArray<T, N>::~Array() {}\n"
      "template <class T, int N>\nT Array<T, N>::operator()(int i) const {\n  return T(i);\n}\n"
      "__global__ void k(float* a) {}\n";
  EXPECT_THAT(cut(text + kMain, {"k"}), Not(HasSubstr("Array<T, N>")));
}

TEST(HostCode, AQualifiedNameIsNotTheVariableOfTheFunction) {
  const std::string text =
      "namespace consts {\nconstexpr double step = 0.05;\nconstexpr double other = 1;\n}\n"
      "__global__ void k(double* a) {\n  const double step = consts::step;\n  a[0] = step;\n}\n";
  const std::string left = cut(text + kMain, {"k"});
  EXPECT_THAT(left, HasSubstr("constexpr double step = 0.05;"));
  EXPECT_THAT(left, Not(HasSubstr("other")));
}

TEST(HostCode, AClassBehindAConstraintHasItsOwnName) {
  const std::string text =
      "template <class T> concept Number = requires(T a) { a + a; };\n"
      "template <class T, class U>\nrequires Number<T> && (Number<U> || requires(U u) { u.x; })\n"
      "struct Pair {\n  T first;\n};\n"
      "__global__ void k(float* a) {\n  a[0] = Pair<float, int>{1}.first;\n}\n";
  const std::string left = cut(text + kMain, {"k"});
  EXPECT_THAT(left, HasSubstr("struct Pair {"));
  EXPECT_THAT(left, HasSubstr("concept Number"));
}

TEST(HostCode, AMacroInAValueIsNoMarkOfTheDevice) {
  const std::string text =
      "#include <library_types.h>\nnamespace host { const int kType = CUDA_R_32F; }\n"
      "__global__ void k(float* a) {}\n";
  EXPECT_THAT(cut(text + kMain, {"k"}), Not(HasSubstr("CUDA_R_32F")));
}

TEST(HostCode, SmallTypesHaveTheirHeadersWithoutAnInclude) {
  const std::string text =
      "#include <iostream>\n__global__ void k(float* a) { a[0] = std::numeric_limits<float>::max(); }\n";
  EXPECT_THAT(cut(text + kMain, {"k"}), HasSubstr("_limits>"));  // with <cmath>
}

TEST(HostCode, PointersToAClassThatIsLeftOutHaveItsName) {
  const std::string text =
      "#include <set>\n#include <string>\nnamespace g {\n"
      "struct Checks { std::set<std::string> seen; };\n"
      "template <class T> class Reader : public Base { std::string name; T value; };\n"
      "class Config {\n public:\n  int get(const std::string& name);\n  friend class Checks;\n"
      "  int depth;\n};\n"
      "class Grid {\n public:\n  Grid(const Config& c);\n  float x;\n  Checks* checks;\n  Reader<int>* "
      "reader;\n};\n}\n"
      "__global__ void k(g::Grid* a) { a[0].x = 1; }\n";
  const std::string left = cut(text + kMain, {"k"});
  EXPECT_THAT(left,
              HasSubstr("namespace g {\nstruct Checks;\ntemplate<class T>class Reader;\nclass Config {"));
  EXPECT_THAT(left, Not(HasSubstr("std::")));
  EXPECT_THAT(left, HasSubstr("int depth;"));
}

TEST(HostCode, LeavesOutWhatDefinesMembersOfAHostClass) {
  const std::string text =
      "#include <string>\nnamespace io {\nclass Image {\n  std::string path;\n  int n;\n  Image(int n);\n"
      "  Image(Image&&);\n  ~Image();\n"
      "  Image& operator=(const Image&);\n"
      "  int count();\n};\ninline Image::Image(int n) : n(n) {}\nImage::Image(Image&&) noexcept = default;\n"
      "Image::~Image() = default;\nImage& Image::operator=(const Image&) = default;\ninline int "
      "Image::count() { return n; }\n}\n"
      "using io::Image;\nint count();\n__global__ void k(float* a) { a[0] = count(); }\n"
      "int count() { return 3; }\n";
  const std::string left = cut(text + kMain, {"k"});
  EXPECT_THAT(left, Not(HasSubstr("Image")));
  EXPECT_THAT(left, HasSubstr("int count() { return 3; }"));
}

TEST(HostCode, LeavesOutMembersThatCallHostMembersOfTheirOwnName) {
  const std::string text =
      "struct Timer { cudaEvent_t* e; void stop() { cudaEventRecord(*e); } };\n"
      "struct Handle { Timer* timer; int n; void stop() { timer->stop(); } };\n"
      "struct Data { void* p; int n; Data(void* p, int n, int m = 1) { cudaMalloc(&p, n); }\n"
      "  Data(int n) : n(n) {}\n  Data same() { return Data(p, n); }\n  Data other() { return Data(n); } };\n"
      "__global__ void k(Handle* a, Data* d) { a->n = d->n; }\n";
  const std::string left = cut(text + kMain, {"k"});
  EXPECT_THAT(left, Not(HasSubstr("stop")));
  EXPECT_THAT(left, Not(HasSubstr("Data(p, n)")));
  EXPECT_THAT(left, HasSubstr("Data other() { return Data(n); }"));
}

TEST(HostCode, LeavesOutConstructorsThatMakeObjectsOfAClassTemplateOnTheHost) {
  const std::string text =
      "template <class T> class Block {\n public:\n  T* data;\n  Block(int n) { cudaMalloc(&data, n); }\n"
      "  Block() : data(nullptr) {}\n};\n"
      "class Table {\n public:\n  Block<int>* entries;\n  int n;\n"
      "  Table(int count) { entries = new Block<int>(count); }\n"
      "  Table() { entries = new Block<int>(); }\n};\n"
      "__global__ void k(Table* a) { a->n = a->entries->data[0]; }\n";
  const std::string left = cut(text + kMain, {"k"});
  EXPECT_THAT(left, Not(HasSubstr("Table(int count)")));
  EXPECT_THAT(left, HasSubstr("Table() { entries = new Block<int>(); }"));
  EXPECT_THAT(left, HasSubstr("Block() : data(nullptr) {}"));
}

TEST(HostCode, LeavesOutConstructorsWhoseBasesOrMembersAreMadeOnTheHost) {
  const std::string text =
      "struct Grid {\n  int w = 0;\n  Grid() { w = 1; }\n"
      "  Grid(int n) : w(n) { std::vector<int> cells(n); }\n};\n"
      "template <class T> struct Field : public Grid {\n  T* data;\n  Grid coarse;\n"
      "  Field(int n, T* d) : Grid(n), data(d) {}\n"
      "  Field(T* d, int n, int m, int o) : Field{n * m * o, d} {}\n"
      "  Field(T* d) : data(d), coarse(8) {}\n"
      "  Field(T* d, float, float) : data(d), coarse{} {}\n  Field(const Grid& g);\n};\n"
      "template <class T> Field<T>::Field(const Grid& g) : Grid{g.w} {}\n"
      "__global__ void k(Field<float> f) { f.data[0] = f.w; }\n";
  const std::string left = cut(text + kMain, {"k"});
  EXPECT_THAT(left, Not(HasSubstr("Grid(int n)")));
  EXPECT_THAT(left, Not(HasSubstr("Field(int n, T* d)")));
  EXPECT_THAT(left, Not(HasSubstr("Field(T* d, int n")));
  EXPECT_THAT(left, Not(HasSubstr("Field(T* d) :")));
  EXPECT_THAT(left, Not(HasSubstr("Field<T>::Field")));
  EXPECT_THAT(left, HasSubstr("Grid() { w = 1; }"));
  EXPECT_THAT(left, HasSubstr("Field(T* d, float, float) : data(d), coarse{} {}"));
}

/// Where a base keeps another constructor, it has none without arguments by itself.
TEST(HostCode, LeavesOutConstructorsWhoseBasesAreMadeOnTheHostWithoutAnInitialiser) {
  const std::string text =
      "struct Grid {\n  int w;\n  Grid() { std::cout << 1; }\n  Grid(int n) : w(n) {}\n};\n"
      "struct Field : Grid {\n  float* data;\n  Field(float* d) : data(d) {}\n"
      "  Field(int n) : Grid(n), data(nullptr) {}\n};\n"
      "__global__ void k(Field f) { f.data[0] = f.w; }\n";
  const std::string left = cut(text + kMain, {"k"});
  EXPECT_THAT(left, Not(HasSubstr("Field(float* d)")));
  EXPECT_THAT(left, HasSubstr("Field(int n) : Grid(n), data(nullptr) {}"));
}

/// A copy of Eigen is left out where only the host uses it, and stays whole where device code does.
TEST(HostCode, CopiesOfEigenGoOrStayAsAWhole) {
  const std::string library =
      "namespace Eigen { inline void* again(void* p, int n) { return std::realloc(p, n); }\n"
      "template <class T> __device__ void* grow(T* p, int n) { return again(p, n); } }\n";
  const std::string kernel = "__global__ void k(float* a) { a[0] = 1; }\n";
  const struct {
    const char* what;
    std::string text;
    bool stays;
  } cases[] = {
      {"a class of the host",
       "struct Solver { Eigen::VectorXd solve(Eigen::MatrixXd a) { cudaFree(0); } };\n", false},
      {"its namespace", "using namespace Eigen;\nvoid run(VectorXd x) { cudaFree(0); }\n", false},
      {"a function of the device", "__device__ float f(Eigen::Vector3f x) { return x(0); }\n", true},
      {"a type of its namespace", "using namespace Eigen;\n__device__ float f(Vector3f x) { return x(0); }\n",
       true},
  };
  for (const auto& [what, text, stays] : cases) {
    Specialization spec = program("#include <Eigen/Dense>\n" + text + kernel + kMain, {"k"});
    spec.unseen_headers.clear();
    spec.headers.push_back({"Eigen/Dense", "/project/third_party/Eigen/Dense", library});
    leave_out_host_code(spec);
    EXPECT_EQ(spec.headers.front().text, stays ? library : "#pragma once\nnamespace Eigen {}\n") << what;
    EXPECT_THAT(spec.source_text, Not(HasSubstr("cudaFree"))) << what;
  }
}

TEST(HostCode, LeavesOutFormatsAndUseOfResources) {
  const std::string text =
      "#include <format>\n#include <sys/resource.h>\nstd::size_t size(int n) { return std::format(\"{}\", "
      "n).size(); }\n"
      "double seconds() { struct rusage u; getrusage(RUSAGE_SELF, &u); return u.ru_utime.tv_sec; }\n"
      "__global__ void k(float* a) { a[0] = 1; }\n";
  const std::string left = cut(text, {"k"});
  EXPECT_THAT(left, Not(HasSubstr("format")));
  EXPECT_THAT(left, Not(HasSubstr("rusage u")));
}

TEST(HostCode, KeepsNamespacesThatAreCalledLikeTheRunTime) {
  const std::string text =
      "namespace cudaTools {\nusing real = float;\n}\nusing real = cudaTools::real;\n"
      "using namespace cudaTools;\n__global__ void k(real* a) { a[0] = cudaTools::real(1); }\n"
      "int f(cudaMemcpyKind kind) { return kind == cudaMemcpyKind::cudaMemcpyHostToDevice; }\n";
  const std::string left = cut(text + kMain, {"k"});
  EXPECT_THAT(left, HasSubstr("using real = cudaTools::real;\nusing namespace cudaTools;\n"));
  EXPECT_THAT(left, Not(HasSubstr("cudaMemcpyKind")));
}

TEST(HostCode, KeepsTypesThatAreCalledLikeTheRunTime) {
  const std::string text =
      "typedef struct cudaGraph {\n  int* edges;\n  void cudaGraphFree() { cudaFree(edges); }\n} cudaGraph;\n"
      "template <class T> class cudaVector {\n public:\n  T* data;\n};\n"
      "__global__ void k(cudaGraph graph, cudaVector<int>* v) { v->data[0] = graph.edges[0]; }\n"
      "void show(cudaDeviceProp one) {}\n";
  const std::string left = cut(text + kMain, {"k"});
  EXPECT_THAT(left, HasSubstr("typedef struct cudaGraph {"));
  EXPECT_THAT(left, HasSubstr("class cudaVector {"));
  EXPECT_THAT(left, Not(HasSubstr("cudaFree")));
  EXPECT_THAT(left, Not(HasSubstr("cudaDeviceProp")));
}

TEST(HostCode, LeavesOutLaunchesWithBlanks) {
  const std::string text =
      "struct V { float x; };\ntemplate <class T> struct S { T x; };\n"
      "template <class T> __device__ S<T> operator<< (S<T> a, int b);\n"
      "template S<float> operator<< <float>(S<float> a, int b);\n"
      "__global__ void k(V v, float* a) { a[0] = v.x; }\n"
      "void run(V v, float* a) {\n  k << <4, 32 >> > (v, a);\n}\n";
  const std::string left = cut(text);
  EXPECT_THAT(left, Not(HasSubstr("void run")));
  EXPECT_THAT(left, HasSubstr("operator<< <float>"));
}

TEST(HostCode, AMacroWithParametersIsReplacedOnlyWhereItIsCalled) {
  const std::string text =
      "#include <stdexcept>\n#define X(name) void set_##name() { throw std::runtime_error(#name); }\n"
      "#define FAIL(why) fail(why)\n"
      "__device__ float fail(float why) { return why; }\n"
      "__global__ void k(float* a, int X) { a[X] = FAIL(2.0f); }\n";
  const std::string left = cut(text + kMain, {"k"});
  EXPECT_THAT(left, Not(HasSubstr("#include <stdexcept>")));
  EXPECT_THAT(left, HasSubstr("__device__ float fail"));
}

TEST(HostCode, AParameterOfATemplateIsNoMark) {
  const std::string text =
      "template <int N>\n__global__ void k(float* a) { a[0] = N; }\n"
      "template <typename T, int GPU_THREADS>\nvoid run(T* host) {\n  T* p;\n  cudaMalloc(&p, 4);\n"
      "  k<GPU_THREADS><<<1, GPU_THREADS>>>(p);\n}\n";
  EXPECT_THAT(cut(text, {"k<4>"}), Not(HasSubstr("cudaMalloc")));
}

TEST(HostCode, LeavesOutMainAndWhatOnlyItUses) {
  Specialization spec = program(
      "#include <iostream>\n"
      "#include <vector>\n"
      "static const int kBlock = 64;\n"
      "std::vector<float> data;\n"
      "struct Options { std::string file; };\n"
      "void fill(std::vector<float>& v) { for (auto& x : v) x = 1; }\n"
      "void plain(float* a) { a[0] = 1; }\n"
      "__device__ float f(float x) { return x * kBlock; }\n"
      "__global__ void k(float* a) { a[0] = f(a[0]); }\n"
      "int main() { Options o; fill(data); plain(nullptr); k<<<1, kBlock>>>(nullptr); }\n",
      {"k"});
  leave_out_host_code(spec);
  EXPECT_EQ(spec.source_text,
            "\n\n"
            "static const int kBlock = 64;\n"
            "\n\n\n\n"
            "__device__ float f(float x) { return x * kBlock; }\n"
            "__global__ void k(float* a) { a[0] = f(a[0]); }\n"
            "\n");
  EXPECT_THAT(
      spec.left_out,
      ElementsAre(
          "program.cu: fill, plain, main and 2 other declarations; the headers <iostream>, <vector>"));
  EXPECT_TRUE(spec.unseen_headers.empty());
}

TEST(HostCode, KeepsWhatKernelsLeadTo) {
  const std::string kept =
      "typedef float real;\n"
      "enum Mode { kFast, kSlow };\n"
      "struct Pair { real a, b; };\n"
      "template <class T> struct Sum { __device__ T operator()(T a, T b) const { return a + b; } };\n"
      "struct OnlyNamedByTheEntry { __device__ int operator()(int a) const { return a; } };\n"
      "constexpr int extent(int n) { return 2 * n; }\n"
      "__constant__ Pair pairs[extent(4)];\n"
      "__device__ int counter;\n"
      "namespace detail { __device__ real g(Pair p) { return p.a + kFast; } }\n"
      "template <class T, class Op> __global__ void k(T* a, Op op) { a[0] = op(detail::g(pairs[0]), 1); }\n"
      "__device__ real h() { return Sum<real>()(1, 2); }\n";
  const std::string instantiated = "template __global__ void k<real, Sum<real>>(real*, Sum<real>);\n";
  EXPECT_EQ(cut(kept + instantiated + kMain, {"k<int, OnlyNamedByTheEntry>"}), kept + "\n\n");
  EXPECT_THAT(cut(kept + instantiated + kMain), HasSubstr(instantiated));
}

TEST(HostCode, KeepsWhatMacrosLeadTo) {
  const std::string kept =
      "#define HD __host__ __device__\n"
      "#define KERNEL(bound) extern \"C\" __global__ __launch_bounds__(bound)\n"
      "#define CALL(f, x) f(x)\n"
      "#define PASTE(name) step_##name(1)\n"
      "HD float f(float x) { return x; }\n"
      "int called(int a) { return a; }\n"
      "int step_one(int a) { return a; }\n"
      "KERNEL(64)\nvoid k(float* a) { a[0] = CALL(called, 1) + PASTE(one) + f(1); }\n";
  EXPECT_EQ(cut(kept + kMain, {"k"}), kept + "\n");
}

TEST(HostCode, KeepsMacrosThatOpenAndCloseScopes) {
  const std::string kept =
      "#define BEGIN namespace lib {\n#define END }\nBEGIN\n__device__ int f() { return 1; }\nEND\n"
      "__global__ void k(int* a) { a[0] = lib::f(); }\n";
  EXPECT_EQ(cut(kept + "BEGIN\nvoid host() { printf(\"%d\", rand()); }\nEND\n" + kMain, {"k"}),
            kept + "BEGIN\n\nEND\n\n");
}

TEST(HostCode, ANameOfAParameterOrVariableIsNotThatOfAFunction) {
  EXPECT_THAT(
      cut("float total(const float* a) { return a[0]; }\nfloat* data;\n"
          "__global__ void k(float* data, int n) { float total = 0; total += data[n]; data[0] = total; }\n" +
              std::string(kMain),
          {"k"}),
      testing::StartsWith("\n\n__global__ void k"));
}

TEST(HostCode, LeavesOutFunctionsThatCallSuch) {
  const std::string text =
      cut("#define CHECK(call) check(call, __LINE__)\n"
          "inline void check(cudaError_t e, int line) { if (e != cudaSuccess) exit(line); }\n"
          "void upload(float* a) { CHECK(copy(a)); }\n"
          "void run(float* a) { upload(a); }\n"
          "struct Mesh {\n  float* a;\n  void load() { run(a); }\n  void print() const { std::cout << a; }\n"
          "  Mesh() {}\n  __device__ float at(int i) const { return a[i]; }\n};\n"
          "__global__ void k(Mesh run) { run.a[0] = run.at(1); }\n",
          {"k"});
  EXPECT_EQ(text,
            "#define CHECK(call) check(call, __LINE__)\n\n\n\n"
            "struct Mesh {\n  float* a;\n  \n  \n"
            "  Mesh() {}\n  __device__ float at(int i) const { return a[i]; }\n};\n"
            "__global__ void k(Mesh run) { run.a[0] = run.at(1); }\n");
}

TEST(HostCode, KeepsConditionalsInBalance) {
  const std::string text =
      cut("__global__ void k(float* a) { a[0] = 1; }\n"
          "int main() {\n#ifdef BIG\n  k<<<2, 2>>>(0\n#else\n  k<<<1, 1>>>(0\n#endif\n  );\n#include "
          "\"more.inc\"\n}\n"
          "#ifdef TWO\nvoid f() { cudaFree(0); }\n#else\nvoid g() { cudaFree(0); }\n#endif\n",
          {"k"});
  EXPECT_EQ(text,
            "__global__ void k(float* a) { a[0] = 1; }\n\n#ifdef BIG\n\n#else\n\n#endif\n\n\n\n"
            "#ifdef TWO\n\n#else\n\n#endif\n");
}

TEST(HostCode, WhatBeginsInOneBranchAndEndsInAnotherStays) {
  const std::string text =
      "__global__ void k(float* a) { a[0] = 1; }\n"
      "#ifdef A\nint main() {\n#else\nint run() {\n#endif\n  cudaFree(0);\n}\n";
  EXPECT_EQ(cut(text, {"k"}), text);
}

TEST(HostCode, ReadsOnlyOneBranchForBrackets) {
  const std::string kernel =
      "__global__ void k(float* a) {\n#ifdef A\n  if (a[0] > 1) {\n#else\n  if (a[0] > 2) {\n#endif\n    "
      "a[0] = 1;\n"
      "  }\n#if 0\n  }}} ((\n#endif\n}\n";
  EXPECT_EQ(cut(kernel + kMain, {"k"}), kernel + "\n");
}

TEST(HostCode, FollowsHeaders) {
  Specialization spec =
      program("#include \"lib.h\"\n__global__ void k(T* a) { a[0] = g(); }\nint main() { go(); }\n", {"k"});
  spec.headers.push_back({"lib.h", "lib.h",
                          "typedef float T;\nvoid go() { FILE* f = fopen(\"a\", \"r\"); }\n"
                          "__device__ T g();\nT g() { return 1; }\nvoid reference(T* a) { a[0] = 2; }\n"});
  leave_out_host_code(spec);
  EXPECT_EQ(spec.headers[0].text, "typedef float T;\n\n__device__ T g();\nT g() { return 1; }\n\n");
  EXPECT_THAT(spec.left_out, ElementsAre("program.cu: main", "lib.h: go, reference"));
}

TEST(HostCode, LeavesOutHeadersOfWhichNothingIsUsed) {
  Specialization spec = program(
      "#include <iostream>\n#include <algorithm>\n#include <cstdio>\n#include <thrust/sort.h>\n"
      "__global__ void k(float* a) { a[0] = std::max(a[0], 1.0f); }\n",
      {"k"});
  leave_out_host_code(spec);
  EXPECT_EQ(spec.source_text,
            "#include <cmath>\n#include <algorithm>\n#include <cstdio>\n\n"
            "__global__ void k(float* a) { a[0] = std::max(a[0], 1.0f); }\n");
  EXPECT_THAT(spec.unseen_headers, ElementsAre("algorithm", "cmath", "cstdio"));
}

TEST(HostCode, KeepsAHeaderThatAKernelUses) {
  EXPECT_THAT(
      cut("#include <functional>\ntemplate <class F> __global__ void k(F f) {}\n", {"k<std::plus<int>>"}),
      HasSubstr("#include <functional>"));
  EXPECT_THAT(cut("#include <functional>\nstruct F : std::unary_function<int, int> {};\n"
                  "template <class F> __global__ void k(F f) {}\n",
                  {"k<F>"}),
              HasSubstr("#include <functional>"));
}

TEST(HostCode, UnderstandsNamesOfItsOwn) {
  const std::string text =
      "struct Clock { int time; };\nint random(int seed) { return seed * 5; }\n"
      "__global__ void k(Clock c, int* out) { out[0] = random(c.time); }\n";
  EXPECT_EQ(cut(text, {"k"}), text);
}

TEST(HostCode, KnowsHostFunctionsThatAreNamedLikeKernelsOrTakeTypesInCapitals) {
  EXPECT_EQ(cut("struct GPU_STATE { int n; };\n__global__ void k(int* a) { a[0] = 1; }\n"
                "std::vector<int> k(const std::vector<int>& v) { k<<<1, 32>>>(nullptr); return v; }\n"
                "void run(GPU_STATE& state, UNSEEN_CUDA_STATE& other) { k<<<1, 32>>>(nullptr); }\n"
                "inline void GPU_CHECK(cudaError_t e) { if (e) exit(1); }\n"
                "UNSEEN_DEVICE_CALL int g(int a) { return rand(); }\n"
                "namespace QCUDA { template <class T> class Run { std::vector<T> all; }; }\n"
                "template class QCUDA::Run<float>;\n",
                {"k"}),
            "\n__global__ void k(int* a) { a[0] = 1; }\n\n\n\nUNSEEN_DEVICE_CALL int g(int a) { return "
            "rand(); }\nnamespace QCUDA {  }\n\n");
}

TEST(HostCode, KeepsBranchesThatShareAHead) {
  const std::string text =
      "template <class T> struct Buffer { std::vector<T> all; };\n"
      "template <class T>\n#ifdef CACHED\nusing Device = Buffer<T>;\n#else\nusing Device = "
      "Buffer<T>;\n#endif\n"
      "struct Job { Device<int> all; };\nvoid host() { cudaFree(0); }\n__global__ void k(int* a) { a[0] = 1; "
      "}\n";
  EXPECT_EQ(cut(text, {"k"}),
            "template<class T>struct Buffer;\n"
            "template <class T>\n#ifdef CACHED\nusing Device = Buffer<T>;\n#else\nusing Device = "
            "Buffer<T>;\n#endif\n"
            "\n\n__global__ void k(int* a) { a[0] = 1; }\n");
}

TEST(HostCode, ClassesWhoseAlignmentIsAMacroStay) {
  const std::string text =
      "#define ALIGNED(n) __align__(n)\nstruct ALIGNED(16) Matrix {\n  float a[16];\n"
      "  friend std::ostream& operator<<(std::ostream& o, const Matrix& m) { return o << m.a[0]; }\n};\n"
      "void host() { cudaFree(0); }\n__global__ void k(Matrix* a) { a[0].a[0] = 1; }\n";
  EXPECT_THAT(cut(text, {"k"}), HasSubstr("struct ALIGNED(16) Matrix {\n  float a[16];\n"));
}

TEST(HostCode, AMarkInAnotherClassSaysNothing) {
  const std::string kept =
      "struct View { int n; __device__ int size() const; int rows() const; };\n"
      "int View::size() const { return n; }\n__global__ void k(View* a) { a[0].n = a[1].size(); }\n";
  EXPECT_EQ(cut("struct Graph { std::weak_ptr<int> all; int size() const; };\n"
                "int Graph::size() const { return all.use_count(); }\n" +
                    kept,
                {"k"}),
            "\n\n" + kept);
}

TEST(HostCode, AMarkInAnotherClassSaysNothingOfAMemberOfATemplate) {
  const std::string text =
      "struct Field { __device__ float eval(int i) const { return i; } };\n"
      "template <class T, int N> struct Solver { void eval(int n); void step(int n); };\n"
      "template <class T, int N> void Solver<T, N>::step(int n) { k<<<1, n>>>(nullptr); }\n"
      "template <class T, int N> void Solver<T, N>::eval(int n) { step(n); }\n"
      "__global__ void k(float* a) { Field f; a[0] = f.eval(1); }\n";
  const std::string left = cut(text, {"k"});
  EXPECT_THAT(left, Not(HasSubstr("::eval")));
  EXPECT_THAT(left, HasSubstr("__device__ float eval"));
}

TEST(HostCode, PrototypesOfTheHostThatAreNamedLikeAKernelAreLeftOut) {
  const struct {
    const char* declared;
    bool stays;
  } cases[] = {{"void step(const Grid& a, Grid& b);", false},
               {"void step(float* a);", true},  // the kernel's own, without its mark
               {"__device__ void step(int n);", true},
               {"void other(const Grid& a, Grid& b);", true}};
  for (const auto& one : cases) {
    const std::string left = cut(std::string("struct Grid;\n") + one.declared +
                                     "\n__global__ void step(float* a) { a[0] = 1; }\n"
                                     "int main() { float* p; cudaMalloc(&p, 4); step<<<1, 1>>>(p); }\n",
                                 {"step", "other"});
    EXPECT_EQ(left.find(one.declared) != std::string::npos, one.stays) << one.declared << "\n" << left;
  }
}

TEST(HostCode, AFunctionOfAnotherFileYieldsToThatOfDeviceCode) {
  const struct {
    const char* other;
    bool stays;
  } cases[] = {{"inline int twice(int x) { return x + x; }", false},
               {"inline float twice(float x) { return x + x; }", true},  // an overload
               {"constexpr int twice(int x) { return x + x; }", true},
               {"__device__ int twice(int x);", true}};
  for (const auto& one : cases) {
    Specialization spec = program(
        "__device__ int twice(int x) { return 2 * x; }\n"
        "__global__ void k(int* a) { a[0] = twice(1); }\n" +
            std::string(kMain) + "#include \"tables.cu\"\n",
        {"k"});
    spec.headers.push_back({"tables.cu", "/p/tables.cu", std::string(one.other) + "\n"});
    leave_out_host_code(spec, {});
    EXPECT_EQ(spec.headers[0].text.find("twice") != std::string::npos, one.stays) << one.other;
    EXPECT_THAT(spec.source_text, HasSubstr("__device__ int twice(int x) { return 2 * x; }"));
  }
}

TEST(HostCode, AMacroOfAnAttributeGoesWithWhatItMarks) {
  const std::string text =
      "#if defined(__GNUC__)\n#define FORMAT(...) __attribute__((format(printf, __VA_ARGS__)))\n#else\n"
      "#define FORMAT(...)\n#endif\nstruct Node { int n; };\n"
      "FORMAT(2, 3)\nvoid log_node(FILE* to, const char* format, ...);\n"
      "int count(Node* node);\n__global__ void k(Node* a) { a[0].n = 1; }\n" +
      std::string(kMain);
  EXPECT_THAT(cut(text, {"k"}), Not(HasSubstr("FORMAT(2, 3)")));
}

TEST(HostCode, LeavesOutCallsOfThrustsAlgorithms) {
  EXPECT_EQ(cut("#include <thrust/gather.h>\n#include <thrust/scan.h>\n"
                "struct Rows {\n  int* x;\n"
                "  void gather(int* map, int n) { thrust::gather(thrust::device, map, map + n, x, x); }\n};\n"
                "void scan(Rows& r) { thrust::exclusive_scan(thrust::device, r.x, r.x + 4, r.x); }\n"
                "__global__ void k(Rows a) { a.x[0] = thrust::get<0>(thrust::make_tuple(1)); }\n",
                {"k"}),
            "\n\nstruct Rows {\n  int* x;\n  \n};\n\n"
            "__global__ void k(Rows a) { a.x[0] = thrust::get<0>(thrust::make_tuple(1)); }\n");
}

TEST(HostCode, AnOperatorThatReturnsAStructIsNoClass) {
  const std::string kept =
      "template <class T> struct C { T re; __device__ C<T> operator+(const C<T>& c); };\n"
      "template <class T> __device__ struct C<T> C<T>::operator+(const struct C<T>& c) { return c; }\n"
      "__global__ void k(C<float>* a) { a[0] = a[0] + a[1]; }\n";
  EXPECT_EQ(
      cut(kept +
              "template <class T> std::ostream& operator<<(std::ostream& o, C<T> c) { return o << c.re; }\n",
          {"k"}),
      kept + "\n");
  EXPECT_EQ(cut("#include <iostream>\nstruct C { float re; C operator+(C c); };\n"
                "struct C C::operator+(C c) { return c; }\nvoid show(C c) { std::cout << c.re; }\n"
                "__global__ void k(C* a) { a[0].re = 1; }\n",
                {"k"}),
            "\nstruct C { float re; C operator+(C c); };\nstruct C C::operator+(C c) { return c; }\n\n"
            "__global__ void k(C* a) { a[0].re = 1; }\n");
}

TEST(HostCode, LeavesOutTablesOfHostFunctions) {
  EXPECT_EQ(cut("__global__ void k(int* a) { a[0] = 1; }\nvoid f(int b) { cudaFree(0); }\n"
                "void (*table[])(int) = {f, f};\n",
                {"k"}),
            "__global__ void k(int* a) { a[0] = 1; }\n\n\n");
}

TEST(HostCode, LeavesOutUsesOfMacrosThatStandForHostFunctions) {
  const std::string define =
      "#define LAUNCHER(NAME, T) \\\n  void NAME(T* p) { k<T><<<1, 1>>>(p); cudaDeviceSynchronize(); }\n"
      "#define TWICE(NAME) \\\n  __device__ float NAME(float x) { return 2 * x; }\n";
  const std::string kernel = "template <class T> __global__ void k(T* a) { a[0] = twice(1); }\n";
  EXPECT_EQ(
      cut(define + "TWICE(twice)\n" + kernel + "LAUNCHER(of_float, float)\nLAUNCHER(of_int, int);\n" + kMain),
      define + "TWICE(twice)\n" + kernel + "\n\n\n");
}

TEST(HostCode, LeavesOutWhatIsMarkedForTheHostAlone) {
  const std::string kernel =
      "__host__ __device__ int f() { return 1; }\n__global__ void k(float* a) { a[0] = S(f()).x; }\n";
  const std::string both = "struct S {\n  float x;\n  __host__ __device__ S(int i) : x(i) {}\n";
  EXPECT_EQ(cut(both + "  __host__ friend double size(const S& s) { return s.x; }\n};\n" + kernel +
                "__host__ int g() { return 2; }\n" + kMain),
            both + "  \n};\n" + kernel + "\n\n");
}

TEST(HostCode, LeavesOutNamespacesOfHostLibraries) {
  EXPECT_EQ(
      cut("#include <opencv2/opencv.hpp>\nusing namespace cv;\n__global__ void k(float* a) { a[0] = 1; }\n"),
      "\n\n__global__ void k(float* a) { a[0] = 1; }\n");
  const std::string thrust =
      "#include <thrust/complex.h>\nusing namespace thrust;\n"
      "__global__ void k(float* a) { a[0] = complex<float>(1, 2).real(); }\n";
  EXPECT_EQ(cut(thrust + kMain), thrust + "\n");
}

TEST(HostCode, KeepsHeadersOfAlgorithmsThatKernelsCall) {
  const std::string kernel =
      "#include <thrust/sort.h>\n#include <thrust/extrema.h>\n#include <thrust/execution_policy.h>\n"
      "__global__ void k(int* a) { thrust::sort_by_key(thrust::seq, a, a + 4, a + 4); }\n";
  EXPECT_EQ(cut(kernel + kMain),
            "#include <thrust/sort.h>\n\n#include <thrust/execution_policy.h>\n"
            "__global__ void k(int* a) { thrust::sort_by_key(thrust::seq, a, a + 4, a + 4); }\n\n");
}

TEST(HostCode, DeclaresNamespacesWhoseHeadersMayBeLeftOut) {
  EXPECT_EQ(cut("#include <thrust/device_vector.h>\nusing namespace thrust;\n"
                "__global__ void k(float* a) { a[0] = 1; }\n" +
                std::string(kMain)),
            "\nnamespace thrust {} using namespace thrust;\n__global__ void k(float* a) { a[0] = 1; }\n\n");
}

TEST(HostCode, DeclaresTypesOfLeftOutLibraries) {
  Specialization spec = program(
      "#include <opencv2/core.hpp>\n#include <torch/extension.h>\n#include <ATen/ATen.h>\nusing at::Tensor;\n"
      "using at::Half;\n__global__ void k(uchar* a, Half* b) { a[0] = 1; }\n");
  leave_out_host_code(spec);
  EXPECT_EQ(spec.source_text,
            "#include <kiln/opencv_types.h>\n#include <kiln/torch_types.h>\n#include <kiln/torch_types.h>\n\n"
            "using at::Half;\n__global__ void k(uchar* a, Half* b) { a[0] = 1; }\n");
  ASSERT_EQ(spec.headers.size(), 2U);
  EXPECT_THAT(spec.headers[0].text, HasSubstr("typedef unsigned char uchar;"));
  EXPECT_THAT(spec.headers[1].text, HasSubstr("namespace at { using c10::Half; }"));
  EXPECT_THAT(spec.headers[1].text, Not(HasSubstr("BFloat16")));
  EXPECT_THAT(spec.unseen_headers, ElementsAre("cuda_fp16.h"));
  EXPECT_EQ(cut("#include <opencv2/core.hpp>\n__global__ void k(float* a) { a[0] = 1; }\n"),
            "\n__global__ void k(float* a) { a[0] = 1; }\n");
}

TEST(HostCode, MacrosInFrontOfTemplatesAreNoPartOfThem) {
  EXPECT_EQ(cut("#include <vector>\n#define FAST\n#ifdef FAST\nFAST\n#endif\n"
                "template <class F> auto with(F f) { return f.template operator()<true>(); }\n"
                "struct P {\n  int n;\n  template <class C> int of(std::vector<C>& c) const {\n"
                "    return with([&]<bool all>() { return c.size(); });\n  }\n};\n"
                "__global__ void k(P p, int* a) { a[0] = p.n; }\n" +
                std::string(kMain)),
            "\n#define FAST\n#ifdef FAST\nFAST\n#endif\n\n"
            "struct P {\n  int n;\n  \n\n\n};\n__global__ void k(P p, int* a) { a[0] = p.n; }\n\n");
}

TEST(HostCode, KeepsEnumerationsOfClassesOfTheHostThatKernelsUse) {
  const std::string rest =
      "\nstruct Args { Codec::Mode mode; };\n"
      "__global__ void k(Args args, int* a) { a[0] = args.mode == Codec::kFast; }\n";
  EXPECT_EQ(cut("#include <string>\n#include <vector>\nclass Codec : public Base {\n public:\n"
                "  enum Mode {\n    kFast,\n    kSmall\n  };\n  enum class Unused { kNone };\n"
                "  std::vector<float> trained;\n  Codec(const std::string& name);\n};" +
                rest + kMain),
            "\n\nclass Codec { public: enum Mode{kFast,kSmall}; Codec(const Codec&) = delete; "
            "~Codec() = delete; };\n\n\n\n\n\n\n\n\n" +
                rest + "\n");
}

TEST(HostCode, LeavesOutKernelsThatNoEntryLeadsTo) {
  const std::string text =
      "template <class T> __global__ void wrong(T* a) { cub::DeviceScan::Sum(a); }\n"
      "__global__ void child(float* a) { a[0] = 1; }\n__device__ void f(float* a) { child<<<1, 1>>>(a); }\n"
      "namespace n { __global__ void k(float* a) { f(a); } }\n";
  Specialization spec = program(text + kMain);
  leave_out_host_code(spec);  // without an entry all may be meant
  EXPECT_THAT(spec.source_text, HasSubstr("wrong"));
  spec = program(text + kMain);
  spec.entries.emplace_back().name_expression = "n::k";
  leave_out_host_code(spec);
  EXPECT_EQ(spec.source_text, text.substr(text.find("\n")) + "\n");
}

TEST(HostCode, LeavesOutMacrosThatGetFunctionsOfTheHost) {
  const std::string macros =
      "#define INSTANTIATE(T, f) template void f<T>(T*);\n"
      "#define FOR_TYPES(what, f) what(int, f) what(float, f)\n";
  EXPECT_EQ(
      cut(macros +
              "template <class T> __global__ void k(T* a) { a[0] = 1; }\n"
              "template <class T> void host(T* a);\ntemplate <class T> void host(T* a) { k<<<1, 1>>>(a); }\n"
              "template <class T> __device__ void both(T* a) { a[0] = 2; }\n"
              "FOR_TYPES(INSTANTIATE, host)\nFOR_TYPES(INSTANTIATE, both)\n",
          {"k"}),
      macros +
          "template <class T> __global__ void k(T* a) { a[0] = 1; }\n\n\n"
          "template <class T> __device__ void both(T* a) { a[0] = 2; }\n"
          "\nFOR_TYPES(INSTANTIATE, both)\n");
}

TEST(HostCode, LeavesOutFunctionsThatAskForTypesAtRunTime) {
  EXPECT_EQ(
      cut("struct A { virtual int f(); };\nstruct B : A {\n  int n;\n"
          "  B(A* a) : n(dynamic_cast<B*>(a) ? 1 : 0) {}\n  __device__ int of() const { return n; }\n};\n"
          "__global__ void k(B b, int* a) { a[0] = b.of(); }\n" +
              std::string(kMain),
          {"k"}),
      "struct A { virtual int f(); };\nstruct B : A {\n  int n;\n"
      "  \n  __device__ int of() const { return n; }\n};\n"
      "__global__ void k(B b, int* a) { a[0] = b.of(); }\n\n");
}

TEST(HostCode, LeavesOutFunctionsThatNameUnknownNamespaces) {
  const std::string text =
      "#include <CImg.h>\nnamespace own { struct S { float x; }; }\n"
      "struct Image {\n  float* data;\n  Image(const cimg_library::CImg<float>& other);\n"
      "  template <class T> float of(T a) { return T::x + own::S{1}.x; }\n};\n"
      "__global__ void k(Image a) { a.data[0] = 1; }\n";
  const std::string left = cut(text + kMain, {"k"});
  EXPECT_THAT(left, Not(HasSubstr("cimg_library")));
  EXPECT_THAT(left, HasSubstr("T::x + own::S{1}.x"));
  EXPECT_THAT(cut("struct Image {\n  float* data;\n  float f() { return other::f(); }\n};\n"
                  "__global__ void k(Image a) { a.data[0] = a.f(); }\n" +
                      std::string(kMain),
                  {"k"}),
              HasSubstr("other::f"));  // no header is missing
}

TEST(HostCode, KeepsWhatMacrosOfDeviceCodePasteOnly) {
  const std::string text =
      "#define HOST_LOAD(type) load_##type()\n#define STEP(name) step_##name(1)\n"
      "int load_image() { return missing; }\nint step_one(int a) { return a; }\n"
      "__global__ void k(int* a) { a[0] = STEP(one); }\n"
      "int run() { printf(\"\"); return HOST_LOAD(image); }\n";
  const std::string left = cut(text + kMain, {"k"});
  EXPECT_THAT(left, Not(HasSubstr("load_image")));
  EXPECT_THAT(left, HasSubstr("int step_one"));
}

TEST(HostCode, LeavesOutHeadersOfTypesThatNothingNames) {
  const std::string kernel = "__global__ void k(int* a) { a[0] = std::numeric_limits<int>::max(); }\n";
  EXPECT_EQ(cut("#include <utility>\n#include <limits>\n#include <atomic>\n" + kernel +
                "std::pair<int, int> p() { return {1, rand()}; }\n" + kMain),
            "#include <cmath>\n#include <limits>\n\n" + kernel + "\n\n");
  const std::string pair =
      "#include <utility>\n__global__ void k(std::pair<int, int>* a) { a->first = 1; }\n";
  EXPECT_EQ(cut(pair), pair);
}

TEST(HostCode, LeavesOutFunctionsWhoseHeadsConditionalsDivide) {
  const std::string text =
      "#ifdef UNDERSCORE\ndouble seconds_()\n#else\ndouble seconds()\n#endif\n{\n  struct timeval t;\n"
      "  gettimeofday(&t, 0);\n  return t.tv_sec;\n}\n__global__ void k(float* a) { a[0] = 1; }\n";
  const std::string left = cut(text + kMain, {"k"});
  EXPECT_THAT(left, Not(HasSubstr("seconds")));
  EXPECT_THAT(left, HasSubstr("#ifdef UNDERSCORE\n\n#else\n\n#endif\n"));
}

TEST(HostCode, KnowsNamesOfStdWithoutTheNamespace) {
  const std::string text =
      "#include <iostream>\n#include <vector>\nusing namespace std;\n"
      "struct Point { float x; friend ostream& operator<<(ostream& out, const Point& p); };\n"
      "void show(const vector<int>& all) { for (int i : all) cout << i; }\n"
      "__device__ int list(int a) { return a; }\n"
      "__global__ void k(Point* p) { p->x = list(1); }\n";
  const std::string left = cut(text + kMain, {"k"});
  EXPECT_THAT(left, Not(HasSubstr("ostream")));
  EXPECT_THAT(left, Not(HasSubstr("vector")));
  EXPECT_THAT(left, HasSubstr("struct Point { float x;"));
  EXPECT_THAT(left, HasSubstr("int list(int a)"));
}

TEST(HostCode, LeavesOutWhatUsesClassesOfTheHost) {
  const std::string text =
      "#include <string>\nusing Text = std::string;\nstruct Part { Text name; };\nstruct Whole { Part part; "
      "int n; };\n"
      "template <> struct Hash<std::basic_string<char>> { int of(int a) { return a; } };\n"
      "class Range { using size = Text::size_type; size at; };\n"
      "class Other { using size = int; size at; };\n"
      "int length(const Whole& whole);\nWhole everything;\n"
      "__global__ void k(Other* a, Whole* unused) { a[0] = Other(); }\n";
  const std::string left = cut(text + kMain, {"k"});
  for (const char* gone : {"string", "struct Part", "class Range", "int length", "everything"})
    EXPECT_THAT(left, Not(HasSubstr(gone)));
  EXPECT_THAT(left, HasSubstr("class Other { using size = int;"));
}

TEST(HostCode, LeavesOutMacrosThatInstantiateHostFunctions) {
  const std::string text =
      "template <int N> int run(float* a);\n"
      "template <int N> int run(float* a) { cudaFree(a); return N; }\n"
      "#define EXPORT(n) template int run<n>(float*);\nEXPORT(1)\nEXPORT(2)\n"
      "__global__ void k(float* a) { a[0] = 1; }\n";
  const std::string left = cut(text + kMain, {"k"});
  EXPECT_THAT(left, Not(HasSubstr("EXPORT(1)")));
  EXPECT_THAT(left, Not(HasSubstr("EXPORT(2)")));
}

TEST(HostCode, KnowsMacrosThatMarkFunctionsOfTheHost) {
  const std::string text =
      "#define MY_HOST __host__\n#define MY_BOTH __host__ __device__\n"
      "struct View { float* a; MY_HOST int size() const { return 1; } MY_BOTH float at(int i) { return a[i]; "
      "} };\n"
      "__global__ void k(View v) { v.a[0] = v.at(1); }\n";
  const std::string left = cut(text + kMain, {"k"});
  EXPECT_THAT(left, Not(HasSubstr("int size()")));
  EXPECT_THAT(left, HasSubstr("float at(int i)"));
}

TEST(HostCode, ConstantsWithParenthesesAreNoFunctions) {
  const std::string text =
      "constexpr unsigned n(64);\nconstexpr unsigned half_of(n / 2);\nconst int plain(3);\n"
      "__global__ void k(float* a) { a[half_of] = plain; }\n";
  const std::string left = cut(text + kMain, {"k"});
  EXPECT_THAT(left, HasSubstr("unsigned n(64)"));
  EXPECT_THAT(left, HasSubstr("half_of(n / 2)"));
  EXPECT_THAT(left, HasSubstr("plain(3)"));
}

TEST(HostCode, IntegersOfAHeaderThatIsLeftOutStay) {
  const std::string text =
      "#include <string>\n#if SIZE_MAX == UINT64_MAX\n#define BITS 64\n#endif\n"
      "__global__ void k(float* a) { a[0] = BITS; }\n";
  EXPECT_THAT(cut(text + kMain, {"k"}), HasSubstr("#include <cstdint>\n"));
}

TEST(HostCode, HeadersInBranchesThatAreNotCompiledDeclareNothing) {
  const std::string gone = "#ifdef USE_MPI\n#include <mpi.h>\n#include <cusolverDn.h>\n#endif\n";
  const std::string kernel = "__global__ void k(__half* a, size_t n) { a[0] = n > SIZE_MAX; }\n";
  Specialization spec = program(gone + "#include <cublas_v2.h>\n" + kernel + kMain, {"k"});
  leave_out_host_code(spec);
  EXPECT_THAT(spec.source_text, HasSubstr("#ifdef USE_MPI\n\n\n#endif\n"
                                          "#include <kiln/declared_cstdint_cuda_fp16.h>\n__global__"));
  ASSERT_EQ(spec.headers.size(), 1U);
  EXPECT_EQ(spec.headers[0].text, "#pragma once\n#include <cstdint>\n#include <cuda_fp16.h>\n");
  EXPECT_THAT(spec.unseen_headers, ElementsAre("cstdint", "cuda_fp16.h"));

  // With the macro it is the first of them that is replaced.
  spec = program(gone + "#include <cublas_v2.h>\n" + kernel + kMain, {"k"});
  spec.options = {"-O3", "-D", "USE_MPI"};
  leave_out_host_code(spec);
  EXPECT_THAT(spec.source_text, HasSubstr("#ifdef USE_MPI\n#include <kiln/declared_cstdint_cuda_fp16.h>\n"));

  // A library that is not included does not bring CUDA's half beside the program's.
  const std::string own = "struct half { short x; };\n__global__ void k(half* a) { a[0].x = 1; }\n";
  EXPECT_THAT(cut(gone + "#include <vector>\n" + own + kMain, {"k"}), Not(HasSubstr("cuda_fp16.h")));
}

TEST(HostCode, LeavesOutFunctionsOfTheHostInMacrosThatDeclareMore) {
  const std::string text =
      "#include <iostream>\n"
      "#define ARRAY(n, T) struct array##n { T v[n]; \\\n  __device__ T& operator[](int i) { return v[i]; } "
      "\\\n"
      "  friend std::ostream& operator<<(std::ostream& os, const array##n& a) { return os << a.v[0]; } "
      "\\\n}; \\\n"
      "inline std::ostream& print(std::ostream& os, const array##n& a) { \\\n  return os << a.v[0]; \\\n} "
      "\\\n"
      "__device__ inline T first(array##n& a) { return a[0]; }\n"
      "#define MARKED(mark) mark void log(float x) { if (x < 0) fprintf(stderr, \"x\"); }\n"
      "#define CHECK(x) if (x) { fprintf(stderr, \"x\"); } else { x = 0; }\n"
      "ARRAY(4, float)\n__global__ void k(array4* a) { a[0][0] = first(a[1]); }\n";
  const std::string left = cut(text + kMain, {"k"});
  EXPECT_THAT(left, Not(HasSubstr("ostream")));
  EXPECT_THAT(left, HasSubstr("T& operator[](int i) { return v[i]; } \\\n"));
  EXPECT_THAT(left, HasSubstr("\\\n__device__ inline T first(array##n& a) { return a[0]; }\n"));
  EXPECT_THAT(left, HasSubstr("#define MARKED(mark) mark void log(float x) { if"));
  EXPECT_THAT(left, HasSubstr("#define CHECK(x) if (x) { fprintf"));
}

TEST(HostCode, LeavesOutMacrosThatRegisterAtTheStartOfTheHost) {
  const std::string classes =
      "struct Entry { const char* name; const void* f; Entry(const char* a, const void* b) { add(a, b); }\n"
      "  static void add(const char*, const void*) { exit(1); } };\n";
  const std::string kernel = "__global__ void k(float* a) { a[0] = 1; }\nREGISTER(k)\n";
  const struct {
    const char* macro;
    bool stays;
  } cases[] = {
      {"#define CAT(a, b) a##b\n#define REGISTER(NAME) static Entry CAT(r_, NAME)(#NAME, (const "
       "void*)&NAME);\n",
       false},
      {"#ifdef X\n#define REGISTER(NAME) \\\n static bool b_##NAME = Table::add(\"a\", &NAME);\n#else\n"
       "#define REGISTER(NAME)\n#endif\n",
       false},
      {"#define REGISTER(NAME) static Entry a_##NAME{#NAME, 0}; int b_##NAME;\n", true},
      {"#define REGISTER(NAME) static const char* const a_##NAME = #NAME;\n", true},
      {"#define REGISTER(NAME) static int a_##NAME = 3;\n", true},
      {"#define REGISTER(NAME)\n", true},
  };
  for (const auto& [macro, stays] : cases) {
    const std::string left = cut(macro + classes + kernel + kMain, {"k"});
    EXPECT_EQ(left.find("REGISTER(k)") != std::string::npos, stays) << macro;
  }
}

TEST(HostCode, LeavesOutFunctionsThatUseVariablesOfTheHost) {
  const std::string text =
      "#include <map>\nclass Pool {\n  std::map<int, void*> used;\n public:\n  void* take(int);\n};\n"
      "extern Pool pool;\ntemplate <class T> struct Buffer {\n  T* p = nullptr;\n  ~Buffer() { drop(); }\n"
      "  void grow(int n);\n  void drop();\n};\n"
      "template <class T> void Buffer<T>::grow(int n) { p = (T*)pool.take(n); }\n"
      "template <class T> void Buffer<T>::drop() { if (p) give_back(&pool, p); }\n"
      "struct View { float* p; int size() const { return 3; } };\n"
      "inline float of_own(const View& pool) { return pool.p[0]; }\n"
      "inline int of_local(int n) { int pool = n; return pool + 1; }\n"
      "template <int N> constexpr int of_array(const int (&pool)[N]) { return pool[0]; }\n"
      "inline int of_binding(int2 n) { auto& [pool, m] = n; return pool + m; }\n"
      "inline int of_member(const View& v) { return v.pool; }\n"
      "__global__ void k(View v) { v.p[0] = of_own(v) + of_local(2) + of_member(v) + of_array(int2{}) + "
      "of_binding(int2{}); Buffer<int>* b = "
      "nullptr; }\n";
  const std::string left = cut(text + kMain, {"k"});
  EXPECT_THAT(left, Not(HasSubstr("pool.take")));
  EXPECT_THAT(left, Not(HasSubstr("give_back")));
  EXPECT_THAT(left, Not(HasSubstr("~Buffer")));
  for (const char* stays : {"of_own(const View& pool) {", "of_local(int n) {", "of_member(const View& v) {",
                            "of_array(const int (&pool)[N]) {", "of_binding(int2 n) {"})
    EXPECT_THAT(left, HasSubstr(stays));
}

/// `std::function<Field(int)> f;` declares no function named `Field`.
TEST(HostCode, AFunctionTypeInAnglesIsNoFunction) {
  const std::string text =
      "#include <functional>\n#include <vector>\nclass Field { std::vector<float> data; public: float* get() "
      "const; };\n"
      "struct Quantity { std::function<Field(const int*)> f; };\n"
      "struct View { float* p; explicit View(const Field* f) : p(f->get()) {} __device__ float& at(int i) { "
      "return p[i]; } };\n"
      "__global__ void k(View v) { v.at(0) = 1; }\n";
  const std::string left = cut(text + kMain, {"k"});
  EXPECT_THAT(left, Not(HasSubstr("explicit View")));
  EXPECT_THAT(left, HasSubstr("__device__ float& at"));
}

/// Moderngpu's headers: the macro is another header's.
TEST(HostCode, MacrosThatOpenANamespaceStay) {
  Specialization spec = program(
      "#include \"space.h\"\nBEGIN_SPACE\nstruct Failure : std::exception { std::string text; };\n"
      "__device__ int one() { return 1; }\nEND_SPACE\n__global__ void k(int* a) { a[0] = space::one(); }\n" +
          std::string(kMain),
      {"k"});
  spec.headers.push_back(
      {"space.h", "space.h", "#define BEGIN_SPACE namespace space {\n#define END_SPACE }\n"});
  leave_out_host_code(spec);
  EXPECT_THAT(spec.source_text, HasSubstr("\nBEGIN_SPACE\n\n__device__ int one()"));
}

TEST(HostCode, LeavesOutObjectsThatAreDeclaredWithStruct) {
  const std::string left =
      cut("struct Options { std::string path; int n; };\nstruct Options options;\nstruct EXPORT Grid;\n"
          "__global__ void k(Grid* grid, int* a) { a[0] = 1; }\n" +
              std::string(kMain) + "int size() { return options.n; }\n",
          {"k"});
  EXPECT_THAT(left, Not(HasSubstr("ptions")));
  EXPECT_THAT(left, HasSubstr("struct EXPORT Grid;"));
}

/// A macro for an attribute goes with the function behind it.
TEST(HostCode, LeavesOutAttributesWithTheirFunctions) {
  const std::string left = cut(
      "#define OLD(text) [[deprecated(text)]]\nOLD(\"do not call\")\ninline void show(int n) {\n"
      "  printf(\"%d\", n); std::string s; }\ntemplate <class T> __device__ T twice(T x) { return x + x; }\n"
      "__global__ void k(int* a) { a[0] = twice(a[1]); }\n" +
          std::string(kMain),
      {"k"});
  EXPECT_THAT(left, HasSubstr("[[deprecated(text)]]\n\n\n\ntemplate <class T>"));
}

/// Device code has no container as an argument, whatever the class declares for devices by the name.
TEST(HostCode, LeavesOutOverloadsThatTakeClassesOfTheHost) {
  const std::string left =
      cut("#include <memory>\nusing std::unique_ptr;\n"
          "struct Span {\n  int* first;\n  __host__ __device__ Span(int* p) : first(p) {}\n"
          "  Span(unique_ptr<int> const& p) : first(p.get()) {}\n};\n"
          "__global__ void k(int* a) { Span s(a); s.first[0] = 1; }\n" +
              std::string(kMain),
          {"k"});
  EXPECT_THAT(left, Not(HasSubstr("unique_ptr<int> const")));
  EXPECT_THAT(left, HasSubstr("Span(int* p)"));
}

/// Each `build` allocates, or has members that do.
TEST(HostCode, LeavesOutFunctionsThatCallTheirNameOfMembers) {
  const std::string left =
      cut("struct Bits { int* b; int build(int n) { cudaMalloc(&b, n); return n; } };\n"
          "struct Map { Bits active; int build(int n) { return active.build(n); } };\n"
          "struct Set { Map map; int n; int build(int n) { return map.build(n); } };\n"
          "struct Plan { int n; constexpr int size() const { return n; } };\n"
          "__global__ void k(Set set, Plan plan) { set.map.active.b[0] = plan.size(); }\n"
          "int main() { k<<<1, 1>>>(Set(), Plan()); }\n",
          {"k"});
  EXPECT_THAT(left, Not(HasSubstr("build")));
  EXPECT_THAT(left, HasSubstr("int size()"));
}

TEST(HostCode, NeverFails) {
  for (const char* text :
       {"", "}", "{", "int main(", "template <", "#if\n#else\n#else\n#endif", "int main() { cudaFree(0); ",
        "struct {", "operator", "extern \"C\" {", "a::b::c(", "using", "typedef struct {} x", "# define"}) {
    Specialization spec = program(text);
    leave_out_host_code(spec);
    EXPECT_THAT(spec.source_text.size(), testing::Le(std::string(text).size() + 1)) << text;
  }
}

TEST(HostCode, FindsTheNameBehindAMacroInFrontOfTheType) {
  const std::string text =
      cut("#include <cstdlib>\n"
          "#define INLINE(x) __attribute__((x))\n"
          "template <typename T> struct Pool {\n"
          "  T* take() { if (!head) head = refill(); return head; }\n"
          "  INLINE(noinline) T* refill() { std::cerr << 1; return head; }\n"
          "  INLINE(unused) __device__ int twice(int n) const { return 2 * n; }\n"
          "  T* head;\n"
          "};\n"
          "__global__ void k(float* a, Pool<float> pool) { a[0] = pool.twice(1); }\n" +
          std::string(kMain));
  EXPECT_THAT(text, Not(HasSubstr("refill")));
  EXPECT_THAT(text, Not(HasSubstr("take")));
  EXPECT_THAT(text, HasSubstr("__device__ int twice(int n) const { return 2 * n; }"));
}

}  // namespace
}  // namespace kiln
