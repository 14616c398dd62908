// Drafts of whole projects: headers in namespaces, classes of macros and of the host, layouts of structs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "base/exit_code.h"
#include "cli/cli_fixture.h"
#include "cli/draft_fixture.h"

namespace kiln {
namespace {

using test::CliResult;
using testing::HasSubstr;
using testing::Not;

class NewProjects : public test::DraftTest {};

/// The derived class is passed by value; what its constructors call is left out.
TEST_F(NewProjects, BasesMayBeMadeByTheHost) {
  const std::string yaml = draft(R"cuda(
#include <vector>
struct Grid {
  int width = 0, height = 0;
  Grid() {}
  Grid(int w, int h) : width(w), height(h) { std::vector<int> cells(w * h); }
};
class Field : public Grid {
 public:
  Field(int w, int h, float* data) : Grid(w, h), data_(data) {}
  __device__ float& at(int x, int y) { return data_[y * width + x]; }
 private:
  float* data_;
};
__global__ void fill(Field f) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x < f.width) f.at(x, blockIdx.y) = x + 100 * blockIdx.y;
}
int main() {
  float* d;
  cudaMalloc(&d, 40 * 4 * sizeof(float));
  Field f(40, 4, d);
  fill<<<dim3(2, 4), 32>>>(f);
}
)cuda");
  EXPECT_THAT(yaml,
              HasSubstr("{struct: [{value: elements, type: int}, {value: elements, type: int}, data_]}"));
  const CliResult ran =
      run_with(yaml, {{"{value: elements, type: int}, {value: elements, type: int}",
                       "{value: 40, type: int}, {value: 4, type: int}"},
                      {"data_: {type: float, shape: [elements]", "data_: {type: float, shape: [4, 40]"},
                      {"checks: []", "checks: [{buffer: data_, region: [[2, 3], [7, 8]], expected: 207}]"}});
  EXPECT_EQ(ran.code, kExitDone) << ran.err << ran.out << yaml;
}

/// CUDA's and C++'s headers, in a namespace of the program or in a file that it includes there.
TEST_F(NewProjects, HeadersOfCudaMayBeIncludedInNamespaces) {
  write("parts.h",
        "#pragma once\n#include <stdint.h>\n#include <cuda_bf16.h>\n#include <cooperative_groups.h>\n"
        "#include <vector>\n#ifdef _WIN32\n#include <windows.h>\n#endif\n"
        "static __device__ __forceinline__ float widen(__nv_bfloat16 v) { return __bfloat162float(v); }\n");
  const std::string yaml = draft(R"cuda(
namespace net {
#include <cuda_fp16.h>
#include <math.h>
namespace detail {
#include "parts.h"
}
__global__ void twice(const half* x, const __nv_bfloat16* w, float* y, uint32_t n) {
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  cooperative_groups::this_thread_block().sync();
  if (i < n) y[i] = sqrtf(__half2float(x[i])) * detail::widen(w[i]);
}
}
int main() {
  std::vector<float> host(100);
  half* x; __nv_bfloat16* w; float* y;
  cudaMalloc(&x, 200); cudaMalloc(&w, 200); cudaMalloc(&y, 400);
  net::twice<<<4, 32>>>(x, w, y, 100);
}
)cuda");
  const CliResult ran = run_with(
      yaml,
      {{"x: {type: half, shape: [n], init: {uniform: [0, 1]}", "x: {type: half, shape: [n], init: 4"},
       {"w: {type: bfloat16, shape: [n], init: {uniform: [0, 1]}", "w: {type: bfloat16, shape: [n], init: 3"},
       {"checks: []", "checks: [{buffer: y, expected: 6}]"}});
  EXPECT_EQ(ran.code, kExitDone) << ran.err << ran.out << yaml;
}

/// A macro of the including file, behind a header of C.
TEST_F(NewProjects, FilesWithMacrosOfTheIncludingFileAreReadThere) {
  write("main.cu",
        "#define POOL_SIZE 32\n#include <pool.cu>\nvoid run(float* x) { fill<<<1, POOL_SIZE>>>(x); }\n");
  const std::string kernel =
      "__global__ void fill(float* x) {\n  enum { LAST = 3, FIRST = 1 };\n"
      "  x[threadIdx.x] = POOL_SIZE * LAST + FIRST + INT_MAX * M_PI;\n}\n";
  const std::string pool = write("pool.cu", "#include <stdio.h>\n" + kernel);
  ASSERT_EQ(kiln({"new", pool, "-o", path("pool.yaml")}).code, kExitDone);
  EXPECT_THAT(files_->read_file(path("pool.yaml")).value_or(""), HasSubstr("source: main.cu"));
  write("pool.cu", "#include <stdio.h>\n#define POOL_SIZE 4\n" + kernel);
  ASSERT_EQ(kiln({"new", pool, "-o", path("pool.yaml"), "--force"}).code, kExitDone);
  EXPECT_THAT(files_->read_file(path("pool.yaml")).value_or(""), HasSubstr("source: pool.cu"));
}

/// "types.h" and the block's size stand in front of the #include of the kernels.
TEST_F(NewProjects, FilesWithoutIncludesAreReadWhereTheyAreIncluded) {
  write("src/types.h", "#pragma once\ntypedef double Real;\nstruct Cell {\n  Real mass;\n  int kind;\n};\n");
  write("src/other.cu",
        "// takes kernels/step.cuh, too\n#include \"types.h\"\n#include \"kernels/step.cuh\"\n");
  write("src/main.cu",
        "#include \"types.h\"\n#define BLOCK 64\n#include \"kernels/step.cuh\"\n"
        "__global__ void other(int* x) { *x = 1; }\n"
        "void run(Cell* cells, int n) { step<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(cells, n); }\n");
  const std::string step = write("src/kernels/step.cuh",
                                 "__global__ void step(Cell* cells, int n) {\n"
                                 "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                                 "  if (i < n) cells[i].mass = cells[i].kind = BLOCK;\n}\n");
  write("Makefile", "all:\n\tnvcc -Isrc src/main.cu\n");
  const CliResult result = kiln({"new", step, "-o", path("step.yaml")});
  ASSERT_EQ(result.code, kExitDone) << result.err;
  EXPECT_THAT(result.out, HasSubstr("step.cuh is a part of "));
  EXPECT_THAT(result.out, HasSubstr("step.yaml: step;"));
  const std::string yaml = files_->read_file(path("step.yaml")).value_or("");
  EXPECT_THAT(yaml, HasSubstr("workload: step\n"));
  EXPECT_THAT(yaml, HasSubstr("source: src/main.cu  # in a header\n"));
  EXPECT_THAT(yaml, HasSubstr("block: [64]"));
  const CliResult ran = run_with(yaml, {{"checks: []", "checks: [{buffer: cells, expected: 64}]"}});
  EXPECT_EQ(ran.code, kExitDone) << ran.err << ran.out << yaml;
}

/// By its name alone, which the compiler finds by -I; a file beside the includer would be another one.
TEST_F(NewProjects, FilesWithoutIncludesMayLieInAFolderOfHeaders) {
  write("src/main.cu",
        "typedef double Real;\n#include \"step.cuh\"\n"
        "void run(Real* x) { step<<<1, 32>>>(x); }\n");
  const std::string step =
      write("include/step.cuh", "__global__ void step(Real* x) { x[threadIdx.x] = 1; }\n");
  write("Makefile", "all:\n\tnvcc -Iinclude src/main.cu\n");
  ASSERT_EQ(kiln({"new", step, "-o", path("step.yaml")}).code, kExitDone);
  EXPECT_THAT(files_->read_file(path("step.yaml")).value_or(""), HasSubstr("x: {type: double"));
  write("third/step.cuh", "int third;\n");  // which of the two -I finds is not known
  ASSERT_EQ(kiln({"new", step, "-o", path("step.yaml"), "--force"}).code, kExitDone);
  EXPECT_THAT(files_->read_file(path("step.yaml")).value_or(""), HasSubstr("source: include/step.cuh"));
  files_->remove_all(path("third"));
  write("src/step.cuh", "int other;\n");
  ASSERT_EQ(kiln({"new", step, "-o", path("step.yaml"), "--force"}).code, kExitDone);
  EXPECT_THAT(files_->read_file(path("step.yaml")).value_or(""), HasSubstr("source: include/step.cuh"));
}

/// The header stands in front of the text, behind what Kiln puts there.
TEST_F(NewProjects, HeadersThatTheMakefilePutsInFrontAreOptions) {
  write("base/real.h",
        "#pragma once\ntypedef float Real;\n__device__ inline Real one() { return 1; }\n#define SCALE 3\n");
  write("Makefile", "%.o: %.cu base/real.h\n\tnvcc -c $< -o $@ -include $(word 2,$^)\n");
  const std::string yaml = draft(
      "/* A text\n   of two lines. */\n"
      "#if SCALE == 3\n__global__ void k(Real* y, int n) {\n"
      "  if (threadIdx.x < n) y[threadIdx.x] = SCALE * one() + __LINE__;\n}\n#endif\n");
  EXPECT_THAT(yaml, HasSubstr("options: [\"-include\", base/real.h]"));
  EXPECT_THAT(yaml, HasSubstr("y: {type: float, shape: [n]"));
  EXPECT_THAT(yaml, HasSubstr("line 4"));
  const CliResult ran =
      run_with(yaml, {{"checks: []", "checks: [{buffer: y, region: [[0, 256]], expected: 8}]"}});
  EXPECT_EQ(ran.code, kExitDone) << ran.err << ran.out << yaml;
}

/// From a folder beside the workload's, as paths of the command line lead there.
TEST_F(NewProjects, HeadersInFrontMayLieBesideASourceOfAnotherFolder) {
  write("src/k.cu", "__global__ void k(Real* y, int n) { if (threadIdx.x < n) y[threadIdx.x] = ONE; }\n");
  write("jobs/real.h", "typedef float Real;\n#define ONE one()\n__device__ Real one();\n");
  write("jobs/one.cu", "__device__ Real one() { return 1; }\n");
  write("jobs/job.yaml",
        "workload:\n  workload: k\n  buffers: {y: {type: float, shape: [32], init: 0}}\n"
        "  kernels:\n    k: {source: [../src/k.cu, one.cu], options: [-include, real.h], grid: [1], "
        "block: [32], args: [y, {value: 32, type: int}]}\n  run: [k]\n"
        "  verify: {checks: [{buffer: y, expected: 1}]}\n");
  const std::filesystem::path here = std::filesystem::current_path();
  std::filesystem::current_path(path("jobs"));
  const CliResult ran = kiln({"run", "job.yaml", "--device", "cpu", "--require-checks"});
  std::filesystem::current_path(here);
  EXPECT_EQ(ran.code, kExitDone) << ran.err << ran.out;
}

TEST_F(NewProjects, MacrosOfSetupAreTaken) {
  write("config.py", "macros = {}\nmacros['nvcc'] = [('REAL', 'float')]\n");
  write("setup.py", "import config\nExtension('a', ['k.cu'], define_macros=config.macros['nvcc'])\n");
  const std::string yaml = draft("__global__ void k(REAL* y) { y[threadIdx.x] = 1; }\n");
  EXPECT_THAT(yaml, HasSubstr("# by the build: -DREAL of config.py:2"));
  EXPECT_THAT(yaml, HasSubstr("y: {type: float, "));
}

/// Kernels of files that are not read may set them or read them.
TEST_F(NewProjects, ExternalVariablesOfOtherFilesAreInputsAndResults) {
  write("b.cu", "__device__ int n;\n__device__ int* p;\n__device__ int size = 3;\n");
  const std::string yaml = draft(
      "extern __device__ int n;\nextern __device__ int* p;\nextern __device__ int size;\n"
      "__global__ void k(int x) { n = x + size + p[threadIdx.x]; }\n");
  EXPECT_THAT(yaml, HasSubstr("source: [program.cu, b.cu]"));
  EXPECT_THAT(yaml, HasSubstr("p_address: {type: ulong, shape: [1], init: {addresses: [p]}}"));
  EXPECT_THAT(yaml, HasSubstr("      symbols: {p: p_address}\n      read_symbols: {n: n}\n"));
}

/// No text defines them, as in a program of one file; other files may use what a kernel writes.
TEST_F(NewProjects, ExternalVariablesAreInputsAndResultsWithoutADefinition) {
  const std::string yaml = draft(
      "struct Cell { float a; };\nextern __device__ __managed__ Cell in[8], out[8];\n"
      "extern \"C\" __constant__ int first;\n"
      "__global__ void k() { out[threadIdx.x].a = in[threadIdx.x].a + first; }\n"
      "void run() { k<<<1, 8>>>(); }\n");
  EXPECT_THAT(yaml, HasSubstr("in: {type: Cell, shape: [8]"));
  EXPECT_THAT(yaml, HasSubstr("first: first"));
  EXPECT_THAT(yaml, HasSubstr("read_symbols: {"));
  const CliResult ran = run_with(yaml, {{"shape: [1], init: {uniform: [0, 16]}", "shape: [1], init: 5"},
                                        {"checks: []", "checks: [{buffer: out, expected: 5}]"}});
  EXPECT_EQ(ran.code, kExitDone) << ran.err << ran.out << yaml;
}

TEST_F(NewProjects, NamespacesMayBeOpenedByMacros) {
  write("lib.h", "#define OPEN_LIB namespace lib {\n#define CLOSE_LIB }\n");
  const std::string yaml = draft(
      "#include \"lib.h\"\nOPEN_LIB\nstruct Twice { __device__ float operator()(float x) const { return 2 * "
      "x; } };\n"
      "template <class F> __global__ void k(float* y, const F f) { y[threadIdx.x] = f(threadIdx.x); }\n"
      "void run(float* y) { k<<<1, 32>>>(y, Twice()); }\nCLOSE_LIB\n");
  EXPECT_THAT(yaml, HasSubstr("entry: \"lib::k\""));
  EXPECT_THAT(yaml, HasSubstr("template_args: [\"lib::Twice\"]"));
}

/// `*this` in a member function, also of a class template, and passed on by a function of the host.
TEST_F(NewProjects, AFunctionObjectMayLaunchItself) {
  const std::string yaml = draft(R"cuda(
template <class F>
__global__ void each(F f, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) f(i);
}
template <class F>
void launch(const F& f, int n) { each<<<(n + 127) / 128, 128>>>(f, n); }
namespace sim {
template <class T>
struct Scale {
  T* x;
  T by;
  __device__ void operator()(int i) const { x[i] *= by; }
  void apply(int n) { launch(*this, n); }
};
}
int main() {
  sim::Scale<double> s;
  s.apply(1000);
}
)cuda");
  EXPECT_THAT(yaml, HasSubstr("template_args: [\"sim::Scale<double>\"]"));
  EXPECT_THAT(yaml, HasSubstr("{struct: [x, {value: 0, type: double}]}"));
  const CliResult ran = run_with(yaml, {{"{value: 0, type: double}", "{value: 3, type: double}"},
                                        {"shape: [n], init: 0", "shape: [n], init: 2"},
                                        {"checks: []", "checks: [{buffer: x, expected: 6}]"}});
  EXPECT_EQ(ran.code, kExitDone) << ran.err << ran.out << yaml;
}

/// The host's storage of a class template, and the one of the device in its place.
TEST_F(NewProjects, AliasesOfContainersMayBeDefaultsOfTemplates) {
  const std::string yaml = draft(R"cuda(
#include <vector>
template <class T> using HostVector = std::vector<T>;
template <class T> struct View {
  T* data;
  size_t n;
  __device__ T operator[](size_t i) const { return data[i]; }
};
template <class T, template <class> class Storage = HostVector>
struct Table {
  Storage<T> samples;
  int n;
  __device__ T at(int i) const { return samples[i < n ? i : n - 1]; }
};
__global__ void look(Table<double, View> t, double* y) { y[threadIdx.x] = t.at(threadIdx.x); }
void run(Table<double, View> t, double* y) { look<<<1, 64>>>(t, y); }
)cuda");
  EXPECT_THAT(yaml,
              HasSubstr("{struct: [data, {value: elements, type: size_t}, {value: elements, type: int}, "));
  const CliResult ran =
      run_with(yaml, {{"shape: [elements], init: 0}", "shape: [elements], init: 5}"},
                      {"checks: []", "checks: [{buffer: y, region: [[0, 64]], expected: 5}]"}});
  EXPECT_EQ(ran.code, kExitDone) << ran.err << ran.out << yaml;
}

TEST_F(NewProjects, StructsThatAskForAnAlignmentHavePadding) {
  const std::string yaml = draft(R"cuda(
struct __align__(64) Queue {
  float* data;
  int n;
};
static_assert(sizeof(Queue) == 64);
__global__ void fill(Queue* queues) {
  Queue& q = queues[blockIdx.x];
  if (threadIdx.x < q.n) q.data[threadIdx.x] = 1 + blockIdx.x;
}
int main() {
  Queue* q;
  cudaMalloc(&q, 2 * sizeof(Queue));
  fill<<<2, 32>>>(q);
}
)cuda");
  EXPECT_THAT(yaml, HasSubstr("Queue: {data: ulong, n: int, padding: \"uchar[48]\"}"));
  EXPECT_THAT(
      yaml,
      HasSubstr(
          "q: {type: Queue, shape: [2], init: {members: {data: {addresses: [data]}, n: 0, padding: 0}}}"));
}

/// Its other members lie where the host's program has them.
TEST_F(NewProjects, ClassesBehindPointersMayHoldContainers) {
  const std::string yaml = draft(R"cuda(
#include <memory>
#include <mutex>
#include <string>
#include <vector>
class Mesh {
 public:
  explicit Mesh(int n) : nodes(n), mass(n), name("mesh") { host.resize(n); }
  void refine() { host.push_back(1); }
  __host__ __device__ int size() const { return nodes; }
  int nodes;
  std::vector<double> host;
  std::string name;
  std::unique_ptr<double[]> owned;
  double mass;
  std::mutex lock;
  float* values;
};
__global__ void scale(const Mesh* mesh, float factor, double* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < mesh->size()) {
    mesh->values[i] *= factor;
    out[i] = mesh->mass;
  }
}
int main() {
  Mesh m(100);
  m.refine();
  Mesh* d;
  double* out;
  cudaMalloc(&d, sizeof(Mesh));
  cudaMalloc(&out, 100 * sizeof(double));
  scale<<<4, 32>>>(d, 2.f, out);
}
)cuda");
  EXPECT_THAT(
      yaml,
      HasSubstr(
          "Mesh: {nodes: int, host: \"ulong[3]\", name: \"ulong[4]\", owned: \"ulong[1]\", mass: double, "
          "lock: \"ulong[5]\", values: ulong}"));
  const CliResult ran = run_with(yaml, {{"nodes: 0", "nodes: 100"},
                                        {"mass: 0", "mass: 7"},
                                        {"checks: []", "checks: [{buffer: out, expected: 7}]"}});
  EXPECT_EQ(ran.code, kExitDone) << ran.err << ran.out << yaml;
}

TEST_F(NewProjects, ClassesMayBeNamedByMacros) {
  write("field.h",
        "#pragma once\n#define FIELD fp_t\nclass FIELD {\n public:\n  unsigned v[4];\n"
        "  __device__ void add(const FIELD& o);\n};\n");
  write("field.cu",
        "#include \"field.h\"\n"
        "__device__ void FIELD::add(const FIELD& o) { for (int i = 0; i < 4; ++i) v[i] += o.v[i]; }\n");
  const std::string yaml = draft(
      "#include \"field.h\"\n__global__ void sum(const fp_t* a, fp_t b, unsigned* out, int n) {\n"
      "  if (threadIdx.x >= n) return;\n  fp_t c = a[threadIdx.x];\n  c.add(b);\n"
      "  out[threadIdx.x] = c.v[3];\n}\n"
      "int main() {\n  fp_t *a, b;\n  unsigned* out;\n  int n = 20;\n"
      "  cudaMalloc(&a, n * sizeof(fp_t));\n  cudaMalloc(&out, 4 * n);\n  sum<<<1, 32>>>(a, b, out, "
      "n);\n}\n");
  EXPECT_THAT(yaml, HasSubstr("fp_t: {v: \"unsigned[4]\"}"));
  EXPECT_THAT(yaml, HasSubstr("a: {type: fp_t, shape: [n], "));
  EXPECT_THAT(yaml, HasSubstr("source: [program.cu, field.cu]"));
  const CliResult ran = run_with(
      yaml, {{"{value: 0, type: unsigned}]", "{value: 7, type: unsigned}]"},
             {"a: {type: fp_t, shape: [n], init: 0", "a: {type: fp_t, shape: [n], init: {members: {v: 5}}"},
             {"checks: []", "checks: [{buffer: out, expected: 12}]"}});
  EXPECT_EQ(ran.code, kExitDone) << ran.err << ran.out << yaml;
}

TEST_F(NewProjects, UnionsWithoutANameHaveOneForm) {
  const std::string yaml = draft(R"cuda(
struct Args {
  char kind;
  union {
    float scale;
    double wide;
  };
  struct {
    float x, y;
  };
  union {
    struct { float r, g, b; };
    float rgb[3];
  } color;
  float* out;
};
__global__ void k(Args a, int n) {
  const int i = threadIdx.x;
  if (i < n) a.out[i] = a.kind * i + a.wide + a.y + a.color.g;
}
int main() { Args a; cudaMalloc(&a.out, 400); k<<<1, 128>>>(a, 100); }
)cuda");
  EXPECT_THAT(yaml, HasSubstr("FILL IN the values of a: kind, wide, x, y, r, g, b, out"));
  const CliResult ran = run_with(
      yaml, {{"{value: 0, type: char}, {value: 0, type: double}, {value: 0, type: float}, {value: 0, type: "
              "float}, {value: 0, type: float}, {value: 0, type: float}, {value: 0, type: float}",
              "{value: 0, type: char}, {value: 4, type: double}, {value: 1, type: float}, {value: 20, type: "
              "float}, {value: 1, type: float}, {value: 300, type: float}, {value: 1, type: float}"},
             {"checks: []", "checks: [{buffer: out, expected: 324}]"}});
  EXPECT_EQ(ran.code, kExitDone) << ran.err << ran.out << yaml;
}

TEST_F(NewProjects, PackedStructsByValueAreBytes) {
  const std::string yaml = draft(
      "#pragma pack(push, 1)\nstruct Packed { char tag; int value; };\n#pragma pack(pop)\n"
      "__global__ void k(Packed p, const Packed* many, int* out, int n) {\n"
      "  if (threadIdx.x < n) out[threadIdx.x] = p.value + many[threadIdx.x].value;\n}\n");
  EXPECT_THAT(yaml, HasSubstr("many: {type: uchar, shape: [\"n * 5\"], init: 0}"));
  const std::string zeros =
      "{value: 0, type: uchar}, {value: 0, type: uchar}, {value: 0, type: uchar}, {value: 0, type: uchar}, "
      "{value: 0, type: uchar}";
  const CliResult ran =
      run_with(yaml, {{zeros,
                       "{value: 0, type: uchar}, {value: 7, type: uchar}, {value: 1, type: uchar}, "
                       "{value: 0, type: uchar}, {value: 0, type: uchar}"},
                      {"checks: []", "checks: [{buffer: out, region: [[0, 256]], expected: 263}]"}});
  EXPECT_EQ(ran.code, kExitDone) << ran.err << ran.out << yaml;
}

TEST_F(NewProjects, NodesOfAClassTemplateNameThemselves) {
  const std::string yaml = draft(
      "template <class T> struct Node { T value; Node* next; int count; };\n"
      "__global__ void k(Node<float>* nodes, int n) {\n"
      "  if (threadIdx.x < n) nodes[threadIdx.x].value += nodes[threadIdx.x].next->value;\n}\n");
  EXPECT_THAT(yaml, HasSubstr("Node_float: {value: float, next: ulong, count: int}"));
  EXPECT_THAT(yaml, HasSubstr("next: {type: Node_float, shape: [n], init: 0}"));
}

/// What the workload runs needs no explicit instantiation, and others may not compile.
TEST_F(NewProjects, ExplicitInstantiationsOfOthersAreLeftOut) {
  const std::string text =
      "#include <cstdio>\n"
      "template <class T, int N> __global__ void scale(T* x, int n) {\n"
      "  if (threadIdx.x < n) x[threadIdx.x] = T(N);\n}\n"
      "template <class T> __global__ void broken(T* x) { x->nothing(); }\n"
      "template <class T> struct Holder { T t; __device__ void run() { t.missing(); } };\n"
      "template __global__ void scale<float, 2>(float*, int);\n"
      "template __global__ void broken<float>(float*);\n"
      "template struct Holder<float>;\n"
      "int main() { Holder<int*> h; float* x; cudaMalloc(&x, 400); scale<float, 2><<<1, 128>>>(x, 100); }\n";
  const CliResult drafted = kiln({"new", write("program.cu", text), "scale", "-o", path("scale.yaml")});
  ASSERT_EQ(drafted.code, kExitDone) << drafted.err;
  const CliResult ran = run_with(files_->read_file(path("scale.yaml")).value_or(""),
                                 {{"checks: []", "checks: [{buffer: x, expected: 2}]"}});
  EXPECT_EQ(ran.code, kExitDone) << ran.err << ran.out;
}

}  // namespace
}  // namespace kiln
