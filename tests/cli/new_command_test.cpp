// Drafts of workloads for programs with host code: valid as they are, and right once what is marked is filled
// in.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/exit_code.h"
#include "cli/cli_fixture.h"

namespace kiln {
namespace {

using test::CliResult;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kSaxpy = R"cuda(#include <cstdio>
#include <iostream>
#include <vector>
#include "helper_cuda.h"
#define CHECK(call) do { cudaError_t e = (call); if (e != cudaSuccess) { std::cerr << e; exit(1); } } while (0)
constexpr int kThreads = 128;

__global__ void saxpy(const float* __restrict__ x, float* y, float a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + 2.0f;
}

int main(int argc, char** argv) {
  const int n = 1 << 12;
  std::vector<float> x(n, 1.0f);
  float *d_x, *d_y;
  CHECK(cudaMalloc(&d_x, n * sizeof(float)));
  saxpy<<<(n + kThreads - 1) / kThreads, kThreads>>>(d_x, d_y, 3.0f, n);
  std::cout << "done" << std::endl;
}
)cuda";

constexpr const char* kBlur = R"cuda(#include <stdlib.h>
#include <time.h>
#define BX 32
#define BY 4
typedef float real;
__constant__ real weights[3];

template <typename T, int RADIUS>
__global__ void blur(const T* in, T* out, int width, int height) {
  __shared__ T row[BY][BX];
  int x = blockIdx.x * BX + threadIdx.x, y = blockIdx.y * BY + threadIdx.y;
  row[threadIdx.y][threadIdx.x] = x < width && y < height ? in[y * width + x] : T(0);
  __syncthreads();
  T sum = 0;
  for (int d = -RADIUS; d <= RADIUS; ++d) sum += weights[d + RADIUS];
  if (x < width && y < height) out[y * width + x] = row[threadIdx.y][threadIdx.x] * sum;
}

void run(const float* d_in, float* d_out, int w, int h) {
  dim3 block(BX, BY);
  dim3 grid((w + BX - 1) / BX, (h + BY - 1) / BY);
  blur<float, 1><<<grid, block>>>(d_in, d_out, w, h);
  cudaDeviceSynchronize();
}

int main() { srand(time(NULL)); run(nullptr, nullptr, 64, 32); return 0; }
)cuda";

constexpr const char* kParticles = R"cuda(#include "hip/hip_runtime.h"
struct Particle { float position[3]; int kind; };
struct Box { float low, high; };
__device__ float wrap(float x) { return x - floorf(x); }
extern "C" __global__ void move(Particle* particles, const float* speeds, unsigned int count, double dt) {
  HIP_DYNAMIC_SHARED(float, buffer);
  const int i = hipBlockIdx_x * hipBlockDim_x + hipThreadIdx_x;
  buffer[hipThreadIdx_x] = i < count ? speeds[i] : 0.0f;
  __syncthreads();
  if (i < count) {
    for (int d = 0; d < 3; ++d) particles[i].position[d] = wrap(particles[i].position[d] + buffer[hipThreadIdx_x] * dt);
    particles[i].kind = 7;
  }
}
extern "C" __global__ void inside(Box box, int* flags, int n) { flags[0] = n; }
int main() {
  hipLaunchKernelGGL(move, dim3(4), dim3(64), 64 * sizeof(float), 0, p, s, 256u, 0.0);
  hipDeviceSynchronize();
}
)cuda";

class NewCommand : public test::CliTest {
 protected:
  std::string draft(const std::string& name, const std::string& text, std::vector<std::string> more = {}) {
    const std::string source = write(name + ".cu", text);
    std::vector<std::string> arguments = {"new", source, "-o", path(name + ".yaml")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const CliResult result = kiln(arguments);
    EXPECT_EQ(result.code, kExitDone) << result.err;
    said_ = result.err;
    const auto yaml = files_->read_file(path(name + ".yaml"));
    return yaml.value_or("");
  }

  /// Writes it again with other texts in the place of some, and runs it.
  CliResult run_with(const std::string& name, std::string yaml,
                     const std::vector<std::pair<std::string, std::string>>& filled) {
    for (const auto& [from, to] : filled) {
      const std::size_t at = yaml.find(from);
      EXPECT_NE(at, std::string::npos) << from << " in\n" << yaml;
      if (at != std::string::npos) yaml.replace(at, from.size(), to);
    }
    const CliResult valid = kiln({"validate", write(name + ".yaml", yaml)});
    EXPECT_EQ(valid.code, kExitDone) << valid.err << valid.out;
    return kiln({"run", path(name + ".yaml"), "--device", "cpu", "--require-checks", "--format", "csv"});
  }

  std::string said_;
};

TEST_F(NewCommand, DraftsWhatTheProgramLaunches) {
  const std::string yaml = draft("saxpy", kSaxpy);
  EXPECT_THAT(yaml, HasSubstr("    a: {type: float, default: 3.0}  # as in the program: 3.0f\n"));
  EXPECT_THAT(yaml, HasSubstr("    n: {type: int, default: 4096}  # as in the program: n\n"));
  EXPECT_THAT(
      yaml,
      HasSubstr("    d_x: {type: float, shape: [n], init: {uniform: [0, 1]}}  # FILL IN shape, content; "
                "the program allocates n*sizeof(float)\n"));
  EXPECT_THAT(yaml,
              HasSubstr("      grid: [\"(n + 128 - 1) // 128\"]  # line 18: (n+kThreads-1)/kThreads\n"));
  EXPECT_THAT(yaml, HasSubstr("      block: [128]  # line 18: kThreads\n"));
  EXPECT_THAT(yaml, HasSubstr("      args: [d_x, d_y, a, n]\n"));
}

TEST_F(NewCommand, ADraftIsValidAndRunsUnchecked) {
  draft("saxpy", kSaxpy);
  const CliResult valid = kiln({"validate", path("saxpy.yaml")});
  EXPECT_EQ(valid.code, kExitDone) << valid.err;
  EXPECT_THAT(valid.out, HasSubstr("would be unchecked"));
  const CliResult ran = kiln({"run", path("saxpy.yaml"), "--device", "cpu"});
  EXPECT_EQ(ran.code, kExitDone) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("1 unchecked"));
}

TEST_F(NewCommand, RunsOnceTheMarksAreFilledIn) {
  const CliResult ran = run_with(
      "saxpy", draft("saxpy", kSaxpy),
      {{"init: {uniform: [0, 1]}", "init: 5"}, {"checks: []", "checks: [{buffer: d_y, expected: 17}]"}});
  EXPECT_EQ(ran.code, kExitDone) << ran.err;
}

TEST_F(NewCommand, ACheckThatIsFilledInCanFail) {
  const CliResult ran = run_with(
      "saxpy", draft("saxpy", kSaxpy),
      {{"init: {uniform: [0, 1]}", "init: 5"}, {"checks: []", "checks: [{buffer: d_y, expected: 18}]"}});
  EXPECT_EQ(ran.code, kExitFailed);
}

TEST_F(NewCommand, KnowsTemplatesBlocksOfTwoDimensionsAndConstantMemory) {
  const std::string yaml = draft("blur", kBlur);
  EXPECT_THAT(yaml, HasSubstr("    T: {type: type, default: float}\n"));
  EXPECT_THAT(yaml, HasSubstr("      template_args: [T, 1]\n"));
  EXPECT_THAT(yaml, HasSubstr("      grid: [\"(width + 32 - 1) // 32\", \"(height + 4 - 1) // 4\"]"));
  EXPECT_THAT(yaml, HasSubstr("      block: [32, 4]"));
  EXPECT_THAT(yaml, HasSubstr("      symbols: {weights: weights}\n"));
  EXPECT_THAT(yaml, HasSubstr("    weights: {type: float, shape: [3], init: {uniform: [0, 1]}}"));
  EXPECT_THAT(yaml, HasSubstr("shape: [\"width * height\"]"));
  const CliResult ran = run_with("blur", yaml,
                                 {{"weights: {type: float, shape: [3], init: {uniform: [0, 1]}}",
                                   "weights: {type: float, shape: [3], init: {iota: [1, 1]}}"},
                                  {"init: {uniform: [0, 1]}", "init: 2"},
                                  {"width: {type: int, default: 1024}", "width: {type: int, default: 70}"},
                                  {"height: {type: int, default: 1024}", "height: {type: int, default: 10}"},
                                  {"checks: []", "checks: [{buffer: d_out, expected: 12}]"}});
  EXPECT_EQ(ran.code, kExitDone) << ran.err;
}

/// A table with values of its own stays as it is, unless the host writes it.
TEST_F(NewCommand, ConstantsThatFunctionsOfAKernelNameAreSymbols) {
  const std::string yaml = draft("constants", R"cuda(
__constant__ int table[4] = {1, 2, 3, 4};
__constant__ float scale = 1.0f;
__constant__ float w[8];
__constant__ float unused[8];
struct Weights {
  __device__ static float at(int i) { return w[i] * scale; }
};
__device__ float outer(int i) { return Weights::at(i) + 1; }
__global__ void fill(float* x, int n) {
  if (threadIdx.x < n) x[threadIdx.x] = outer(threadIdx.x) + table[threadIdx.x & 3];
}
int main() {
  float *x, h[8], s = 3.0f;
  cudaMalloc(&x, 8 * sizeof(float));
  cudaMemcpyToSymbol(w, h, sizeof(h));
  cudaMemcpyToSymbol(scale, &s, sizeof(s));
  fill<<<1, 8>>>(x, 8);
}
)cuda");
  EXPECT_THAT(yaml, HasSubstr("      symbols: {scale: scale, w: w}\n"));
  const CliResult ran = run_with(
      "constants", yaml,
      {{" w: {type: float, shape: [8], init: {uniform: [0, 1]}}", " w: {type: float, shape: [8], init: 2}"},
       {"scale: {type: float, shape: [1], init: {uniform: [0, 1]}}",
        "scale: {type: float, shape: [1], init: 3}"},
       {"checks: []", "checks: [{buffer: x, expected: 10, region: [[2, 3]]}]"}});
  EXPECT_EQ(ran.code, kExitDone) << ran.err;
}

/// A value that grows before the launch, as sizes of shared memory do.
TEST_F(NewCommand, VariablesHaveTheirLastValueBeforeALaunch) {
  const std::string yaml = draft("bytes", R"cuda(
#include <algorithm>
extern __shared__ float s[];
__global__ void fill(float* x, int n) { s[threadIdx.x] = n; x[threadIdx.x] = s[threadIdx.x]; }
void run(float* x, int n) {
  size_t bytes = 32 * sizeof(float), header = n * 2;
  bytes = std::max(bytes, 64 * sizeof(float));
  if (n > 5) { bytes = 1; }
  const size_t all = bytes + header;
  int threads = 16;
  threads = threads * 2;
  fill<<<n, threads, all>>>(x, n);
}
)cuda");
  EXPECT_THAT(yaml, HasSubstr("shared: \"(max((32 * 4), 64 * 4)) + (n * 2)\""));
  EXPECT_THAT(yaml, HasSubstr("block: [32]"));
}

TEST_F(NewCommand, KnowsRecordsAndHip) {
  const std::string yaml = draft("particles", kParticles);
  EXPECT_THAT(yaml, HasSubstr("    Particle: {position: \"float[3]\", kind: int}\n"));
  EXPECT_THAT(yaml, HasSubstr("      shared: \"64 * 4\"  # line "));
  EXPECT_THAT(yaml, HasSubstr("{struct: [{value: 0, type: float}"));
  EXPECT_THAT(yaml, HasSubstr("# FILL IN the values of box: "));
  const CliResult ran =
      run_with("particles", yaml,
               {{"checks: []", "checks: [{buffer: p, reference: {kernel: move_, buffer: q}}]"},
                {"  run: ",
                 "    move_: {source: particles.cu, entry: move, grid: [4], block: [64], shared: \"64 * 4\", "
                 "args: [q, s, count, dt]}\n  run: "},
                {"    p: {", "    q: {type: Particle, shape: [count], init: 0}\n    p: {"}});
  EXPECT_EQ(ran.code, kExitDone) << ran.err;
}

TEST_F(NewCommand, StructsAndVectorsByValueHaveAForm) {
  const std::string yaml = draft(
      "boxes",
      "struct View { const float* data; int n; double scale[2]; };\n"
      "struct Flags { unsigned low : 4, high : 4; };\n"
      "__global__ void k(float* out, View view, float4 shift) {\n"
      "  if (threadIdx.x < view.n) out[threadIdx.x] = view.data[threadIdx.x] * view.scale[1] + shift.z;\n}\n"
      "__global__ void bits(float* out, Flags flags) { out[0] = flags.low; }\n"
      "int main() {\n  View v;\n  float* out;\n  k<<<1, 64>>>(out, v, float4{});\n}\n");
  EXPECT_THAT(yaml, HasSubstr("args: [out, {struct: [data, {value: elements, type: int}, {value: 0, type: "
                              "double}, {value: 0, type: double}]}, {struct: [{value: 0, type: float}, "));
  EXPECT_THAT(yaml, HasSubstr("# FILL IN the values of view: data, n, scale; of shift: shift"));
  EXPECT_THAT(yaml, HasSubstr("'bits' is left out"));
  const CliResult ran =
      run_with("boxes", yaml,
               {{"{value: 0, type: double}, {value: 0, type: double}",
                 "{value: 0, type: double}, {value: 3, type: double}"},
                {"{struct: [{value: 0, type: float}, {value: 0, type: float}, {value: 0, type: float}",
                 "{struct: [{value: 0, type: float}, {value: 0, type: float}, {value: 5, type: float}"},
                {"data: {type: float, shape: [elements], init: {uniform: [0, 1]}}",
                 "data: {type: float, shape: [elements], init: 2}"},
                {"elements: {type: int, default: 1024", "elements: {type: int, default: 64"},
                {"grid: [1]", "grid: [1]"},
                {"checks: []", "checks: [{buffer: out, expected: 11}]"}});
  EXPECT_EQ(ran.code, kExitDone) << yaml << ran.err;
}

TEST_F(NewCommand, StructsInsideStructsArePlacedWithTheirPadding) {
  const std::string yaml =
      draft("nest",
            "struct Inner { double weight; int hits; };\n"
            "struct Outer { char kind; Inner inner; int after; float4 color; static const int k = 3; };\n"
            "__global__ void k(double* out, Outer o) {\n"
            "  out[threadIdx.x] = o.kind + o.inner.weight + o.inner.hits + o.after + o.color.w;\n}\n"
            "int main() {\n  Outer o;\n  double* out;\n  k<<<1, 64>>>(out, o);\n}\n");
  EXPECT_THAT(yaml, HasSubstr("# FILL IN the values of o: kind, weight, hits, after, color"));
  const CliResult ran =
      run_with("nest", yaml,
               {{"{value: 0, type: char}", "{value: 1, type: char}"},
                {"{value: 0, type: double}", "{value: 10, type: double}"},
                {"{value: 0, type: int}, ", "{value: 3000, type: int}, "},
                {"{value: 0, type: float}, {value: 0, type: float}, {value: 0, type: float}, "
                 "{value: 0, type: float}",
                 "{value: 0, type: float}, {value: 0, type: float}, {value: 0, type: float}, "
                 "{value: 40000, type: float}"},
                {"{value: 0, type: int}", "{value: 200, type: int}"},
                {"elements: {type: int, default: 1024", "elements: {type: int, default: 64"},
                {"checks: []", "checks: [{buffer: out, expected: 43211}]"}});
  EXPECT_EQ(ran.code, kExitDone) << yaml << ran.err << ran.out;
}

TEST_F(NewCommand, PointersToATypeWithoutAFormAreBuffersOfBytes) {
  const std::string yaml =
      draft("nodes",
            "struct Node { void (*next)(); int value; };\n"
            "template <class T> struct Cell { T value; int used; };\n"
            "__global__ void mark(Node* nodes, const Cell<short>* cells, int n) {\n"
            "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
            "  if (i < n) nodes[i].value = 7 + cells[i].used;\n}\n"
            "int main() {\n  Node* d;\n  Cell<short>* c;\n  mark<<<4, 64>>>(d, c, 256);\n}\n");
  EXPECT_THAT(yaml, HasSubstr("    d: {type: uchar, shape: [\"n * 64\"], init: 0}  # FILL IN shape in bytes "
                              "(elements of the type Node)"));
  EXPECT_THAT(yaml, HasSubstr("    Cell_short: {value: short, used: int}\n"));
  const CliResult ran =
      run_with("nodes", yaml,
               {{"d: {type: uchar, shape: [\"n * 64\"]", "d: {type: int, shape: [n, 4]"},
                {"checks: []", "checks: [{buffer: d, region: [[0, 256], [2, 3]], expected: 7}]"}});
  EXPECT_EQ(ran.code, kExitDone) << yaml << ran.err << ran.out;
}

TEST_F(NewCommand, InstancesOfClassTemplatesAreStructs) {
  const std::string yaml = draft(
      "bodies",
      "template <typename T> struct Vec3 { T x, y, z; };\n"
      "template <typename T, int N> class Matrix {\n"
      " public:\n  __device__ T& at(int i, int j) { return m[i * N + j]; }\n private:\n  T m[N * N];\n};\n"
      "template <typename T> struct Body { Vec3<T> position; T mass; Matrix<T, 2> m; const T* table; };\n"
      "template <typename T> struct Base { virtual void f() {} T x; };\n"
      "template <typename T> __global__ void move(T* out, Vec3<T>* p, Body<T>* bodies, Base<T>* objects, int "
      "n) {\n"
      "  int i = threadIdx.x;\n  if (i < n) out[i] = p[i].y + bodies[i].position.z + bodies[i].m.at(1, 0) + "
      "bodies[i].table[0];\n}\n"
      "void run(double* out, Vec3<double>* p, Body<double>* b, Base<double>* o) {\n  move<double><<<1, "
      "64>>>(out, p, b, o, "
      "64);\n}\n");
  EXPECT_THAT(yaml, HasSubstr("    Vec3_double: {x: double, y: double, z: double}\n"
                              "    Matrix_double_2: {m: \"double[4]\"}\n"
                              "    Body_double: {position: Vec3_double, mass: double, m: Matrix_double_2, "
                              "table: ulong}\n"));
  EXPECT_THAT(yaml, HasSubstr("    o: {type: uchar, "));
  const CliResult ran =
      run_with("bodies", yaml,
               {{"{position: 0, mass: 0, m: 0, table: {addresses: [table]}}",
                 "{position: [1, 2, 3], mass: 0, m: [0, 0, 30, 0], table: {addresses: [table]}}"},
                {"table: {type: double, shape: [n], init: {uniform: [0, 1]}}",
                 "table: {type: double, shape: [n], init: 500}"},
                {"checks: []", "checks: [{buffer: out, expected: 533}]"}});
  EXPECT_EQ(ran.code, kExitDone) << yaml << ran.err << ran.out;
}

/// Of instances that lie in memory in another way, or whose names say too little, there are only bytes.
TEST_F(NewCommand, InstancesWithALayoutOfTheirOwnAreBytes) {
  const std::string yaml =
      draft("layouts",
            "template <class T> struct alignas(64) Line { T a, b; };\n"
            "template <class T> struct alignas(16) Four { T a, b, c, d; };\n"
            "template <class T> union Either { T t; unsigned u; };\n"
            "template <class T> struct Bits { T value; unsigned low : 4; };\n"
            "template <class T> struct View { T data; int n; };\n"
            "template <class T> struct Op { virtual void f() {} };\n"
            "template <class T> struct Add : Op<T> { T x; };\n"
            "template <class T> struct A { T x; };\ntemplate <class T> struct B { int x; };\n"
            "template <class T> struct Both : A<T>, B<T> { T y; };\n"
            "namespace p { template <class T> struct P { T x; }; }\n"
            "namespace q { template <class T> struct P { T x, y; }; }\n"
            "template <int N> struct Row { float v[N]; };\n"
            "__global__ void k(Line<float>* line, Four<float>* four, Either<float>* either, Bits<int>* bits, "
            "View<const float*>* view, Add<float>* add, Both<float>* both, p::P<float>* pp, Row<4 + 2>* six, "
            "Row<4 - "
            "2>* two) { line[threadIdx.x].a = 1; }\n");
  EXPECT_THAT(yaml,
              HasSubstr("  types:\n    Four_float: {a: float, b: float, c: float, d: float}\n"
                        "    Either_float: {t: float}\n"
                        "    Row_4_2: {v: \"float[6]\"}\n    Row_4_2_: {v: \"float[2]\"}\n  buffers:\n"));
  for (const char* bytes : {"line", "bits", "view", "add", "both", "pp"})
    EXPECT_THAT(yaml, HasSubstr("    " + std::string(bytes) + ": {type: uchar, ")) << bytes;
}

/// As they lie where nothing is left out between them.
TEST_F(NewCommand, PackedStructsWithoutGapsHaveMembers) {
  const std::string yaml =
      draft("packed",
            "struct __attribute__((__packed__)) Atom { float x, y; int type; };\n"
            "struct __attribute__((packed)) Loose { char kind; float x; };\n"
            "struct __attribute__((may_alias)) Plain { char kind; float x; };\n"
            "__global__ void k(Atom* atoms, Loose* loose, Plain* plain) { atoms[threadIdx.x].type = 1; }\n");
  EXPECT_THAT(yaml, HasSubstr("Atom: {x: float, y: float, type: int}\n"));
  EXPECT_THAT(yaml, HasSubstr("Plain: {kind: char, x: float}\n"));
  EXPECT_THAT(yaml, HasSubstr("    loose: {type: uchar, shape: [\"elements * 5\"]"));
}

TEST_F(NewCommand, FunctionObjectsWithoutMembersArePassed) {
  const std::string yaml =
      draft("objects",
            "template <typename T> struct Twice { __device__ T operator()(T v) const { return 2 * v; } };\n"
            "struct Increment { __device__ int operator()(int v) const { return v + 1; } };\n"
            "template <typename F> __global__ void apply(int* x, int n, F f) {\n"
            "  if (threadIdx.x < n) x[threadIdx.x] = f(x[threadIdx.x]);\n}\n"
            "__global__ void add(int* x, Increment f) { x[threadIdx.x] = f(x[threadIdx.x]); }\n"
            "int main() {\n  int* x;\n  apply<<<1, 64>>>(x, 64, Twice<int>());\n  add<<<1, 64>>>(x, "
            "Increment{});\n}\n");
  EXPECT_THAT(yaml, HasSubstr("template_args: [\"Twice<int>\"]"));
  EXPECT_THAT(yaml, HasSubstr("args: [x, n, {struct: [{value: 0, type: uchar}]}]"));
  const CliResult ran = run_with("objects", yaml,
                                 {{"shape: [n], init: {uniform: [0, 16]}", "shape: [n], init: 4"},
                                  {"checks: []", "checks: [{buffer: x, expected: 9}]"}});
  EXPECT_EQ(ran.code, kExitDone) << yaml << ran.err << ran.out;
}

TEST_F(NewCommand, TakesMacrosAndFoldersFromTheMakefileAndTheCommandLine) {
  write("Makefile",
        "CFLAGS = -O3 -DREAL=double -DSTEPS=9 -Iextra -Iabsent\nifeq ($(DEBUG),yes)\nCFLAGS += "
        "-DDEBUG\nendif\n");
  write("extra/offset.h", "#define OFFSET 5\n");
  const std::string text =
      "#include <offset.h>\n"
      "__global__ void fill(REAL* x, int n) { if (threadIdx.x < n) x[threadIdx.x] = STEPS + OFFSET; }\n"
      "int main() {\n  REAL* x;\n  fill<<<1, 64>>>(x, 64);\n}\n";
  const std::string yaml = draft("flags", text, {"-D", "STEPS=2", "-DUNUSED"});
  EXPECT_THAT(yaml, HasSubstr("      # by the build: -Iextra of Makefile:1, -DREAL of Makefile:1\n"
                              "      defines: {REAL: double, STEPS: 2, UNUSED: 1}\n"));
  EXPECT_THAT(yaml, HasSubstr("      options: [\"-Iextra\"]\n"));
  EXPECT_THAT(yaml, HasSubstr("x: {type: double, "));
  const CliResult ran = run_with("flags", yaml, {{"checks: []", "checks: [{buffer: x, expected: 7}]"}});
  EXPECT_EQ(ran.code, kExitDone) << yaml << ran.err << ran.out;

  write("other/offset.h", "#define OFFSET 6\n");  // now either may be meant
  const std::string without = draft("flags", text, {"--no-makefile", "--force", "-DREAL=float"});
  EXPECT_THAT(without, HasSubstr("      defines: {REAL: float}\n"));
  EXPECT_THAT(without, Not(HasSubstr("options: ")));
  EXPECT_EQ(kiln({"new", path("flags.cu"), "-o", path("x.yaml"), "-D", "9X"}).code, kExitBadInput);
  EXPECT_EQ(kiln({"new", path("flags.cu"), "-o", path("x.yaml"), "-I", path("nowhere")}).code, kExitBadInput);
}

/// The template itself has no body.
TEST_F(NewCommand, TakesTheArgumentsOfASpecialisation) {
  const std::string yaml = draft("special",
                                 "template <typename T> __global__ void fill(T* x, int n);\n"
                                 "template <> __global__ void fill<double>(double* x, int n) { if "
                                 "(threadIdx.x < n) x[threadIdx.x] = 3; }\n"
                                 "template <> __global__ void fill<float>(float* x, int n) { if (threadIdx.x "
                                 "< n) x[threadIdx.x] = 4; }\n"
                                 "void run(double* x, int n) { fill<double><<<1, 64>>>(x, n); }\n");
  EXPECT_THAT(yaml, HasSubstr("      template_args: [double]\n"));
  EXPECT_THAT(yaml, HasSubstr("x: {type: double, "));
  const CliResult ran = run_with("special", yaml,
                                 {{"n: {type: int, default: 1024}", "n: {type: int, default: 64}"},
                                  {"checks: []", "checks: [{buffer: x, expected: 3}]"}});
  EXPECT_EQ(ran.code, kExitDone) << yaml << ran.err << ran.out;
}

TEST_F(NewCommand, TakesMacrosOfAFileThatTheMakefileIncludes) {
  write("app/Makefile", "include ../common.mk\n-include $(HERE)/absent.mk\nall:\n\tnvcc x.cu\n");
  write("common.mk", "FLAGS = -DWIDTH=8\n");
  write(
      "app/wide.cu",
      "__global__ void k(float* x) { x[threadIdx.x] = WIDTH; }\nint main() { float* x; k<<<1, 8>>>(x); }\n");
  const CliResult drafted = kiln({"new", path("app/wide.cu"), "-o", path("wide.yaml")});
  ASSERT_EQ(drafted.code, kExitDone) << drafted.err;
  EXPECT_THAT(files_->read_file(path("wide.yaml")).value_or(""),
              HasSubstr("# by the build: -DWIDTH of ../common.mk:1\n"));
}

TEST_F(NewCommand, MakesHeadersThatTheBuildConfigures) {
  write("lib/CMakeLists.txt", "project(Lib VERSION 2.1)\nset(LIB_WIDTH 4)\nconfigure_file(x.in x)\n");
  write("lib/include/lib/config.h.in",
        "#pragma once\n#define WIDTH @LIB_WIDTH@\n#cmakedefine LIB_WITH_CUDA\n#cmakedefine01 LIB_EXTRA\n");
  write("lib/src/wide.cu",
        "#include <lib/config.h>\n#ifdef LIB_WITH_CUDA\n"
        "__global__ void k(float* x) { x[threadIdx.x] = WIDTH + LIB_EXTRA; }\n#endif\n"
        "int main() { float* x; k<<<1, 64>>>(x); }\n");
  EXPECT_EQ(kiln({"new", path("lib/src/wide.cu"), "other", "-o", path("wide.yaml")}).code, kExitBadInput);
  EXPECT_FALSE(exists("wide_headers")) << "left without a draft";
  const CliResult drafted = kiln({"new", path("lib/src/wide.cu"), "-o", path("wide.yaml")});
  ASSERT_EQ(drafted.code, kExitDone) << drafted.err;
  EXPECT_THAT(drafted.out, HasSubstr("wrote " + path("wide_headers/lib/config.h") + ", made of "));
  EXPECT_THAT(drafted.out, HasSubstr("; FILL IN: LIB_EXTRA\n"));
  EXPECT_EQ(files_->read_file(path("wide_headers/lib/config.h")).value_or(""),
            "#pragma once\n#define WIDTH 4\n#define LIB_WITH_CUDA\n#define LIB_EXTRA 0  // FILL IN\n");
  EXPECT_THAT(files_->read_file(path("wide.yaml")).value_or(""),
              HasSubstr("      options: [\"-Iwide_headers\"]\n"));
}

TEST_F(NewCommand, TakesWhatTheTextNeedsFromTheCMakeListsAbove) {
  write("p/CMakeLists.txt",
        "project(demo)\nadd_definitions(-DSTEPS=3 -DNOT_NAMED)\nadd_subdirectory(src)\n"
        "include_directories(${PROJECT_SOURCE_DIR}/a/b/c/d/e ${CMAKE_SOURCE_DIR}/unused)\n");
  write("p/unused/none.h", "");
  write("p/a/b/c/d/e/step", "#ifdef SCALED\n#define SCALE 2\n#endif\n");
  write("p/src/CMakeLists.txt",
        "add_executable(other other.cu)\ntarget_compile_definitions(other PRIVATE STEPS=8)\n"
        "add_executable(program program.cu)\ntarget_compile_definitions(program PRIVATE SCALED)\n");
  const std::string text =
      "#include <step>\n"
      "__global__ void fill(int* x) { x[threadIdx.x] = STEPS * SCALE; }\n"
      "int main() {\n  int* x;\n  cudaMalloc(&x, 256);\n  fill<<<1, 64>>>(x);\n}\n";
  EXPECT_EQ(kiln({"new", write("p/src/program.cu", text), "-o", path("p/src/program.yaml")}).code, kExitDone);
  std::string yaml = files_->read_file(path("p/src/program.yaml")).value_or("");
  EXPECT_THAT(
      yaml,
      HasSubstr("      # by the build: -I../a/b/c/d/e of ../CMakeLists.txt:4, -DSCALED of CMakeLists.txt:4, "
                "-DSTEPS of ../CMakeLists.txt:2\n"
                "      defines: {SCALED: 1, STEPS: 3}\n"
                "      options: [\"-I../a/b/c/d/e\"]\n"));
  const std::size_t checks = yaml.find("checks: []");
  ASSERT_NE(checks, std::string::npos) << yaml;
  yaml.replace(checks, 10, "checks: [{buffer: x, expected: 6}]");
  const std::size_t elements = yaml.find("default: 1024");
  ASSERT_NE(elements, std::string::npos) << yaml;
  yaml.replace(elements, 13, "default: 64");  // as many as the kernel writes
  write("p/src/program.yaml", yaml);
  const CliResult ran = kiln({"run", path("p/src/program.yaml"), "--device", "cpu", "--require-checks"});
  EXPECT_EQ(ran.code, kExitDone) << yaml << ran.err;
}

TEST_F(NewCommand, FindsTheHeadersOfOtherSources) {
  write("p/public/math/weight.h", "#pragma once\n__device__ int weight(int x);\n");
  write("p/public/math/twice.h", "#pragma once\n__device__ inline int twice(int x) { return 2 * x; }\n");
  write("p/private/weight.cu",
        "#include \"weight.h\"\n#include \"twice.h\"\n__device__ int weight(int x) { return twice(x); }\n");
  write("p/CMakeLists.txt", "include_directories(public)\n");
  const std::string program = write(
      "p/app/program.cu", "#include \"math/weight.h\"\n__global__ void k(int* x) { *x = weight(*x); }\n");
  EXPECT_EQ(kiln({"new", program, "-o", path("p/app/program.yaml")}).code, kExitDone);
  const std::string yaml = files_->read_file(path("p/app/program.yaml")).value_or("");
  EXPECT_THAT(yaml, HasSubstr("source: [program.cu, ../private/weight.cu]"));
  EXPECT_THAT(yaml, HasSubstr("-I../public/math"));
}

TEST_F(NewCommand, FoldersOfCudaItselfAreNotTaken) {
  write("toolkit/crt/host_defines.h", "");
  write("toolkit/device_launch_parameters.h", "#error the back end has its own\n");
  write("helpers/mine.h", "#define SCALE 3.0f\n");
  write("Makefile", "NVFLAGS = -Itoolkit -Ihelpers\n");
  const std::string yaml = draft("scaled", R"cuda(#include <device_launch_parameters.h>
#include "mine.h"
__global__ void scaled(float* data, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] *= SCALE;
}
)cuda");
  EXPECT_THAT(yaml, HasSubstr("options: [\"-Ihelpers\"]"));
  const CliResult ran = kiln({"run", path("scaled.yaml"), "--device", "cpu"});
  EXPECT_EQ(ran.code, kExitDone) << ran.err;
}

TEST_F(NewCommand, CopiesOfOldToolkitsAreNotTaken) {
  write("include/cuda_runtime_api.h", "#error this one is too old\n");
  write("include/cuda_runtime.h", "#error this one is too old\n");
  const std::string yaml = draft("scaled", R"cuda(#include "cuda_runtime.h"
__global__ void scaled(float* data, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] *= 3.0f;
}
)cuda");
  EXPECT_THAT(yaml, Not(HasSubstr("-Iinclude")));
  const CliResult ran = kiln({"run", path("scaled.yaml"), "--device", "cpu"});
  EXPECT_EQ(ran.code, kExitDone) << ran.err;
}

TEST_F(NewCommand, KernelsOfHeadersThatAreNotLaunchedAreNamedOnly) {
  write("pictures.h", R"cuda(#pragma once
__global__ void to_color(unsigned char* out, const float* in) { out[threadIdx.x] = in[threadIdx.x]; }
__global__ void to_color(uchar4* out, const float* in) { out[threadIdx.x].x = in[threadIdx.x]; }
__global__ void fill(float* out) { out[blockIdx.x * blockDim.x + threadIdx.x] = 1.0f; }
)cuda");
  const std::string text =
      "#include \"pictures.h\"\n__global__ void mine(float* a) { a[threadIdx.x] = 2.0f; }\n"
      "int main() { float* d; cudaMalloc(&d, 4096); fill<<<4, 256>>>(d); mine<<<1, 256>>>(d); }\n";
  const std::string yaml = draft("picture", text);
  EXPECT_THAT(yaml, HasSubstr("  run: [fill, mine]"));
  EXPECT_THAT(yaml, HasSubstr("# kernels of headers that the program does not launch are not in the draft: "
                              "to_color\n"));
  EXPECT_EQ(kiln({"run", path("picture.yaml"), "--device", "cpu"}).code, kExitDone);
  EXPECT_THAT(draft("alone", "#include \"pictures.h\"\n", {"--force"}), HasSubstr("  run: [to_color"));
}

TEST_F(NewCommand, BuffersHoldAnElementForEachWorkItemOfALaunchOfConstants) {
  const std::string yaml = draft("each", R"cuda(
__global__ void each(double* data, float* extra) {
  data[blockIdx.x * blockDim.x + threadIdx.x] = extra != nullptr ? 2.0 : 1.0;
}
int main() {
  double* d;
  cudaMalloc(&d, 8 << 16);
  each<<<dim3(64, 4), 256>>>(d, NULL);
}
)cuda");
  EXPECT_THAT(yaml, HasSubstr("    elements: {type: int, default: 65536, min: 1}"));
  EXPECT_THAT(yaml, HasSubstr("    extra: {type: float, shape: [elements]"));
  EXPECT_EQ(kiln({"validate", path("each.yaml")}).code, kExitDone);
}

TEST_F(NewCommand, MatricesOfAProductHoldAllOfTheirElements) {
  const std::string yaml = draft("product", R"cuda(
__global__ void product(const float* a, const float* b, float* c, int M, int N, int K) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= N || y >= M) return;
  float sum = 0;
  for (int k = 0; k < K; ++k) sum += a[y * K + k] * b[k * N + x];
  c[y * N + x] = sum;
}
int main() {
  float *a, *b, *c;
  product<<<dim3(3, 2), dim3(32, 32)>>>(a, b, c, 64, 96, 128);
}
)cuda");
  EXPECT_THAT(yaml, HasSubstr("    a: {type: float, shape: [\"max(max(M, N), K) * max(max(M, N), K)\"]"));
  EXPECT_EQ(kiln({"run", path("product.yaml"), "--device", "cpu"}).code, kExitDone);
}

TEST_F(NewCommand, AnEnumerationIsANumber) {
  const std::string yaml = draft("modes",
                                 "enum Mode { kAdd, kScale = 4, kBoth };\n"
                                 "enum class Axis : unsigned char { kX, kY };\n"
                                 "typedef enum { SMALL = 1, LARGE } size_kind;\n"
                                 "__global__ void k(float* x, Mode mode, Axis axis, size_kind kind) {\n"
                                 "  x[threadIdx.x] = mode + 10 * (axis == Axis::kY) + 100 * kind;\n}\n"
                                 "int main() {\n  float* x;\n  cudaMalloc(&x, 256);\n"
                                 "  k<<<1, 64>>>(x, kBoth, kY, LARGE);\n}\n");
  EXPECT_THAT(yaml, HasSubstr("    mode: {type: int, default: 5}"));
  EXPECT_THAT(yaml, HasSubstr("    axis: {type: long, default: 1}"));
  EXPECT_THAT(yaml, HasSubstr("    kind: {type: int, default: 2}"));
  EXPECT_THAT(yaml, HasSubstr("args: [x, mode, {value: axis, type: uchar}, kind]"));
  const CliResult ran =
      run_with("modes", yaml, {{"checks: []", "checks: [{buffer: x, region: [[0, 64]], expected: 215}]"}});
  EXPECT_EQ(ran.code, kExitDone) << ran.err;
}

TEST_F(NewCommand, AnEnumerationOfCudasHeadersIsANumber) {
  const std::string yaml = draft(
      "kinds",
      "#include <cuda_fp8.h>\n#include <mma.h>\n"
      "__global__ void widen(float* x, const unsigned char* bits, __nv_fp8_interpretation_t kind,\n"
      "                      nvcuda::wmma::layout_t layout) {\n"
      "  if (layout != nvcuda::wmma::mem_col_major) return;\n  x[threadIdx.x] = "
      "__half2float(__half(__nv_cvt_fp8_to_halfraw(bits[threadIdx.x], kind)));\n}\n"
      "template <__nv_fp8_interpretation_t Kind>\n__global__ void widen_all(float* x) {\n"
      "  x[threadIdx.x] += __half2float(__half(__nv_cvt_fp8_to_halfraw(0x3c, Kind)));\n}\n"
      "int main() {\n  float* x;\n  unsigned char* bits;\n  cudaMalloc(&x, 256);\n  cudaMalloc(&bits, 64);\n"
      "  widen<<<1, 64>>>(x, bits, __NV_E5M2, nvcuda::wmma::mem_col_major);\n  widen_all<__NV_E5M2><<<1, "
      "64>>>(x);\n}\n");
  EXPECT_THAT(yaml, HasSubstr("    kind: {type: int, default: 1}"));
  EXPECT_THAT(yaml, HasSubstr("    layout: {type: int, default: 1}"));
  // 0x3c is 1 in e5m2 and 1.5 in e4m3.
  const CliResult ran = run_with("kinds", yaml,
                                 {{"checks: []", "checks: [{buffer: x, region: [[0, 64]], expected: 2}]"},
                                  {"init: {uniform: [0, 16]}", "init: 60"}});
  EXPECT_EQ(ran.code, kExitDone) << yaml << ran.err;
}

TEST_F(NewCommand, TemplateArgumentsAreFoundThroughTemplatesAroundTheLaunch) {
  const std::string yaml =
      draft("around",
            "template <typename T, int N>\n__global__ void add(T* x, const T* y, int n) {\n"
            "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) x[i] += y[i] * T(N);\n}\n"
            "template <typename V>\n__global__ void scale(V* v, V by) { v[threadIdx.x] *= by; }\n"
            "template <typename Real, int Factor>\nvoid launch(Real* x, const Real* y, int n) {\n"
            "  add<Real, Factor><<<n / 64, 64>>>(x, y, n);\n  scale<<<1, 64>>>(x, Real(2));\n}\n"
            "template <class Value>\nstruct Solver {\n  Value* data;\n"
            "  void run() { launch<Value, 3>(data, data, 128); }\n};\n"
            "int main() {\n  using number = double;\n  Solver<number> solver;\n  solver.run();\n}\n");
  EXPECT_THAT(yaml, HasSubstr("    T: {type: type, default: double}\n"));
  EXPECT_THAT(yaml, HasSubstr("    V: {type: type, default: double}\n"));
  EXPECT_THAT(yaml, HasSubstr("template_args: [T, 3]\n"));
  EXPECT_EQ(kiln({"validate", path("around.yaml")}).code, kExitDone);
}

TEST_F(NewCommand, LaunchesInMacrosAreFound) {
  const std::string yaml =
      draft("macros",
            "enum Mode { kPlain, kDouble };\n"
            "template <typename T, Mode mode, typename IndexType>\n"
            "__global__ void store(T* x, IndexType n) { if (threadIdx.x < n) x[threadIdx.x] = mode == "
            "kDouble ? 2 : 1; }\n"
            "#define LAUNCH(T, threads, ...) \\\n  store<T, __VA_ARGS__><<<1, threads>>>(data_##T, 64)\n"
            "#define BOTH(T) LAUNCH(T, 96, kDouble, int); LAUNCH(T, 96, kPlain, int)\n"
            "int main() { float* data_float = nullptr; BOTH(float); }\n");
  EXPECT_THAT(yaml, HasSubstr("template_args: [T, kDouble, IndexType]  # mode also kPlain\n"));
  EXPECT_THAT(yaml, HasSubstr("    IndexType: {type: type, default: int}"));
  EXPECT_THAT(yaml, HasSubstr("block: [96]"));
  EXPECT_THAT(yaml, HasSubstr("data_float: {type: T"));
  const CliResult ran = run_with(
      "macros", yaml, {{"checks: []", "checks: [{buffer: data_float, region: [[0, 1]], expected: 2}]"}});
  EXPECT_EQ(ran.code, kExitDone) << ran.err;
}

TEST_F(NewCommand, MacrosWithArgumentsStandForParameters) {
  write("parameters.h",
        "#define IN(T, name) const T* const __restrict__ name\n"
        "#define FIRST(T) const int n, IN(T, a), \\\n  IN(T, b),\n#define VECTOR(T) T##2\n");
  const std::string yaml = draft(
      "parameters",
      "#include \"parameters.h\"\ntemplate <typename T> __global__ void add(\n  FIRST(T)\n"
      "  IN(int,\n     shift), VECTOR(float) pair, T* out) {\n"
      "  if (threadIdx.x < n) out[threadIdx.x] = a[threadIdx.x] + b[threadIdx.x] + shift[0] + pair.y;\n}\n"
      "int main() { double *x, *y, *z; int* s; add<double><<<1, 64>>>(64, x, y, s, make_float2(1, 2), z); "
      "}\n");
  EXPECT_THAT(yaml, HasSubstr("args: [n, x, y, s, "));
  EXPECT_THAT(yaml, HasSubstr("    s: {type: int"));
  EXPECT_THAT(yaml, HasSubstr("    y: {type: T"));
  EXPECT_EQ(kiln({"validate", path("parameters.yaml")}).code, kExitDone);
}

TEST_F(NewCommand, OverloadsAreChosenByTheirParameters) {
  const std::string yaml =
      draft("over",
            "__global__ void set(float* x, int n) { if (threadIdx.x < n) x[threadIdx.x] = 1; }\n"
            "__global__ void set(const double* __restrict__ from, double* x, int m = 4) { x[0] = 2 + m; }\n"
            "#ifdef NEVER\n__global__ void once(float* x) { *x = 5; }\n#else\n"
            "__global__ void once(float* x, int n) { x[n] = 6; }\n#endif\n"
            "int main() { float* a; double *b, *c; set<<<1, 32>>>(a, 32); set<<<1, 1>>>(b, c, 4); once<<<1, "
            "1>>>(a, 33); }\n");
  EXPECT_THAT(yaml, HasSubstr("entry: \"set(float *, int)\"\n"));
  EXPECT_THAT(yaml, HasSubstr("entry: \"set(const double *, double *, int)\"\n"));
  EXPECT_THAT(yaml, Not(HasSubstr("entry: \"once")));
  const CliResult ran = run_with("over", yaml,
                                 {{"run: [set, set_, once]", "run: [set, set_]"},
                                  {"checks: []",
                                   "checks: [{buffer: a, region: [[0, 32]], expected: 1}, "
                                   "{buffer: c, region: [[0, 1]], expected: 6}]"}});
  EXPECT_EQ(ran.code, kExitDone) << ran.err;
  const std::string other = write("other.yaml",
                                  "workload:\n  workload: other\n  buffers: {x: {type: float, shape: [4]}}\n"
                                  "  kernels: {k: {source: over.cu, entry: \"set(float*, long)\", grid: [1], "
                                  "block: [1], args: [x, {value: 4, type: long}]}}\n"
                                  "  run: [k]\n");
  const CliResult none = kiln({"run", other, "--device", "cpu"});
  EXPECT_EQ(none.code, kExitBadInput);
  EXPECT_THAT(
      none.err,
      HasSubstr(
          "no kernel 'set(float *, long)'; there is set(const double *, double *, int), set(float *, int)"));
}

TEST_F(NewCommand, ClassTemplatesByValueHaveAForm) {
  const std::string yaml =
      draft("dims",
            "#include <utility>\n#define BOUNDS(n) __launch_bounds__(n)\n"
            "template <typename I, int N = 2>\nstruct Dims { I size[N]; float* data; };\n"
            "__global__ void BOUNDS(64) fill(Dims<int> dims, std::pair<unsigned, short> more) {\n"
            "  dims.data[0] = dims.size[0] * 10 + dims.size[1] + more.first * 100 + more.second;\n}\n"
            "int main() { fill<<<1, 1>>>(Dims<int>(), {}); }\n");
  EXPECT_THAT(yaml, HasSubstr("    fill:\n"));
  EXPECT_THAT(
      yaml,
      HasSubstr("{struct: [{value: elements, type: int}, {value: elements, type: int}, data]}, {struct: "
                "[{value: 0, type: unsigned}, {value: 0, type: short}]}"));
  const CliResult ran =
      run_with("dims", yaml,
               {{"{value: elements, type: int}, {value: elements, type: int}",
                 "{value: 1, type: int}, {value: 2, type: int}"},
                {"{value: 0, type: unsigned}, {value: 0, type: short}",
                 "{value: 5, type: unsigned}, {value: 3, type: short}"},
                {"checks: []", "checks: [{buffer: data, region: [[0, 1]], expected: 515}]"}});
  EXPECT_EQ(ran.code, kExitDone) << ran.err;
}

TEST_F(NewCommand, CooperativeLaunchesAreFound) {
  const std::string yaml =
      draft("grid",
            "#include <cooperative_groups.h>\nnamespace cg = cooperative_groups;\n"
            "template <int N>\n__global__ void turn(int* x, int* y) {\n"
            "  const int i = blockIdx.x * N + threadIdx.x;\n  x[i] = i;\n  cg::this_grid().sync();\n"
            "  y[i] = x[N * gridDim.x - 1 - i];\n}\n"
            "int main() {\n  int *x, *y;\n  void* args[] = {&x, &y};\n"
            "  cudaLaunchCooperativeKernel((void*)turn<64>, dim3(4), dim3(64), args, 0, 0);\n}\n");
  EXPECT_THAT(yaml, HasSubstr("cooperative: true\n"));
  EXPECT_THAT(yaml, HasSubstr("template_args: [64]\n"));
  EXPECT_THAT(yaml, HasSubstr("grid: [4]"));
  const CliResult ran =
      run_with("grid", yaml, {{"checks: []", "checks: [{buffer: y, region: [[0, 1]], expected: 255}]"}});
  EXPECT_EQ(ran.code, kExitDone) << ran.err;
}

TEST_F(NewCommand, LaunchesByTheRuntimeHaveArguments) {
  const std::string yaml = draft(
      "scaled",
      "template <int N>\n__global__ void scale(float* out, const float* in, float factor, int count) {\n"
      "  const int i = blockIdx.x * N + threadIdx.x;\n  if (i < count) out[i] = factor * in[i];\n}\n"
      "int main() {\n  int n = 500;\n  float f = 2.5f;\n  float *x, *y;\n"
      "  cudaMalloc(&x, n * sizeof(float));\n  cudaMalloc(&y, n * sizeof(float));\n"
      "  void* args[] = {&y, (void*)&x, reinterpret_cast<void*>(&f), &n};\n"
      "  cudaLaunchKernel((const void*)&scale<128>, dim3((n + 127) / 128), dim3(128), args, 0, 0);\n}\n");
  EXPECT_THAT(yaml, HasSubstr("factor: {type: float, default: 2.5}"));
  EXPECT_THAT(yaml, HasSubstr("count: {type: int, default: 500}"));
  EXPECT_THAT(yaml, HasSubstr("template_args: [128]\n"));
  EXPECT_THAT(yaml, HasSubstr("block: [128]"));
  EXPECT_THAT(yaml, HasSubstr("y: {type: float, shape: [count]"));
  EXPECT_EQ(kiln({"validate", path("scaled.yaml")}).code, kExitDone);
}

TEST_F(NewCommand, LaunchesWithAConfigurationHaveClusters) {
  const std::string kernel =
      "#include <cooperative_groups.h>\nnamespace cg = cooperative_groups;\n"
      "__global__ void next(int* out, int n) {\n  __shared__ int s[64];\n  auto c = cg::this_cluster();\n"
      "  const int size = c.num_blocks();\n  s[threadIdx.x] = blockIdx.x;\n  c.sync();\n"
      "  out[blockIdx.x * 64 + threadIdx.x] = c.map_shared_rank(s, size - 1)[threadIdx.x];\n"
      "  c.sync();\n}\n";
  const std::string host =
      "int main() {\n  int* out;\n  int n = 512, size = 4;\n  cudaMalloc(&out, n * sizeof(int));\n";
  const std::string attributes =
      "  cudaLaunchAttribute attribute[1];\n  attribute[0].id = cudaLaunchAttributeClusterDimension;\n"
      "  attribute[0].val.clusterDim.x = size;\n  attribute[0].val.clusterDim.y = 1;\n"
      "  attribute[0].val.clusterDim.z = 1;\n";
  const std::string set = host + "  cudaLaunchConfig_t config = {0};\n  config.gridDim = n / 64;\n" +
                          "  config.blockDim = dim3(64);\n" + attributes +
                          "  config.attrs = attribute;\n  config.numAttrs = 1;\n"
                          "  cudaLaunchKernelEx(&config, next, out, n);\n}\n";
  const std::string listed =
      host + attributes +
      "  cudaLaunchConfig_t config = {dim3(n / 64), dim3(64), 0, nullptr, attribute, 1};\n"
      "  void* args[] = {&out, &n};\n"
      "  cudaLaunchKernelExC(&config, (void*)next, args);\n}\n";
  const std::string named = host + attributes +
                            "  cudaLaunchConfig_t config{.gridDim = dim3(n / 64), .blockDim = dim3(64), "
                            ".attrs = attribute, .numAttrs = 1};\n"
                            "  cudaLaunchKernelEx(&config, next, out, n);\n}\n";
  const std::string two =
      host + attributes +
      "  cudaLaunchConfig_t config = {dim3(n / 64), dim3(64), 0, nullptr, attribute, 1}, other = {0};\n"
      "  other.gridDim = 7;\n  other.blockDim = 32;\n  cudaLaunchAttribute more[1];\n"
      "  more[0].val.clusterDim.x = 7;\n  other.attrs = more;\n"
      "  cudaLaunchKernelEx(&config, next, out, n);\n}\n";
  int number = 0;
  for (const std::string& program : {set, listed, named, two}) {
    const std::string name = "ex" + std::to_string(++number);
    const std::string yaml = draft(name, kernel + program);
    EXPECT_THAT(yaml, HasSubstr("cluster: [4]")) << program;
    EXPECT_THAT(yaml, HasSubstr("block: [64]")) << program;
    EXPECT_THAT(yaml, HasSubstr("grid: [\"max(1, n // 64)\"]")) << program;
    const CliResult ran =
        run_with(name, yaml, {{"checks: []", "checks: [{buffer: out, region: [[0, 1]], expected: 3}]"}});
    EXPECT_EQ(ran.code, kExitDone) << ran.err << yaml;
  }
}

TEST_F(NewCommand, AGridDividesByNoZero) {
  const std::string yaml = draft(
      "rows",
      "__global__ void k(float* x, int group, int rows) { if (blockIdx.x == 0) x[threadIdx.x] = rows; }\n"
      "int main(int argc, char**) {\n  int group = argc, rows = 100;\n  const int each = 256 / group;\n  "
      "float* x;\n"
      "  k<<<(rows + each - 1) / each, 64>>>(x, group, rows);\n}\n");
  EXPECT_THAT(yaml, HasSubstr("max(1, (256 // "));
  EXPECT_EQ(kiln({"validate", path("rows.yaml")}).code, kExitDone);
}

TEST_F(NewCommand, TakesTheKernelsThatAreAskedFor) {
  const std::string text = "__global__ void a(float* x, int n) {}\n__global__ void b(double* y) {}\n";
  const std::string yaml = draft("two", text, {"b"});
  EXPECT_THAT(yaml, HasSubstr("    b:\n"));
  EXPECT_THAT(yaml, Not(HasSubstr("    a:\n")));
  EXPECT_EQ(kiln({"validate", path("two.yaml")}).code, kExitDone);
}

TEST_F(NewCommand, NeverReplacesAFileUnlessItIsTold) {
  draft("saxpy", kSaxpy);
  const CliResult again = kiln({"new", path("saxpy.cu"), "-o", path("saxpy.yaml")});
  EXPECT_EQ(again.code, kExitBadInput);
  EXPECT_THAT(again.err, HasSubstr("exists already; --force replaces it"));
  EXPECT_EQ(kiln({"new", path("saxpy.cu"), "-o", path("saxpy.yaml"), "--force"}).code, kExitDone);
}

TEST_F(NewCommand, SaysWhatIsWrongWithItsInput) {
  EXPECT_THAT(kiln({"new"}).err, HasSubstr("the file with the kernels is missing"));
  EXPECT_EQ(kiln({"new", path("nothing.cu")}).code, kExitBadInput);
  const std::string host = write("host.cu", "int main() { return 0; }\n");
  const CliResult none = kiln({"new", host, "-o", path("host.yaml")});
  EXPECT_EQ(none.code, kExitBadInput);
  EXPECT_THAT(none.err, HasSubstr("host.cu: no kernel"));
  const std::string saxpy = write("saxpy.cu", kSaxpy);
  EXPECT_THAT(kiln({"new", saxpy, "saxpi", "-o", path("x.yaml")}).err,
              HasSubstr("no kernel 'saxpi'; did you mean 'saxpy'"));
  const std::string odd = write("odd.cu", "\n__global__ void k(float*** rows) { rows[0][0][0] = 1; }\n");
  EXPECT_THAT(kiln({"new", odd, "-o", path("odd.yaml")}).err, HasSubstr("odd.cu:2:1: "));
  EXPECT_FALSE(exists("odd.yaml"));
}

}  // namespace
}  // namespace kiln
