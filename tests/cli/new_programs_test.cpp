// Drafts of programs whose kernels take objects, stand in conditionals or need other files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <array>

#include "cli/draft_fixture.h"

namespace kiln {
namespace {

using test::CliResult;
using testing::HasSubstr;
using testing::Not;

class NewPrograms : public test::DraftTest {};

TEST_F(NewPrograms, FunctionObjectsWithMembersArePassed) {
  const std::string yaml = draft(R"cuda(
struct Put {
  __device__ Put(double k) : strike(k) {}
  __device__ double operator()(double s) const { return max(strike - s, 0.0); }
  double strike;
};
template <int N, class Payoff>
__global__ void pay(Payoff payoff, double* out) { out[threadIdx.x] = payoff(threadIdx.x); }
template <class Payoff>
void run(const Payoff& payoff, double* out) { pay<8><<<1, 8>>>(payoff, out); }
int main() { double* out; cudaMalloc(&out, 8 * sizeof(double)); run(Put(5.0), out); }
)cuda");
  EXPECT_THAT(yaml, HasSubstr("template_args: [8, Put]"));
  const CliResult ran =
      run_with(yaml, {{"{struct: [{value: 0, type: double}]}", "{struct: [{value: 5, type: double}]}"},
                      {"checks: []", "checks: [{buffer: out, region: [[2, 3]], expected: 3}]"}});
  EXPECT_EQ(ran.code, kExitDone) << ran.err << ran.out;
}

/// Where a template of the host passes them on, too: the captured variables are members of a class.
TEST_F(NewPrograms, LambdasOfTheHostArePassed) {
  const std::string kernel = R"cuda(
template <class F> __global__ void apply(int n, F f) { if (threadIdx.x < n) f(threadIdx.x); }
namespace app {
template <class F> void launch(int n, F&& f) { apply<<<1, 64>>>(n, f); }
template <class T> void scale(T* x, const T* y, T a, int n) {
  const int kTimes = 2;
  launch(n, [=] __device__(int i) {
    for (int k = 0; k < kTimes; ++k) x[i] += y[i] * a;
  });
}
}
)cuda";
  const std::string yaml = draft(kernel +
                                 "int main() { double *x, *y; int n = 60; cudaMalloc(&x, n * sizeof(double));"
                                 " cudaMalloc(&y, n * sizeof(double)); app::scale(x, y, 3.0, n); }\n");
  EXPECT_THAT(yaml, HasSubstr("template_args: [\"app::kiln_lambda_1<double>\"]  # kiln_lambda_1: line 7"));
  EXPECT_THAT(yaml, HasSubstr("args: [n, {struct: [x, y, {value: 0, type: double}]}]"));
  const CliResult ran =
      run_with(yaml, {{"{value: 0, type: double}", "{value: 3, type: double}"},
                      {"checks: []", "checks: [{buffer: x, region: [[0, 60]], expected: 6}]"},
                      {"{uniform: [0, 1]}", "1"}});
  EXPECT_EQ(ran.code, kExitDone) << ran.err << ran.out;
  // None that is passed has a form: the draft says why.
  const std::string refers =
      kernel + "int main() { float r; app::launch(4, [&] __device__(int i) { r = i; }); }\n";
  const CliResult left = kiln({"new", write("refers.cu", refers), "-o", path("refers.yaml")});
  EXPECT_EQ(left.code, kExitBadInput);
  EXPECT_THAT(left.err, HasSubstr("the lambda of line 12 captures by reference"));
}

/// With shuffles, which the CPU's kernels must show.
TEST_F(NewPrograms, KernelsAndLaunchesThatMacrosDefine) {
  const std::string yaml = draft(R"cuda(
#define WARP_SUM(T)                                                            \
  __device__ T sum_of_warp(T v) {                                              \
    for (int i = 16; i > 0; i /= 2) v += __shfl_xor_sync(0xffffffff, v, i);    \
    return v;                                                                  \
  }
WARP_SUM(float)
WARP_SUM(int)
#define SUM(T, suffix)                                                         \
  extern "C" __global__ void sum_##suffix(const T* x, T* y, int n) {           \
    const T v = sum_of_warp(threadIdx.x < n ? x[threadIdx.x] : T(0));          \
    if (threadIdx.x % 32 == 0) atomicAdd(y, v);                                \
  }
SUM(float, f32)
SUM(int, i32)
#define LAUNCH(T, suffix) \
  void run_##suffix(const T* x, T* y, int n) { sum_##suffix<<<1, 64>>>(x, y, n); }
LAUNCH(float, f32)
LAUNCH(int, i32)
)cuda");
  EXPECT_THAT(yaml, HasSubstr("run: [sum_f32, sum_i32]"));
  EXPECT_THAT(yaml, HasSubstr("block: [64]  # line 19"));
  const CliResult one = kiln({"new", path("program.cu"), "sum_i32", "-o", path("program.yaml"), "--force"});
  ASSERT_EQ(one.code, kExitDone) << one.err;
  const CliResult ran = run_with(files_->read_file(path("program.yaml")).value_or(""),
                                 {{"shape: [n], init: {uniform: [0, 16]}", "shape: [64], init: 3"},
                                  {"y: {type: int, shape: [n]", "y: {type: int, shape: [1]"},
                                  {"default: 1024", "default: 64"},
                                  {"checks: []", "checks: [{buffer: y, expected: 192}]"}});
  EXPECT_EQ(ran.code, kExitDone) << ran.err << ran.out;
}

TEST_F(NewPrograms, TypesOfLeftOutLibrariesAreDeclared) {
  const std::string yaml = draft(R"cuda(
#include <opencv2/opencv.hpp>
#include <torch/extension.h>
#include <thrust/sort.h>
#include <CImg.h>
using namespace thrust;
using at::Half;
struct Image {
  uchar* data;
  Image(const cimg_library::CImg<uchar>& other);
};
__global__ void convert(const uchar* in, Half* out, float* least, int n) {
  if (threadIdx.x < n) out[threadIdx.x] = __float2half(2.0f * in[threadIdx.x]);
  float word;
  std::memset(&word, 0, sizeof(word));
  least[0] = word - FLT_MAX;
}
int main() {
  cv::Mat image = cv::imread("a.png");
  uchar* in;
  Half* out;
  float* least;
  convert<<<1, 64>>>(in, out, least, 64);
}
)cuda");
  EXPECT_THAT(yaml, HasSubstr("out: {type: half, shape: [n]"));
  const CliResult ran = run_with(
      yaml,
      {{"in: {type: uchar, shape: [n], init: {uniform: [0, 16]}}", "in: {type: uchar, shape: [n], init: 3}"},
       {"checks: []",
        "checks: [{buffer: out, region: [[0, 64]], expected: 6}, "
        "{buffer: least, region: [[0, 1]], expected: -3.4028234663852886e38}]"}});
  EXPECT_EQ(ran.code, kExitDone) << yaml << ran.err << ran.out;
}

/// PyTorch is not there: its accessors of tensors are passed as addresses, sizes and strides.
TEST_F(NewPrograms, AccessorsOfTensorsArePassed) {
  const std::string yaml = draft(R"cuda(
#include <torch/extension.h>
#include <c10/macros/Macros.h>
template <typename scalar_t>
__device__ scalar_t sum_of(const torch::TensorAccessor<scalar_t, 1, torch::RestrictPtrTraits, int32_t> row) {
  at::acc_type<scalar_t, true> sum = 0;
  for (int i = 0; i < row.size(0); ++i) sum += row[i];
  return sum;
}
template <typename scalar_t>
__global__ void C10_LAUNCH_BOUNDS_1(256)
sum_rows(const torch::PackedTensorAccessor32<scalar_t, 2, torch::RestrictPtrTraits> in,
         at::PackedTensorAccessor64<scalar_t, 1> out) {
  CUDA_KERNEL_LOOP(row, in.size(0)) {
    out[row] = sum_of<scalar_t>(in[row]);
    gpuAtomicAdd(out.data() + out.stride(0) * row, in[row][1]);
  }
}
torch::Tensor sums(torch::Tensor in) {
  auto out = torch::zeros({in.size(0)}, in.options());
  AT_DISPATCH_FLOATING_TYPES(in.scalar_type(), "sums", ([&] {
    sum_rows<scalar_t><<<1, 64>>>(in.packed_accessor32<scalar_t, 2, torch::RestrictPtrTraits>(),
                                  out.packed_accessor64<scalar_t, 1>());
  }));
  return out;
}
)cuda");
  const std::string sizes = "{value: 0, type: int}", none = ", " + sizes;
  ASSERT_THAT(yaml, HasSubstr("args: [{struct: [in_data_, " + sizes + none + none + none +
                              "]}, {struct: [out_data_, {value: 0, type: long}, {value: 0, type: long}]}]"));
  const CliResult ran =
      run_with(yaml, {{"[in_data_, " + sizes + none + none + none + "]",  // 4 rows of 3, 16 apart
                       "[in_data_, {value: 4, type: int}, {value: 3, type: int}, {value: 16, type: int}, "
                       "{value: 1, type: int}]"},
                      {"[out_data_, {value: 0, type: long}, {value: 0, type: long}]",
                       "[out_data_, {value: 4, type: long}, {value: 2, type: long}]"},
                      {"in_data_: {type: scalar_t, shape: [elements], init: 0}",
                       "in_data_: {type: scalar_t, shape: [elements], init: 2}"},
                      {"out_data_: {type: scalar_t, shape: [elements], init: 0}",
                       "out_data_: {type: scalar_t, shape: [4, 2], init: 1}"},
                      {"checks: []",
                       "checks: [{buffer: out_data_, region: [[0, 4], [0, 1]], expected: 8}, "
                       "{buffer: out_data_, region: [[0, 4], [1, 2]], expected: 1}]"}});
  EXPECT_EQ(ran.code, kExitDone) << yaml << ran.err << ran.out;
}

/// What a header's template calls is no class of the program that happens to have an operator.
TEST_F(NewPrograms, TemplatesOfHeadersForClassesThatNothingShowsAreLeftOut) {
  write("each.h", R"cuda(#pragma once
#include <third_party/json/json.hpp>
struct Hash {
  nlohmann::json settings;
  size_t operator()(const std::string& text) const;
};
template <class F> __global__ void apply(int n, F f) { if (threadIdx.x < n) f(threadIdx.x); }
template <class Random> __global__ void noise(float* x, Random random) { x[threadIdx.x] = random.next(); }
__global__ void clear(float* x) { x[threadIdx.x] = 0; }
template <class F> void for_each(cudaStream_t stream, int n, F f, int times = 1) {
  apply<<<1, 64, 0, stream>>>(n, f);
}
template <class F> void for_each(int n, F f) { for_each(nullptr, n, f); }
template <class Random> void fill(cudaStream_t stream, Random& random, float* x, size_t n, float least = 0) {
  noise<<<1, 64, 0, stream>>>(x, random);
}
template <class Random> void fill(Random& random, float* x, size_t n, float least = 0) {
  fill(nullptr, random, x, n, least);
}
inline void zero(float* x, size_t n) { for_each(n, [=] __device__(int i) { x[i] = 0; }); }
template <class Model> void start(Model& model, float* x, size_t n) { fill(model.random, x, n, -1.0f); }
template <class T> void train(T& model) { start(model, nullptr, 64); }
)cuda");
  const std::string rest = R"cuda(#include "each.h"
__global__ void scale(float* x) { x[threadIdx.x] *= 2; }
template <class T> void run(T& model, float* x) { scale<<<1, 64>>>(x); zero(x, 64); train(model); }
int main() { float* x; cudaMalloc(&x, 256); Models models; run(models[0], x); }
)cuda";
  EXPECT_THAT(draft(rest), HasSubstr("run: [scale]"));
  EXPECT_THAT(said_, HasSubstr("templates of headers for classes that the program does not show are not in "
                               "the draft: apply, noise"));
  EXPECT_EQ(kiln({"compile", path("program.yaml")}).code, kExitDone);
  // Without a kernel of its own the program gets the header's kernels that need no class.
  EXPECT_THAT(draft("#include \"each.h\"\nvoid all(float* x) { zero(x, 64); train(*models); }\n"),
              HasSubstr("run: [clear]"));
  EXPECT_EQ(kiln({"compile", path("program.yaml")}).code, kExitDone);
}

TEST_F(NewPrograms, KernelsArePassedOnByVariables) {
  const std::string yaml = draft(R"cuda(
template <int N, class T>
__global__ void fill(T* out) {
  static_assert(N % 16 == 0);
  out[threadIdx.x] = N;
}
template <int N>
__global__ void other(int* out) {
  static_assert(N == 48);
  out[threadIdx.x] = N;
}
template <class Kernel, class... Arguments>
void launch(Kernel* kernel, int blocks, int size, Arguments... arguments) {
  kernel<<<blocks, size>>>(arguments...);
}
int main() {
  float* out;
  int* whole;
  const int kSize = 32;
  auto kernel = fill<kSize, float>;
  launch(kernel, 1, kSize, out);
  auto* second = &other<48>;
  second<<<2, 64>>>(whole);
}
)cuda");
  EXPECT_THAT(yaml, HasSubstr("template_args: [32, T]"));
  EXPECT_THAT(yaml, HasSubstr("template_args: [48]"));
  EXPECT_THAT(yaml, HasSubstr("args: [whole]"));
  const CliResult ran =
      run_with(yaml, {{"checks: []", "checks: [{buffer: out, region: [[0, 1]], expected: 32}]"}});
  EXPECT_EQ(ran.code, kExitDone) << yaml << ran.err << ran.out;
}

TEST_F(NewPrograms, SpecialisationsAreNoKernelsOfTheirOwn) {
  const std::string yaml = draft(R"cuda(
template <class T>
__global__ void twice(T* in, T* out) { out[threadIdx.x] = 2 * in[threadIdx.x]; }
template <>
__global__ void twice(int* in, int* out) { out[threadIdx.x] = in[threadIdx.x] << 1; }
int main() {
  int *a, *b;
  twice<<<1, 64>>>(a, b);
}
)cuda");
  EXPECT_THAT(yaml, HasSubstr("T: {type: type, default: int}"));
  EXPECT_THAT(yaml, Not(HasSubstr("twice_")));
  const CliResult ran =
      run_with(yaml, {{"a: {type: T, shape: [elements], init: {uniform: [0, 1]}}",
                       "a: {type: T, shape: [elements], init: 4}"},
                      {"checks: []", "checks: [{buffer: b, region: [[0, 64]], expected: 8}]"}});
  EXPECT_EQ(ran.code, kExitDone) << yaml << ran.err << ran.out;
}

TEST_F(NewPrograms, KernelsMayBeCalledLikeFunctionsOfCuda) {
  const std::string yaml = draft(
      "__global__ void norm(float* a, int n) { if (threadIdx.x < n) a[threadIdx.x] = 3; }\n"
      "__global__ void exp(float* b, int n) { if (threadIdx.x < n) b[threadIdx.x] = 4; }\n"
      "int main() { float *a, *b; norm<<<1, 64>>>(a, 64); exp<<<1, 64>>>(b, 64); }\n");
  const CliResult ran = run_with(yaml, {{"checks: []",
                                         "checks: [{buffer: a, region: [[0, 64]], expected: 3}, "
                                         "{buffer: b, region: [[0, 64]], expected: 4}]"}});
  EXPECT_EQ(ran.code, kExitDone) << yaml << ran.err << ran.out;
}

TEST_F(NewPrograms, TensorMapsArePassed) {
  const std::string yaml = draft(
      "#include <cuda.h>\n#include <cuda_bf16.h>\n"
      "__global__ void copy(const __grid_constant__ CUtensorMap in, __nv_bfloat16* out, int n) { out[0] = 1; "
      "}\n"
      "int main() { CUtensorMap map; __nv_bfloat16* out; copy<<<1, 64>>>(map, out, 64); }\n");
  EXPECT_THAT(yaml, HasSubstr("args: [{tensor_map: in, box: [64, 64]}, out, n]"));
  EXPECT_THAT(yaml, HasSubstr("in: {type: bfloat16, shape: [256, 256], init: {uniform: [0, 1]}}"));
  EXPECT_EQ(kiln({"validate", path("program.yaml")}).code, kExitDone);
}

TEST_F(NewPrograms, ManyMembersThatAreAlikeAreCounted) {
  const std::string yaml = draft(
      "template <class I> struct Table { I bits[3]; float all[900]; int* at[20]; };\n"
      "template <class I> __global__ void read(Table<I> t, float* out) { out[0] = t.all[899] + t.bits[2]; }\n"
      "int main() { Table<int> t; float* out; read<int><<<1, 1>>>(t, out); }\n");
  EXPECT_THAT(yaml, HasSubstr("{value: 0, type: float, count: 900}"));
  EXPECT_THAT(yaml, HasSubstr("{buffer: at, count: 20}"));
  const CliResult ran =
      run_with(yaml, {{"type: float, count: 900}", "type: float, count: 899}, {value: 7, type: float}"},
                      {"checks: []", "checks: [{buffer: out, region: [[0, 1]], expected: 7}]"}});
  EXPECT_EQ(ran.code, kExitDone) << ran.err << ran.out;
}

TEST_F(NewPrograms, PointersToObjectsAndArraysOfPointersArePassed) {
  const std::string yaml = draft(
      "struct Job { void (*done)(); int size; };\n"
      "__global__ void count(Job** jobs, float* c[], int n) {\n"
      "  if (threadIdx.x < n) { jobs[threadIdx.x]->size += 1; c[threadIdx.x][0] = 2; }\n}\n"
      "int main() { count<<<1, 8>>>(0, 0, 8); }\n");
  EXPECT_THAT(yaml, HasSubstr("args: [{pointers: jobs}, {pointers: c}, n]"));
  EXPECT_THAT(yaml, HasSubstr("jobs: {type: uchar, shape: [n, 64], init: 0}"));
  EXPECT_THAT(yaml, HasSubstr("c: {type: float, shape: [n, n]"));
  const CliResult ran =
      run_with(yaml, {{"checks: []", "checks: [{buffer: jobs, region: [[1, 2], [8, 9]], expected: 1}]"}});
  EXPECT_EQ(ran.code, kExitDone) << ran.err << ran.out;
}

TEST_F(NewPrograms, ExtentsOfANamespaceAndIntegersOfTheCLibraryAreKnown) {
  const std::string yaml = draft(
      "namespace consts { constexpr int dims = 2; }\nstruct Photons { double* x[consts::dims]; double* w; "
      "};\n"
      "using word = __uint32_t;\n"
      "__global__ void k(struct Photons p, word n) { p.x[1][0] = n; p.w[0] = p.x[0][0]; }\n"
      "int main() { Photons p; k<<<1, 1>>>(p, 3); }\n");
  EXPECT_THAT(yaml, HasSubstr("args: [{struct: [x_0, x_1, w]}, n]"));
}

TEST_F(NewPrograms, ObjectsThatAKernelPassesOnAreClassesThatFunctionsCallLikeThat) {
  const std::string text = R"cuda(
namespace ops {
template <class T> struct Pair { T a, b; };
template <class T> struct Join { __device__ Pair<T> operator()(T a, T b, T c) const { return {a, b + c}; } };
template <class T> struct Sum { template <class U> __device__ T operator()(T a, U b) const { return a + b; } };
template <class T> struct Weigh { __device__ T operator()(T a, T b, T c) const { return a * b + c; } };
struct Twice { __device__ float operator()(float a) const { return 2 * a; } };
}
template <class V, class Op> __device__ V both(V a, V b, Op op) { return op(a, b); }
template <class V, class F, class G, class H> __device__ V all(const V* x, const F& f, G g, H&& h) {
  return both(f(x[0], x[1], x[2]), h(x[3]), g);
}
template <class V, class F, class G, class H> __global__ void fold(V* out, const V* x, F f, G g, H h) {
  out[threadIdx.x] = all<V>(x, f, g, h);
}
)cuda";
  EXPECT_EQ(kiln({"new", write("ops.cuh", text), "fold", "-o", path("ops.yaml")}).code, kExitDone);
  const std::string yaml = files_->read_file(path("ops.yaml")).value_or("");
  EXPECT_THAT(yaml,
              HasSubstr("template_args: [V, \"ops::Weigh<float>\", \"ops::Sum<float>\", \"ops::Twice\"]"));
  const std::string x = "x: {type: V, shape: [elements], init: ";
  const CliResult ran =
      run_with(yaml, {{x + "{uniform: [0, 1]}}", x + "3}"},
                      {"checks: []", "checks: [{buffer: out, region: [[0, 32]], expected: 18}]"}});
  EXPECT_EQ(ran.code, kExitDone) << yaml << ran.err << ran.out;
}

TEST_F(NewPrograms, PacksOfTemplatesHaveAsManyParametersAsALaunchShows) {
  const std::string yaml = draft(R"cuda(
template <class T> __device__ T sum(T a) { return a; }
template <class T, class... R> __device__ T sum(T a, R... r) { return a + sum(r...); }
template <class... Ts> __global__ void values(float* out, Ts... ts) { out[threadIdx.x] = sum(ts...); }
template <int First, int... Ns> __global__ void numbers(int* out) {
  const int all[] = {Ns...};
  out[threadIdx.x] = First * 100 + all[threadIdx.x % sizeof...(Ns)];
}
template <class T, class... Ps> __global__ void pointers(T* out, Ps*... ps) { out[threadIdx.x] = sum(ps[0]...); }
template <class... Ts> void forward(float* out, Ts... ts) { values<<<1, 32>>>(out, ts...); }
template <class... Ts> __global__ void unknown(float* out, Ts... ts) { out[0] = sum(ts...); }
template <class... Ts> void pass(float* out, Ts... ts) { unknown<<<1, 32>>>(out, ts...); }
void run(float* out, int* counts, float* a, double* b) {
  values<<<1, 32>>>(out, 1.5f, 2, 3.0);
  numbers<3, 4, 5><<<1, 32>>>(counts);
  pointers<<<1, 32>>>(out, a, b);
}
)cuda");
  EXPECT_THAT(yaml, HasSubstr("template_args: [Ts_1, Ts_2, Ts_3]"));
  EXPECT_THAT(yaml, HasSubstr("args: [out, ts_1, ts_2, ts_3]"));
  EXPECT_THAT(yaml, HasSubstr("Ts_2: {type: type, default: int}"));
  EXPECT_THAT(yaml, HasSubstr("ts_3: {type: Ts_3, default: 3.0}"));
  EXPECT_THAT(yaml, HasSubstr("template_args: [3, 4, 5]"));
  EXPECT_THAT(yaml, HasSubstr("template_args: [T, Ps_1, Ps_2]"));
  EXPECT_THAT(yaml, HasSubstr("'unknown' is left out"));
  const CliResult ran = run_with(yaml, {{"checks: []",
                                         "checks: [{buffer: out, region: [[0, 32]], expected: 6.5}, "
                                         "{buffer: counts, region: [[0, 1]], expected: 304}, "
                                         "{buffer: counts, region: [[31, 32]], expected: 305}]"}});
  EXPECT_EQ(ran.code, kExitDone) << yaml << ran.err << ran.out;
}

TEST_F(NewPrograms, VariablesThatAreDefinedByTheirWholeNameAreSymbols) {
  const std::string yaml = draft(R"cuda(
namespace grid { extern __constant__ float weights[2]; namespace in { extern __constant__ int n; } }
__constant__ float grid::weights[2];
__constant__ int grid::in::n;
__global__ void fill(float* out) { out[threadIdx.x] = grid::weights[threadIdx.x % 2] * grid::in::n; }
void run(float* out, float* w, int n) {
  cudaMemcpyToSymbol(grid::weights, w, 8);
  cudaMemcpyToSymbol(grid::in::n, &n, sizeof(n));
  fill<<<1, 32>>>(out);
}
)cuda");
  EXPECT_THAT(yaml, HasSubstr("symbols: {\"grid::in::n\": n, \"grid::weights\": weights}"));
  const std::string n = "n: {type: int, shape: [1], init: ";
  const std::string weights = "weights: {type: float, shape: [2], init: ";
  const std::vector<std::pair<std::string, std::string>> filled = {
      {n + "{uniform: [0, 16]}}", n + "3}"},
      {weights + "{uniform: [0, 1]}}", weights + "2}"},
      {"checks: []", "checks: [{buffer: out, region: [[0, 32]], expected: 6}]"}};
  const CliResult ran = run_with(yaml, filled);
  EXPECT_EQ(ran.code, kExitDone) << yaml << ran.err << ran.out;
  auto other = filled;
  other.emplace_back("grid::in::n", "grid::n");
  const CliResult none = run_with(yaml, other);
  EXPECT_THAT(none.err, HasSubstr("defines no variable 'grid::n'"));
}

TEST_F(NewPrograms, ConstantsOfAStructInANamespaceAreSymbols) {
  const std::string yaml = draft(R"cuda(
namespace sim { struct Step { int count; double size; void set(int n); }; }
__constant__ sim::Step step;
__global__ void fill(double* out) { out[threadIdx.x] = step.count * step.size; }
void run(double* out, sim::Step s) {
  cudaMemcpyToSymbol(step, &s, sizeof(s));
  fill<<<1, 32>>>(out);
}
)cuda");
  EXPECT_THAT(yaml, HasSubstr("symbols: {step: step}"));
  const CliResult ran =
      run_with(yaml, {{"members: {count: 0, size: 0}", "members: {count: 3, size: 2.5}"},
                      {"checks: []", "checks: [{buffer: out, region: [[0, 32]], expected: 7.5}]"}});
  EXPECT_EQ(ran.code, kExitDone) << yaml << ran.err << ran.out;
}

/// Pure functions of the base are left out with what the host's class defines, so that no class is abstract;
/// members for both sides may be defined in another file, where they have no mark.
TEST_F(NewPrograms, ClassesWithPureFunctionsOfTheHostArePassed) {
  write("equation.h", R"cuda(#pragma once
#include <memory>
namespace base {
struct Field { std::shared_ptr<double[]> data; };
struct Equation {
  virtual void fill(Field& v) const = 0;
  virtual double exact(double x) const { return x; }
};
}
struct Linear : public base::Equation {
  virtual void fill(base::Field& v) const;
  virtual double exact(double x) const override;
  __host__ __device__ double slope(double x) const;
  double factor;
};
)cuda");
  write("equation.cu", R"cuda(#include "equation.h"
void Linear::fill(base::Field& v) const { v.data[0] = exact(0); }
double Linear::exact(double x) const { return factor * x * x / 2; }
double Linear::slope(double x) const { return factor * x; }
)cuda");
  const std::string yaml = draft(R"cuda(#include "equation.h"
__global__ void fill(double* x, const Linear e) { x[threadIdx.x] = e.slope(2); }
void run(double* x, const Linear& e) { fill<<<1, 32>>>(x, e); }
)cuda");
  EXPECT_THAT(yaml, HasSubstr("equation.cu]"));
  const CliResult ran =
      run_with(yaml, {{"{value: 0, type: double}", "{value: 2.5, type: double}"},
                      {"checks: []", "checks: [{buffer: x, region: [[0, 32]], expected: 5}]"}});
  EXPECT_EQ(ran.code, kExitDone) << yaml << ran.err << ran.out;
}

TEST_F(NewPrograms, UnionsOfClassTemplatesWithNamedDefaultsStay) {
  const std::string yaml = draft(R"cuda(
enum precision { low, high };
template <typename T, precision P = high> struct Row {
  union { struct { T x, y; }; T values[2]; };
  __device__ Row(T s);
};
template <typename T, precision P> __device__ Row<T, P>::Row(T s) : x(s), y(2 * s) {}
__global__ void fill(float* out) { Row<float> row(threadIdx.x); out[threadIdx.x] = row.y - 2 * row.values[0] + 3; }
void run(float* out) { fill<<<1, 32>>>(out); }
)cuda");
  const CliResult ran =
      run_with(yaml, {{"checks: []", "checks: [{buffer: out, region: [[0, 32]], expected: 3}]"}});
  EXPECT_EQ(ran.code, kExitDone) << yaml << ran.err << ran.out;
}

TEST_F(NewPrograms, EachNameOfADeclarationInConstantMemoryIsASymbol) {
  const std::string yaml = draft(R"cuda(
namespace grid {
__constant__ long nx, ny = 1;
__constant__ float scale, weights[2], *one;
}
__global__ void fill(float* out) {
  using namespace grid;
  out[threadIdx.x] = nx * ny * scale * weights[threadIdx.x % 2] + one[threadIdx.x];
}
void run(float* out, long h) {
  cudaMemcpyToSymbol(grid::ny, &h, sizeof(h));
  fill<<<1, 32>>>(out);
}
)cuda");
  EXPECT_THAT(yaml, HasSubstr("symbols: {\"grid::nx\": nx, \"grid::ny\": ny, \"grid::one\": one_address, "
                              "\"grid::scale\": scale, \"grid::weights\": weights}"));
  const std::string one = "one: {type: float, shape: [elements], init: {uniform: [0, 1]}}";
  const CliResult ran = run_with(
      yaml,
      {{"nx: {type: long, shape: [1], init: {uniform: [0, 16]}}", "nx: {type: long, shape: [1], init: 3}"},
       {"ny: {type: long, shape: [1], init: {uniform: [0, 16]}}", "ny: {type: long, shape: [1], init: 5}"},
       {"scale: {type: float, shape: [1], init: {uniform: [0, 1]}}",
        "scale: {type: float, shape: [1], init: 2}"},
       {"weights: {type: float, shape: [2], init: {uniform: [0, 1]}}",
        "weights: {type: float, shape: [2], init: 0.5}"},
       {one, "one: {type: float, shape: [elements], init: 1}"},
       {"checks: []", "checks: [{buffer: out, region: [[0, 32]], expected: 16}]"}});
  EXPECT_EQ(ran.code, kExitDone) << yaml << ran.err << ran.out;
}

TEST_F(NewPrograms, ResultsInVariablesOfTheDeviceAreRead) {
  const std::string yaml = draft(R"cuda(
#define WIDTH 16
__device__ int image[WIDTH * 4];
namespace sums { __device__ float total; }
__device__ int unread;
__global__ void fill(int n) {
  const int i = threadIdx.x;
  if (i < n) image[i] = 3 * i + 1;
  if (i == 0) { sums::total = 0.5f + n; unread = 1; }
}
int main() {
  int n = 64, host[64];
  float sum;
  fill<<<1, 64>>>(n);
  cudaMemcpyFromSymbol(host, image, sizeof(host));
  cudaMemcpyFromSymbol(&sum, sums::total, sizeof(float), 0, cudaMemcpyDeviceToHost);
}
)cuda");
  EXPECT_THAT(yaml, HasSubstr("read_symbols: {image: image, \"sums::total\": total}\n"));
  EXPECT_THAT(yaml, HasSubstr("image: {type: int, shape: [64], init: 0}\n"));
  EXPECT_THAT(yaml, Not(HasSubstr("unread")));
  const CliResult ran = run_with(yaml, {{"checks: []",
                                         "checks: [{buffer: image, region: [[63, 64]], expected: 190}, "
                                         "{buffer: total, name: total, expected: 64.5}]"}});
  EXPECT_EQ(ran.code, kExitDone) << ran.err << yaml;
}

/// A draft of one kernel has what the program's other kernels set, or read, in variables of the device.
TEST_F(NewPrograms, VariablesOfTheDeviceThatOtherKernelsUseArePassed) {
  const std::string source = write("state.cu", R"cuda(
__device__ float* data;
__device__ int offset;
__device__ float table[2][4];
__device__ int own;
__global__ void init(float* p, int n) { data = p; offset = n; }
__global__ void fill() { float* row = table[1]; row[threadIdx.x] = 3.0f; own = 1; }
__device__ float looked_up() { return table[1][offset]; }
__global__ void step(float* y) {
  const int i = threadIdx.x;
  data[i] += 1.0f;
  y[i] = data[i] + looked_up();
}
)cuda");
  const auto draft_of = [&](const std::string& kernel) {
    const CliResult result = kiln({"new", source, kernel, "-o", path("state.yaml"), "--force"});
    EXPECT_EQ(result.code, kExitDone) << result.err;
    return files_->read_file(path("state.yaml")).value_or("");
  };
  const std::string step = draft_of("step");
  EXPECT_THAT(step, HasSubstr(" symbols: {data: data_address, offset: offset, table: table}\n"));
  const CliResult ran = run_with(step, {{"default: 1024", "default: 256"},
                                        {"data: {type: float, shape: [elements], init: {uniform: [0, 1]}}",
                                         "data: {type: float, shape: [elements], init: 2}"},
                                        {"offset: {type: int, shape: [1], init: {uniform: [0, 16]}}",
                                         "offset: {type: int, shape: [1], init: 3}"},
                                        {"table: {type: float, shape: [8], init: {uniform: [0, 1]}}",
                                         "table: {type: float, shape: [8], init: {iota: [0, 1]}}"},
                                        {"checks: []", "checks: [{buffer: y, expected: 10}]"}});
  EXPECT_EQ(ran.code, kExitDone) << ran.err << step;
  const std::string fill = draft_of("fill");
  EXPECT_THAT(fill, HasSubstr(" read_symbols: {table: table}\n"));
  EXPECT_THAT(fill, Not(HasSubstr("own")));
  EXPECT_THAT(fill, Not(HasSubstr(" symbols:")));
}

TEST_F(NewPrograms, PointersToDeviceFunctionsArePassed) {
  const std::string yaml = draft(R"cuda(
typedef float (*Operation)(float, float);
namespace ops {
__device__ float add(float a, float b) { return a + b; }
__device__ float first(float a, float) { return a; }
template <class T> __device__ T multiply(T a, T b) { return a * b; }
}
__device__ Operation chosen = ops::first;
__device__ Operation table[2];
__global__ void apply(float* x, Operation op, float (*other)(float, float)) {
  x[threadIdx.x] = other(op(x[threadIdx.x], 3.0f), 2.0f);
  if (table[0] != nullptr) x[0] = 0;
}
int main() {
  float* x;
  Operation op;
  cudaMemcpyToSymbol(table, &op, sizeof(op));
  cudaMemcpyFromSymbol(&op, chosen, sizeof(op));
  apply<<<1, 32>>>(x, op, op);
}
)cuda");
  const std::string args = "args: [x, {function: \"ops::first\"}, {function: \"ops::first\"}]";
  EXPECT_THAT(yaml, HasSubstr(args + "  # FILL IN the function of op; the function of other"));
  EXPECT_THAT(yaml, HasSubstr("the variable 'table' of the device is left as it is"));
  const std::string filled = "args: [x, {function: \"ops::add\"}, {function: \"ops::multiply<float>\"}]";
  const std::string content = "shape: [elements], init: {uniform: [0, 1]}";
  const CliResult ran = run_with(yaml, {{args, filled},
                                        {content, "shape: [32], init: 1"},
                                        {"checks: []", "checks: [{buffer: x, expected: 8}]"}});
  EXPECT_EQ(ran.code, kExitDone) << yaml << ran.err << ran.out;
  const CliResult wrong = run_with(yaml, {{args, "args: [x, {function: \"ops::ad\"}, null]"}});
  EXPECT_EQ(wrong.code, kExitBadInput);
  EXPECT_THAT(wrong.err, HasSubstr("is not a member of"));
}

TEST_F(NewPrograms, ValuesThatTheProgramChangesAreFollowed) {
  const std::string yaml = draft(R"cuda(
#define SHIFT 3
__global__ void halve([[maybe_unused]] float unused, [[maybe_unused]] int* none, float* x) { x[threadIdx.x] = 1; }
void run(float* x, int* none, int n) {
  int blocks = n;
  blocks >>= 1;
  blocks >>= SHIFT;
  blocks /= 8;
  blocks += 1;
  for (int left = n; left > 1; left /= 2) blocks = blocks;
  halve<<<blocks, 64>>>(2.0f, none, x);
}
int main() { run(nullptr, nullptr, 512); }
)cuda");
  EXPECT_THAT(yaml, HasSubstr("grid: [\"max(1, (((n // 2) // 8) // 8) + 1)\"]")) << yaml;
  EXPECT_THAT(yaml, HasSubstr("args: [unused, none, x]"));
}

TEST_F(NewPrograms, TypesOfExactWidthAreTheirOwn) {
  const std::string yaml = draft(R"cuda(
#include <limits.h>
#if (ULONG_MAX == 0xffffffffUL)
typedef unsigned long uint32_t;
#endif
__global__ void fill(uint32_t* x) { x[threadIdx.x] = 1; }
void run(uint32_t* x) { fill<<<1, 32>>>(x); }
)cuda");
  EXPECT_THAT(yaml, HasSubstr("x: {type: unsigned, "));
}

TEST_F(NewPrograms, PointersInAnArrayOfStructsHaveBuffersOfTheirOwn) {
  const std::string yaml = draft(R"cuda(
struct Component { float* data; int width; };
struct Image { Component parts[3]; };
__global__ void sum(Image image, float* out) {
  out[threadIdx.x] = image.parts[0].data[0] + image.parts[1].data[0] + image.parts[2].data[0];
}
void run(Image image, float* out) { sum<<<1, 32>>>(image, out); }
)cuda");
  EXPECT_THAT(yaml, HasSubstr("{struct: [data, {value: elements, type: int}, {value: 0, type: uchar}"));
  EXPECT_THAT(yaml, HasSubstr("parts1_data, "));
  EXPECT_THAT(yaml, HasSubstr("parts2_data, "));
}

TEST_F(NewPrograms, PointersToFunctionsInStructsAreNull) {
  const std::string yaml = draft(R"cuda(
struct Step { void (*done)(int); static void (*hook)(int); float (*ops[2])(float); float x; };
__global__ void k(Step s, float* y) { y[threadIdx.x] = s.x; }
int main() { Step s; float* y; k<<<1, 32>>>(s, y); }
)cuda");
  const std::string members = "{struct: [null, null, null, {value: 0, type: float}";
  EXPECT_THAT(yaml, HasSubstr(members));
  const CliResult ran =
      run_with(yaml, {{members, "{struct: [null, null, null, {value: 7, type: float}"},
                      {"checks: []", "checks: [{buffer: y, region: [[0, 32]], expected: 7}]"}});
  EXPECT_EQ(ran.code, kExitDone) << yaml << ran.err << ran.out;
}

TEST_F(NewPrograms, PointersInRecordsAreAddressesOfBuffers) {
  const std::string yaml = draft(R"cuda(
struct Field { const float* values; int n; };
struct State { float* out; Field fields[2]; State* next; float scale; };
__constant__ State state;
__device__ int* tables[2];
__global__ void add(const Field* more) {
  const int i = threadIdx.x;
  if (i < state.fields[0].n && state.next->scale == 0)
    state.out[i] = state.scale * state.fields[1].values[i] + more[1].values[i] + tables[1][i];
}
void run(State host, int** t, const Field* more) {
  cudaMemcpyToSymbol(state, &host, sizeof(host));
  cudaMemcpyToSymbol(tables, t, sizeof(tables));
  add<<<1, 32>>>(more);
}
)cuda");
  EXPECT_THAT(yaml, HasSubstr("State: {out: ulong, fields: \"Field[2]\", next: ulong, scale: float}"));
  EXPECT_THAT(yaml, HasSubstr("more: {type: Field, shape: [elements], init: {members: {values: {addresses: "
                              "[values]}, n: 0}}}"));
  EXPECT_THAT(yaml, HasSubstr("tables_addresses: {type: ulong, shape: [2], init: {addresses: [tables_0, "
                              "tables_1]}}"));
  const std::string members =
      "{members: {out: {addresses: [out]}, \"fields[0].values\": {addresses: [state_fields_0_values]}, "
      "\"fields[0].n\": 0, \"fields[1].values\": {addresses: [state_fields_1_values]}, "
      "\"fields[1].n\": 0, next: {addresses: [next]}, scale: 0}}";
  std::string filled = members;
  filled.replace(filled.find(".n\": 0"), 6, ".n\": 32");
  filled.replace(filled.find("scale: 0"), 8, "scale: 3");
  const CliResult ran =
      run_with(yaml, {{members, filled},
                      {"    values: {type: float, shape: [elements], init: {uniform: [0, 1]}}",
                       "    values: {type: float, shape: [elements], init: 2}"},
                      {"state_fields_1_values: {type: float, shape: [elements], init: {uniform: [0, 1]}}",
                       "state_fields_1_values: {type: float, shape: [elements], init: 3}"},
                      {"tables_1: {type: int, shape: [elements], init: {uniform: [0, 16]}}",
                       "tables_1: {type: int, shape: [elements], init: 5}"},
                      {"checks: []", "checks: [{buffer: out, region: [[0, 32]], expected: 16}]"}});
  EXPECT_EQ(ran.code, kExitDone) << yaml << ran.err << ran.out;
}

TEST_F(NewPrograms, StructsOfTwoArgumentsPointToBuffersOfTheirOwn) {
  const std::string yaml = draft(R"cuda(
struct Image { unsigned char* data; int width; };
__global__ void difference(const Image* first, const Image* second, int* data) {
  data[threadIdx.x] = first->data[threadIdx.x] - second->data[threadIdx.x];
}
void run(const Image* first, const Image* second, int* data) { difference<<<1, 32>>>(first, second, data); }
)cuda");
  EXPECT_THAT(yaml, HasSubstr("first: {type: Image, shape: [elements], init: {members: {data: {addresses: "
                              "[first_data]}, width: 0}}}"));
  EXPECT_THAT(yaml, HasSubstr("second: {type: Image, shape: [elements], init: {members: {data: {addresses: "
                              "[second_data]}, width: 0}}}"));
  EXPECT_THAT(yaml, HasSubstr("    data: {type: int, shape: [elements]"));
}

TEST_F(NewPrograms, NumbersOfCufftAreRealAndComplex) {
  const std::string yaml = draft(R"cuda(
#include <cufft.h>
#define REAL cufftReal
__global__ void scale(cufftComplex* x, REAL factor, cufftDoubleComplex* z, cufftDoubleReal shift, REAL* out) {
  const int i = threadIdx.x;
  z[i].y += shift;
  out[i] = x[i].y * factor;
}
void run(cufftComplex* x, cufftDoubleComplex* z, REAL* out) {
  cufftHandle plan;
  cufftExecC2C(plan, x, x, CUFFT_FORWARD);
  scale<<<1, 32>>>(x, 3.0f, z, 0.5, out);
}
)cuda");
  EXPECT_THAT(yaml, HasSubstr("x: {type: float2,"));
  EXPECT_THAT(yaml, HasSubstr("z: {type: double2,"));
  EXPECT_THAT(yaml, HasSubstr("factor: {type: float, default: 3.0}"));
  EXPECT_THAT(yaml, HasSubstr("shift: {type: double, default: 0.5}"));
  const CliResult ran =
      run_with(yaml, {{"x: {type: float2, shape: [elements], init: {uniform: [0, 1]}}",
                       "x: {type: float2, shape: [elements], init: 2}"},
                      {"checks: []", "checks: [{buffer: out, region: [[0, 32]], expected: 6}]"}});
  EXPECT_EQ(ran.code, kExitDone) << yaml << ran.err << ran.out;
}

TEST_F(NewPrograms, HandlesOfLibrariesAreMembersOfRecords) {
  const std::string yaml = draft(R"cuda(
#include <cufft.h>
#include <curand.h>
struct Data {
  float* w;
  curandGenerator_t generator;
  cufftHandle plan;
};
__constant__ Data data;
__global__ void grow() { data.w[threadIdx.x] += 1; }
void run(Data& host) {
  curandCreateGenerator(&host.generator, CURAND_RNG_PSEUDO_DEFAULT);
  cudaMemcpyToSymbol(data, &host, sizeof(Data));
  grow<<<1, 32>>>();
}
)cuda");
  EXPECT_THAT(yaml, HasSubstr("symbols: {data: data}"));
  EXPECT_THAT(yaml, HasSubstr("Data: {w: ulong, generator: ulong, plan: int}"));
}

/// A type that is made of a number of cuFFT is no type of the host, and what a file instantiates of a class
/// that device code uses goes where it is a function of the host.
TEST_F(NewPrograms, ClassesWithNumbersOfCufftAndFunctionsOfTheHost) {
  const std::string yaml = draft(R"cuda(
#include <cufft.h>
#include <string>
#define REAL cufftReal
template <class T>
struct Pair {
  T a, b;
};
typedef Pair<REAL> RealPair;
template <class T>
struct Random {
  unsigned* state;
  __host__ void seed(unsigned first);
  __device__ unsigned next(unsigned* at);
};
template void Random<void>::seed(unsigned first);
template <class T>
__host__ void Random<T>::seed(unsigned first) {
  cudaMemset(state, first, 128);
}
template unsigned Random<void>::next(unsigned* at);
template <class T>
__device__ unsigned Random<T>::next(unsigned* at) {
  return *at = 3u * *at + 1u;
}
__global__ void sum(float* out, RealPair pair, Random<void> random) {
  out[threadIdx.x] = pair.a + random.next(random.state + threadIdx.x);
}
int main() {
  float* out;
  RealPair pair;
  Random<void> random;
  random.seed(3);
  std::string name;
  sum<<<1, 32>>>(out, pair, random);
}
)cuda");
  const CliResult ran =
      run_with(yaml, {{"{struct: [{value: 0, type: float}", "{struct: [{value: 0.5, type: float}"},
                      {"checks: []", "checks: [{buffer: out, region: [[0, 32]], expected: 1.5}]"}});
  EXPECT_EQ(ran.code, kExitDone) << yaml << ran.err << ran.out;
}

TEST_F(NewPrograms, AnObjectWithVirtualFunctionsBeginsWithAPointer) {
  const std::string yaml = draft(R"cuda(
template <class T>
class Data {
 public:
  __host__ __device__ virtual ~Data() {}
  __host__ __device__ virtual int size() const { return 0; }
  __host__ __device__ T* data() const { return data_; }

 private:
  T* data_;
};
class Sample : public Data<float> {
 public:
  __host__ __device__ int size() const override { return n_; }
  int n_, k_;
};
__global__ void scale(Sample sample, float* out) { out[threadIdx.x] = sample.data()[threadIdx.x] * sample.k_; }
void run(Sample sample, float* out) { scale<<<1, 32>>>(sample, out); }
)cuda");
  const std::string members = "{struct: [{value: 0, type: ulong}, data_, {value: 0, type: int}, ";
  EXPECT_THAT(yaml, HasSubstr(members + "{value: 0, type: int}]}"));
  const CliResult ran =
      run_with(yaml, {{members + "{value: 0, type: int}", members + "{value: 7, type: int}"},
                      {"data_: {type: float, shape: [elements], init: 0}",
                       "data_: {type: float, shape: [elements], init: 2}"},
                      {"checks: []", "checks: [{buffer: out, region: [[0, 32]], expected: 14}]"}});
  EXPECT_EQ(ran.code, kExitDone) << yaml << ran.err << ran.out;
}

TEST_F(NewPrograms, APointerToAnArrayIsOnePointer) {
  const std::string yaml = draft(
      "__global__ void plane(float (*a)[32], const int (*__restrict__ b)[4][2], int n) {\n"
      "  if (threadIdx.x < n) a[threadIdx.x][0] = b[threadIdx.x][0][1];\n}\n"
      "int main() { plane<<<1, 32>>>(0, 0, 3); }\n");
  EXPECT_THAT(yaml, HasSubstr("args: [a, b, n]"));
  EXPECT_THAT(yaml, HasSubstr("a: {type: float,"));
  EXPECT_THAT(yaml, HasSubstr("b: {type: int,"));
}

TEST_F(NewPrograms, WordsOfAWorkloadAndMacrosForNamespacesGetOtherNames) {
  const std::string yaml = draft(
      "#define SPACE tools::fill\nnamespace SPACE {\n__constant__ float table[4];\n"
      "__global__ void put(float* out, int variant) { out[threadIdx.x] = variant + table[0]; }\n"
      "void run(float* out) { put<<<1, 32>>>(out, 3); }\n}\n#undef SPACE\n");
  EXPECT_THAT(yaml, HasSubstr("variant_: {type: int"));
  EXPECT_THAT(yaml, HasSubstr("entry: \"tools::fill::put\""));
  EXPECT_THAT(yaml, HasSubstr("symbols: {\"tools::fill::table\": table}"));
  const CliResult ran =
      run_with(yaml, {{"table: {type: float, shape: [4], init: {uniform: [0, 1]}}",
                       "table: {type: float, shape: [4], init: 2}"},
                      {"checks: []", "checks: [{buffer: out, region: [[1, 2]], expected: 5}]"}});
  EXPECT_EQ(ran.code, kExitDone) << ran.err << ran.out;
}

TEST_F(NewPrograms, VariablesOfAHeaderInsideOfANamespaceAreThatNamespaces) {
  write("weights.h",
        "__constant__ float weights[2] = {3, 4};\n__constant__ float given;\n"
        "extern __shared__ float line[];\n");
  const std::string yaml = draft(
      "namespace blur {\nnamespace detail {\n#include \"weights.h\"\n}\n"
      "__global__ void k(float* out) {\n  using namespace detail;\n  line[threadIdx.x] = weights[1];\n"
      "  __syncthreads();\n  out[threadIdx.x] = line[31 - threadIdx.x] + given;\n}\n}\n"
      "void run(float* out, float x) {\n  cudaMemcpyToSymbol(blur::detail::given, &x, 4);\n"
      "  blur::k<<<1, 32, 32 * 4>>>(out);\n}\n");
  EXPECT_THAT(yaml, HasSubstr("symbols: {\"blur::detail::given\": given}"));
  const CliResult ran = run_with(yaml, {{"given: {type: float, shape: [1], init: {uniform: [0, 1]}}",
                                         "given: {type: float, shape: [1], init: 2}"},
                                        {"out: {type: float, shape: [elements], init: {uniform: [0, 1]}}",
                                         "out: {type: float, shape: [32], init: 0}"},
                                        {"checks: []", "checks: [{buffer: out, expected: 6}]"}});
  EXPECT_EQ(ran.code, kExitDone) << ran.err << ran.out << yaml;
}

/// Their texts have unions.
TEST_F(NewPrograms, VectorsOfGlmAreRowsOfNumbers) {
  write("glm.hpp",
        "namespace glm {\nenum qualifier { packed, defaultp = packed };\n"
        "template <int L, typename T, qualifier Q = defaultp> struct vec;\n"
        "template <int C, int R, typename T, qualifier Q = defaultp> struct mat;\n"
        "template <typename T, qualifier Q> struct vec<3, T, Q> { union { T x, r; }; union { T y, g; }; "
        "union { T z, b; }; };\n"
        "template <typename T, qualifier Q> struct vec<4, T, Q> { union { T x, r; }; union { T y, g; }; "
        "union { T z, b; }; "
        "union { T w, a; }; };\n"
        "template <typename T, qualifier Q> struct mat<3, 3, T, Q> { vec<3, T, Q> value[3]; };\n"
        "typedef vec<3, float, defaultp> vec3;\ntypedef vec<4, float, defaultp> vec4;\n"
        "typedef vec<3, int, defaultp> ivec3;\ntypedef mat<3, 3, float, defaultp> mat3;\n}\n");
  const std::string text =
      "struct Ball { int id; glm::vec4 color; glm::vec3 path[2]; };\n"
      "struct View { float zoom; glm::mat3 turn; };\n"
      "__global__ void k(glm::vec3* out, const glm::ivec3* cells, const Ball* balls, View view, glm::vec4 "
      "shift) {\n"
      "  const int i = threadIdx.x;\n  out[i].x = cells[i].z + balls[i].id;\n"
      "  out[i].y = balls[i].color.w + balls[i].path[1].x;\n"
      "  out[i].z = view.zoom + view.turn.value[2].z + shift.w;\n}\n"
      "void run(glm::vec3* out, glm::ivec3* cells, Ball* balls, View view, glm::vec4 shift) {\n"
      "  k<<<1, 8>>>(out, cells, balls, view, shift);\n}\n";
  const std::string yaml = draft("#include \"glm.hpp\"\n" + text);
  EXPECT_THAT(yaml, HasSubstr("Ball: {id: int, color: \"float[4]\", path: \"float[6]\"}")) << yaml;
  EXPECT_THAT(yaml, HasSubstr("out: {type: float3, shape: [elements]"));
  EXPECT_THAT(yaml, HasSubstr("cells: {type: int3, shape: [elements]"));
  const std::string zero = "{value: 0, type: float}", zeros = zero + ", " + zero + ", " + zero;
  const CliResult ran = run_with(
      yaml,
      {{"out: {type: float3, shape: [elements], init: 0}", "out: {type: float3, shape: [8], init: 0}"},
       {"cells: {type: int3, shape: [elements], init: {uniform: [0, 16]}}",
        "cells: {type: int3, shape: [8], init: 2}"},
       {"balls: {type: Ball, shape: [elements], init: 0}",
        "balls: {type: Ball, shape: [8], init: {members: {id: 5, color: [0, 0, 0, 3], path: [0, 0, 0, 4, "
        "0, 0]}}}"},
       {"{struct: [{value: 0, type: float, count: 10}]}",
        "{struct: [{value: 1, type: float}, {value: 0, type: float, count: 8}, {value: 2, type: float}]}"},
       {"{struct: [" + zeros + ", " + zero + "]}", "{struct: [" + zeros + ", {value: 4, type: float}]}"},
       {"checks: []", "checks: [{buffer: out, expected: 7}]"}});
  EXPECT_EQ(ran.code, kExitDone) << ran.err << ran.out << yaml;
}

/// Functions of the host that are virtual, pure or not, do not move the members of what the kernel takes.
TEST_F(NewPrograms, VirtualFunctionsOfTheHostLeaveTheirPointer) {
  const std::string yaml = draft(R"cuda(#include <string>
#include <vector>
struct Equation {
  virtual void fill(std::vector<double>& values) const = 0;
  virtual ~Equation();
  double scale = 1;
};
Equation::~Equation() { printf("%s", std::string("left").c_str()); }
struct Heat : public Equation {
  explicit Heat(double c) : conductivity(c) {}
  void fill(std::vector<double>& values) const override;
  __host__ __device__ double flux(double x) const { return conductivity * x; }
  double conductivity;
};
void Heat::fill(std::vector<double>& values) const { values.push_back(conductivity); }
struct Named {
  virtual std::string name() { return "n"; }
  double value;
};
__global__ void k(Heat heat, Named named, double* out) {
  out[threadIdx.x] = heat.flux(2) + heat.scale * 100 + named.value * 1000;
}
void run(double* out, Named named) { k<<<1, 8>>>(Heat(3), named, out); }
)cuda");
  const std::string zeros =
      "{struct: [{value: 0, type: ulong}, {value: 0, type: double}, {value: 0, type: double}]}";
  const std::string zero = "{struct: [{value: 0, type: ulong}, {value: 0, type: double}]}";
  EXPECT_THAT(yaml, HasSubstr("args: [" + zeros + ", " + zero + ", out]"));
  const CliResult ran = run_with(
      yaml,
      {{zeros, "{struct: [{value: 0, type: ulong}, {value: 7, type: double}, {value: 3, type: double}]}"},
       {zero, "{struct: [{value: 0, type: ulong}, {value: 5, type: double}]}"},
       {"elements: {type: int, default: 1024", "elements: {type: int, default: 8"},
       {"checks: []", "checks: [{buffer: out, expected: 5706}]"}});
  EXPECT_EQ(ran.code, kExitDone) << ran.err << ran.out << yaml;
}

/// Of glm before 0.9.9, whose classes are called so.
TEST_F(NewPrograms, VectorsOfEarlierGlmAreRowsOfNumbers) {
  write(
      "glm.hpp",
      "namespace glm {\nenum precision { highp };\n"
      "template <typename T, precision P = highp> struct tvec3 { union { T x, r, s; }; union { T y, g, t; }; "
      "union { T z, b, p; }; };\n"
      "template <typename T, precision P = highp> struct tmat2x3 { tvec3<T, P> value[2]; };\n"
      "typedef tvec3<float, highp> vec3;\ntypedef tmat2x3<float, highp> mat2x3;\n}\n");
  const std::string yaml = draft(
      "#include \"glm.hpp\"\n__global__ void k(glm::vec3* out, glm::vec3 shift, glm::mat2x3 m) {\n"
      "  out[threadIdx.x].y = shift.z + m.value[1].z;\n}\n"
      "void run(glm::vec3* out, glm::vec3 shift, glm::mat2x3 m) { k<<<1, 8>>>(out, shift, m); }\n");
  const std::string zero = "{value: 0, type: float}";
  EXPECT_THAT(yaml, HasSubstr("out: {type: float3, shape: [elements]"));
  EXPECT_THAT(yaml,
              HasSubstr("args: [out, {struct: [" + zero + ", " + zero + ", " + zero + "]}, {struct: ["));
}

/// What its constructor and destructor do is the host's; its containers are bytes that the kernel carries
/// along.
TEST_F(NewPrograms, HostClassesByValueHaveBytesForTheirContainers) {
  const std::string yaml = draft(
      "#include <cooperative_groups.h>\n#include <vector>\n#include <string>\n#include <utility>\n"
      "namespace cg = cooperative_groups;\n"
      "class Field {\n public:\n  size_t n;\n  std::string label;\n  float* now;\n"
      "  std::vector<std::pair<void**, size_t>> all = {{(void**)&now, sizeof(float)}};\n  float* next;\n"
      "  Field(size_t n) : n(n), label(\"field\") { for (auto& one : all) cudaMalloc(one.first, one.second * "
      "n); }\n"
      "  ~Field() { cudaFree(now); cudaFree(next); }\n"
      "  __device__ float* place(size_t i) { return next + i; }\n};\n"
      "__global__ void turn(Field field) {\n"
      "  const size_t i = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * blockIdx.x);\n"
      "  field.now[i] = i;\n  cg::sync(cg::this_grid());\n"
      "  *field.place(i) = field.now[field.n - 1 - i] + field.now[i];\n}\n"
      "int main() {\n  Field field(256);\n  void* args[] = {&field};\n"
      "  cudaLaunchCooperativeKernel((void*)turn, dim3(4), dim3(16, 4), args, 0, 0);\n}\n");
  EXPECT_THAT(yaml, HasSubstr("cooperative: true"));
  const std::string container = "{value: 0, type: ulong}, {value: 0, type: ulong}, {value: 0, type: ulong}";
  EXPECT_THAT(yaml, HasSubstr("{struct: [{value: elements, type: size_t}, " + container +
                              ", {value: 0, type: ulong}, now, " + container + ", next]}"));
  const CliResult ran =
      run_with(yaml, {{"elements: {type: int, default: 1024", "elements: {type: int, default: 256"},
                      {"checks: []", "checks: [{buffer: next, expected: 255}]"}});
  EXPECT_EQ(ran.code, kExitDone) << ran.err << ran.out << yaml;
}

/// Containers in classes of members, several of a line, in a class template, and of a class of the host.
TEST_F(NewPrograms, ClassesOfMembersHaveBytesForTheirContainers) {
  const std::string yaml = draft(
      "#include <string>\n#include <vector>\n"
      "struct Point { std::string name; };\n"
      "struct Times { double first; std::vector<double> all; };\n"
      "class Param {\n public:\n  float g = 9.5f;\n  std::string one, two;\n  Times times;\n"
      "  std::vector<Point> points;\n  int n = 4;\n};\n"
      "template <class T> struct Blocks { T* x; std::vector<Point> zones; };\n"
      "template <class T> __global__ void fall(Param param, Blocks<T> blocks) {\n"
      "  if (threadIdx.x < param.n) blocks.x[threadIdx.x] = param.g * param.times.first;\n}\n"
      "int main() {\n  Param param;\n  Blocks<float> blocks;\n  cudaMalloc(&blocks.x, 64);\n"
      "  fall<<<1, 16>>>(param, blocks);\n}\n");
  const CliResult ran =
      run_with(yaml, {{"{struct: [{value: 0, type: float}", "{struct: [{value: 9.5, type: float}"},
                      {"{value: 0, type: double}", "{value: 2, type: double}"},
                      {"elements: {type: int, default: 1024", "elements: {type: int, default: 16"},
                      {"checks: []", "checks: [{buffer: x, region: [[0, 16]], expected: 19}]"}});
  EXPECT_EQ(ran.code, kExitDone) << ran.err << ran.out << yaml;
}

/// Of an object that a kernel takes by value, and of its members: nothing calls them.
TEST_F(NewPrograms, CopiesAndDestructorsOfTheHostAreLeftOut) {
  const std::string yaml = draft(
      "class Column {\n public:\n  float* data;\n  bool copy = false;\n  Column(int n);\n"
      "  Column(const Column& other, int depth = 0);\n  Column(Column&& other) noexcept;\n"
      "  ~Column() noexcept(true);\n"
      "  __device__ float get(int i) const { return data[i]; }\n};\n"
      "class Mesh {\n public:\n  const int n;\n  Column x;\n  Mesh(int n);\n  Mesh(const Mesh& other);\n"
      "  ~Mesh();\n};\n"
      "Mesh::Mesh(const Mesh& other) : n(other.n), x(other.x) {}\n"
      "Mesh::~Mesh() { cudaFree(x.data); }\n"
      "__global__ void twice(Mesh mesh, float* y) {\n"
      "  if (threadIdx.x < mesh.n) y[threadIdx.x] = 2 * mesh.x.get(threadIdx.x);\n}\n"
      "int main() { Mesh mesh(32); float* y; cudaMalloc(&y, 128); twice<<<1, 32>>>(mesh, y); }\n");
  const CliResult ran = run_with(
      yaml,
      {{"elements: {type: int, default: 1024", "elements: {type: int, default: 32"},
       {"data: {type: float, shape: [elements], init: 0}", "data: {type: float, shape: [elements], init: 3}"},
       {"checks: []", "checks: [{buffer: y, region: [[0, 32]], expected: 6}]"}});
  EXPECT_EQ(ran.code, kExitDone) << ran.err << ran.out << yaml;
}

TEST_F(NewPrograms, KernelsThatNothingCompilesAreLeftOut) {
  const std::string text =
      "#ifdef CHECK_IT\n__global__ void check(float* a) { a[0] = 1; }\n#endif\n"
      "#if 0\n__global__ void never(float* a) { a[0] = 2; }\n#endif\n"
      "#define HAS_IT\n#ifdef HAS_IT\n__global__ void fill(float* a) { a[0] = 3; }\n#endif\n"
      "#ifdef CHECK_IT\n__global__ void two(float* a) { a[0] = 4; }\n#else\n"
      "__global__ void two(float* a, int n) { a[n] = 5; }\n#endif\n"
      "#ifdef CHECK_IT\n#if WIDE\n__global__ void three\n#else\n__global__ void three_thin\n#endif\n#else\n"
      "void three_of_the_host\n#endif\n(float* a) { a[0] = 6; }\n"
      "int main() { float* a; fill<<<1, 1>>>(a); two<<<1, 1>>>(a, 3); }\n";
  const std::string yaml = draft(text);
  EXPECT_THAT(yaml, HasSubstr("run: [fill, two]"));
  EXPECT_THAT(yaml, HasSubstr("args: [a, n]"));
  EXPECT_THAT(said_, HasSubstr("'check' is not compiled: nothing defines CHECK_IT (-D CHECK_IT)"));
  EXPECT_THAT(said_, HasSubstr("'three' is not compiled: nothing defines CHECK_IT"));
  const CliResult with = kiln({"new", path("program.cu"), "-D", "CHECK_IT", "-o", path("with.yaml")});
  EXPECT_EQ(with.code, kExitDone) << with.err;
  EXPECT_THAT(files_->read_file(path("with.yaml")).value_or(""), HasSubstr("check:\n"));
}

/// Without which no kernel is compiled, or not the one that was asked for.
TEST_F(NewPrograms, MacrosThatNothingDefinesAreDefinedForTheKernels) {
  const std::string text =
      "#define API __attribute__((visibility(\"default\")))\n"
      "#ifdef USE_CUDA\n#if TILE == 8\nnamespace API lib {\n"
      "__global__ void fill(float* a) { a[threadIdx.x] = TILE; }\n"
      "void run(float* a) { fill<<<1, 32>>>(a); }\n}\n#endif\n#endif\n";
  std::string yaml = draft(text);
  EXPECT_THAT(said_,
              HasSubstr("nothing defines USE_CUDA, without which no kernel is compiled: -D USE_CUDA added"));
  EXPECT_THAT(yaml, HasSubstr("defines: {TILE: 8, USE_CUDA: 1}"));
  EXPECT_THAT(yaml, HasSubstr("entry: \"lib::fill\""));
  const CliResult ran = run_with(
      yaml, {{"default: 1024", "default: 32"}, {"checks: []", "checks: [{buffer: a, expected: 8}]"}});
  EXPECT_EQ(ran.code, kExitDone) << ran.err << ran.out << yaml;

  files_->write_file(path("two.cu"),
                     "__global__ void one(float* a) { a[0] = 1; }\n"
                     "#ifdef WITH_TWO\n__global__ void two(float* a) { a[0] = 2; }\n#endif\n",
                     false);
  EXPECT_EQ(kiln({"new", path("two.cu"), "two", "-o", path("two.yaml")}).code, kExitDone);
  EXPECT_THAT(files_->read_file(path("two.yaml")).value_or(""), HasSubstr("defines: {WITH_TWO: 1}"));
  EXPECT_EQ(kiln({"new", path("two.cu"), "-o", path("one.yaml")}).code, kExitDone);
  EXPECT_THAT(files_->read_file(path("one.yaml")).value_or(""), Not(HasSubstr("WITH_TWO: 1")));
}

TEST_F(NewPrograms, MacrosAreThoseOfTheBranchThatIsCompiled) {
  const std::string text =
      "#ifdef RD_WG_SIZE_0_0\n#define BLOCK_SIZE RD_WG_SIZE_0_0\n#elif defined(RD_WG_SIZE)\n"
      "#define BLOCK_SIZE RD_WG_SIZE\n#else\n#define BLOCK_SIZE 16\n#endif\n"
      "#if BLOCK_SIZE > 8\n#define COUNT (BLOCK_SIZE * 2)\ntypedef double real;\n#else\n"
      "#define COUNT 4\ntypedef float real;\n#endif\n"
      "__global__ void k(real* a) { __shared__ real s[BLOCK_SIZE]; s[threadIdx.x] = COUNT;\n"
      "  a[blockIdx.x * BLOCK_SIZE + threadIdx.x] = s[threadIdx.x]; }\n"
      "int main() {\n  real* a; cudaMalloc(&a, COUNT * BLOCK_SIZE * sizeof(real));\n"
      "  dim3 block(BLOCK_SIZE); dim3 grid(COUNT, 1);\n"
      "#ifdef RD_WG_SIZE_0_0\n  k<<<grid, block>>>(a);\n#else\n  k<<<COUNT, block>>>(a);\n#endif\n}\n";
  const struct {
    std::vector<std::string> options;
    const char *block, *grid, *type, *extent, *expected;
  } cases[] = {
      {{}, "block: [16]", "grid: [32]", "type: double, shape: [\"32 * 16\"]", "512", "expected: 32"},
      {{"-D", "RD_WG_SIZE=12"},
       "block: [12]",
       "grid: [24]",
       "type: double, shape: [\"24 * 12\"]",
       "288",
       "expected: 24"},
      {{"-D", "RD_WG_SIZE_0_0=4", "-D", "RD_WG_SIZE=12"},
       "block: [4]",
       "grid: [4, 1]",
       "type: float, shape: [\"4 * 4\"]",
       "16",
       "expected: 4"},
  };
  write("program.cu", text);
  for (const auto& one : cases) {
    std::vector<std::string> command = {"new", path("program.cu"), "-o", path("program.yaml"), "--force"};
    command.insert(command.end(), one.options.begin(), one.options.end());
    const CliResult result = kiln(command);
    EXPECT_EQ(result.code, kExitDone) << result.err;
    const std::string yaml = files_->read_file(path("program.yaml")).value_or("");
    for (const char* part : {one.block, one.grid, one.type}) EXPECT_THAT(yaml, HasSubstr(part));
    const CliResult ran = run_with(yaml, {{"checks: []", std::string("checks: [{buffer: a, region: [[0, ") +
                                                             one.extent + "]], " + one.expected + "}]"}});
    EXPECT_EQ(ran.code, kExitDone) << ran.err << ran.out;
  }
}

TEST_F(NewPrograms, ConditionsOfSeveralMacrosDecideWhatIsCompiled) {
  write("fast.cuh",
        "#if defined(FAST) && LEVEL >= 2\n__global__ void fast(float* a) { a[0] = 4; }\n#endif\n");
  const std::string text =
      "#include \"fast.cuh\"\n#if defined(A) || defined(B)\n__global__ void either(float* a) { a[0] = 1; "
      "}\n#endif\n"
      "#if defined(A) && !defined(C)\n__global__ void both(float* a) { a[0] = 2; }\n#else\n"
      "__global__ void other(float* a) { a[0] = 3; }\n#endif\n"
      "int main() {\n  float* a;\n#ifdef B\n  either<<<1, 32>>>(a);\n#endif\n"
      "#ifdef NEVER\n  other<<<1, 64>>>(a);\n#endif\n}\n";
  std::string yaml = draft(text);
  EXPECT_THAT(yaml, HasSubstr("run: [other]"));
  EXPECT_THAT(yaml, HasSubstr("block: [64]"));  // the only launch, though it is not compiled
  EXPECT_THAT(said_, HasSubstr("'either' is not compiled: '#if defined(A) || defined(B)' of line 2 does not "
                               "hold (-D A or -D B)"));
  EXPECT_THAT(said_, HasSubstr("'both' is not compiled: '#if defined(A) && !defined(C)' of line 5 does not "
                               "hold (-D A)"));
  CliResult with =
      kiln({"new", path("program.cu"), "-D", "A", "-D", "FAST", "-D", "LEVEL=2", "-o", path("with.yaml")});
  EXPECT_EQ(with.code, kExitDone) << with.err;
  EXPECT_THAT(files_->read_file(path("with.yaml")).value_or(""), HasSubstr("run: [either, both]"));
  EXPECT_THAT(with.err,
              HasSubstr("'other' is not compiled: '#if defined(A) && !defined(C)' of line 5 holds"));
  with = kiln({"new", path("program.cu"), "both", "-D", "A", "-D", "C", "-o", path("none.yaml")});
  EXPECT_EQ(with.code, kExitBadInput);
  EXPECT_THAT(with.err, HasSubstr("the kernel 'both' is not compiled: '#if defined(A) && !defined(C)'"));
  write("program.cu", "#include \"fast.cuh\"\nint main() {}\n");
  with = kiln({"new", path("program.cu"), "-o", path("none.yaml")});
  EXPECT_EQ(with.code, kExitBadInput);
  EXPECT_THAT(with.err, HasSubstr("no kernel is compiled; 'fast' is not compiled: '#if defined(FAST) && "
                                  "LEVEL >= 2' of line 1 does not hold"));
}

TEST_F(NewPrograms, HeadersThatAreNotCompiledDecideNothing) {
  files_->make_directories(path("vendor"), false);
  write("Makefile", "all:\n\tnvcc -DSIDE=2 -DWIDTH=3 program.cu\n");
  write("vendor/deep.h", "#define WIDE WIDTH\n");
  write("other.h",
        "#include \"deep.h\"\n#define N 99\nstruct Cell { double x, y; };\n"
        "__device__ float outside(float x);\n__global__ void of_header(float* a) { a[0] = N; }\n");
  write("outside.cu", "__device__ float outside(float x) { return x; }\n");
  const std::string yaml = draft(
      "#if defined(USE_OTHER) && SIDE > 1\n#include \"other.h\"\n#else\nstruct Cell { float x; };\n#endif\n"
      "#define N 4\n__device__ float outside(float x);\n"
      "__global__ void k(Cell* a) { a[threadIdx.x].x = N; }\nint main() { Cell* a; k<<<1, N>>>(a); }\n");
  EXPECT_THAT(yaml, HasSubstr("Cell: {x: float}"));
  EXPECT_THAT(yaml, HasSubstr("block: [4]"));
  EXPECT_THAT(yaml, Not(HasSubstr("options:")));
  EXPECT_THAT(yaml, Not(HasSubstr("WIDTH")));
  EXPECT_THAT(yaml, HasSubstr("defines: {SIDE: 2}"));
  EXPECT_THAT(said_, Not(HasSubstr("of_header")));
}

TEST_F(NewPrograms, ABlockOfAnEndlessExpressionIsGuessed) {
  std::string deep(200000, '(');
  const std::string yaml = draft("#define N " + deep +
                                 "1\n__global__ void k(float* a) { a[0] = 1; }\n"
                                 "int main() { float* a; k<<<N, N>>>(a); }\n");
  EXPECT_THAT(yaml, HasSubstr("block: [256]  # FILL IN"));
}

TEST_F(NewPrograms, TypesMayHaveTheMarksOfCudasHeaders) {
  const std::string yaml = draft(
      "struct __align__(8) duo { int a; int b; };\ntypedef __device_builtin__ struct duo duo_t;\n"
      "struct __builtin_align__(16) quad { int v[3]; };\n"
      "#ifdef __INTELLISENSE__\ntypedef unsigned char count_t;\n#else\ntypedef unsigned count_t;\n#endif\n"
      "__global__ void k(duo_t* a, __grid_constant__ const duo_t b, int* rows[2], quad* q, "
      "__device_builtin__ struct duo d) {\n"
      "  a[0].a = b.b + sizeof(quad); rows[1][0] = d.a; }\n"
      "int main() { duo_t *a, b; int** rows; quad* q; k<<<1, 1>>>(a, b, rows, q, b); }\n"
      "__global__ void widths(count_t n) {}\n");
  EXPECT_THAT(yaml, HasSubstr("duo: {a: int, b: int}"));
  EXPECT_THAT(yaml, HasSubstr("n: {type: unsigned"));
  EXPECT_THAT(
      yaml,
      HasSubstr("args: [a, {struct: [{value: 0, type: int}, {value: 0, type: int}]}, {pointers: rows}, q, "));
  const CliResult ran =
      run_with(yaml, {{"checks: []", "checks: [{buffer: rows, region: [[1, 2], [0, 1]], expected: 5}]"},
                      {"{struct: [{value: 0, type: int}, {value: 0, type: int}]}]",
                       "{struct: [{value: 5, type: int}, {value: 0, type: int}]}]"}});
  EXPECT_EQ(ran.code, kExitDone) << ran.err << ran.out;
}

TEST_F(NewPrograms, KernelsOfANamespaceMayBeDefinedOutsideOfIt) {
  const std::string yaml = draft(
      "namespace grid { __global__ void fill(float* a); }\n"
      "__global__ void grid::fill(float* a) { a[0] = 6; }\nint main() { float* a; grid::fill<<<1, 1>>>(a); "
      "}\n");
  EXPECT_THAT(yaml, HasSubstr("entry: \"grid::fill\""));
  const CliResult ran =
      run_with(yaml, {{"checks: []", "checks: [{buffer: a, region: [[0, 1]], expected: 6}]"}});
  EXPECT_EQ(ran.code, kExitDone) << ran.err << ran.out;
}

TEST_F(NewPrograms, AMacroMayStandForSeveralParameters) {
  write("args.h", "#define SIZES int n, float factor\n#define ARGS float* a, \\\n  SIZES\n");
  const std::string yaml = draft(
      "#include \"args.h\"\n__global__ __launch_bounds__(64) void k(ARGS, int more) { a[0] = n * factor + "
      "more; }\n"
      "int main() { float* a; k<<<1, 1>>>(a, 3, 2.0f, 1); }\n");
  EXPECT_THAT(yaml, HasSubstr("args: [a, n, factor, more]"));
  const CliResult ran =
      run_with(yaml, {{"checks: []", "checks: [{buffer: a, region: [[0, 1]], expected: 7}]"}});
  EXPECT_EQ(ran.code, kExitDone) << ran.err << ran.out << yaml;
}

TEST_F(NewPrograms, DeviceFunctionsOfOtherFilesAreCompiledWithIt) {
  write("twice.cu", "__device__ float factor = 2;\n__device__ float twice(float x) { return factor * x; }\n");
  const std::string yaml = draft(
      "__device__ float twice(float x);\n__global__ void k(float* a) { a[0] = twice(4); }\n"
      "int main() { float* a; k<<<1, 1>>>(a); }\n");
  EXPECT_THAT(yaml, HasSubstr("source: [program.cu, twice.cu]"));
  const CliResult ran =
      run_with(yaml, {{"checks: []", "checks: [{buffer: a, region: [[0, 1]], expected: 8}]"}});
  EXPECT_EQ(ran.code, kExitDone) << ran.err << ran.out;
}

TEST_F(NewPrograms, HeadersAreFoundInFoldersNearby) {
  files_->make_directories(path("common"), false);
  write("common/sizes.h", "#define SIDE 16\n");
  const std::string yaml = draft(
      "#include \"sizes.h\"\n__global__ void k(float* a) { a[SIDE - 1] = 4; }\n"
      "int main() { float* a; k<<<1, SIDE>>>(a); }\n");
  EXPECT_THAT(yaml, HasSubstr("options: [\"-Icommon\"]"));
  EXPECT_THAT(said_, HasSubstr("common: -I added"));
  const CliResult ran =
      run_with(yaml, {{"checks: []", "checks: [{buffer: a, region: [[15, 16]], expected: 4}]"}});
  EXPECT_EQ(ran.code, kExitDone) << ran.err << ran.out;
}

TEST_F(NewPrograms, ParametersInConditionalsAreThoseOfTheFirstBranch) {
  const std::string yaml = draft(
      "__global__ void k(\n#ifndef WIDE\n    float* a,\n#else\n    double* a,\n#endif\n    int n) { a[n] = "
      "3; }\n"
      "int main() { float* a; k<<<1, 1>>>(a, 2); }\n");
  EXPECT_THAT(yaml, HasSubstr("args: [a, n]"));
  EXPECT_THAT(yaml, HasSubstr("a: {type: float,"));
}

TEST_F(NewPrograms, AnUnknownWordInFrontOfATypeParameterIsAConcept) {
  const std::string yaml = draft(
      "template <Number T, int N> __global__ void k(const T* in, T* out) { out[N] = in[0]; }\n"
      "int main() { float* a; k<float, 2><<<1, 1>>>(a, a); }\n");
  EXPECT_THAT(yaml, HasSubstr("T: {type: type, default: float}"));
  EXPECT_THAT(yaml, HasSubstr("template_args: [T, 2]"));
}

TEST_F(NewPrograms, MacrosOnTheirOwnLinesAreNoKernels) {
  const std::string yaml = draft(
      "BEGIN_NAMESPACE\n\nREGISTER(Thing)\n\n__global__ void\nk(float* a) { a[0] = 1; }\n"
      "int main() { float* a; k<<<1, 1>>>(a); }\n");
  EXPECT_THAT(yaml, HasSubstr("run: [k]"));
}

TEST_F(NewPrograms, VotesWithoutAMaskAreThoseOfTheActiveWorkItems) {
  const std::string yaml = draft(
      "#define ANY(x) __any(x)\n__global__ void k(unsigned* a) {\n  a[threadIdx.x] = 0;\n"
      "  if (threadIdx.x < 5) a[threadIdx.x] = __ballot(threadIdx.x > 2) + ANY(threadIdx.x == 1);\n}\n"
      "int main() { unsigned* a; k<<<1, 32>>>(a); }\n");
  const CliResult ran =
      run_with(yaml, {{"checks: []", "checks: [{buffer: a, region: [[0, 5]], expected: 25}]"}});
  EXPECT_EQ(ran.code, kExitDone) << ran.err << ran.out;
}

/// Nvcc passes over the word in front of a type of CUDA's.
TEST_F(NewPrograms, RestrictMayStandInFrontOfAType) {
  const std::string yaml = draft(
      "__global__ void k(const __restrict__ float2 *in, float* out, int n) {\n"
      "  int i = threadIdx.x, j = threadIdx.y;\n  if (i >= (n>>1) || j >= (n>>1)) return;\n"
      "  out[i] = in[i].x + 2;\n}\n"
      "int main() { float2* in; float* out; k<<<1, 32>>>(in, out, 32); }\n");
  const CliResult ran =
      run_with(yaml, {{"{uniform: [0, 1]}", "1"},
                      {"checks: []", "checks: [{buffer: out, region: [[0, 16]], expected: 3}]"}});
  EXPECT_EQ(ran.code, kExitDone) << ran.err << ran.out;
}

TEST_F(NewPrograms, FunctionsForBothSidesMayCallTheRuntimeOfTheHost) {
  const std::string head =
      "#include <cuda_runtime.h>\n#define BOTH __host__ __device__\nstruct Map {\n  float* table = nullptr;\n"
      "  BOTH void make(int n) {\n    cudaMallocHost(&table, n * sizeof(float));\n"
      "    if (cudaHostRegister(table, n, 0) != cudaSuccess) table = nullptr;\n  }\n"
      "  BOTH float at(int i) const { return table ? table[i] : 7; }\n};\n";
  const std::string main = "int main() { float* a; Map m; m.make(8); cudaMalloc(&a, 32); k<<<1, 8>>>(a); }\n";
  const std::string yaml =
      draft(head + "__global__ void k(float* a) { Map m; m.make(8); a[threadIdx.x] = m.at(threadIdx.x); }\n" +
            main);
  const CliResult ran =
      run_with(yaml, {{"checks: []", "checks: [{buffer: a, region: [[0, 8]], expected: 7}]"}});
  EXPECT_EQ(ran.code, kExitDone) << ran.err << ran.out;
  // A kernel's own call stays an error, as with nvcc.
  const CliResult failed =
      run_with(draft(head + "__global__ void k(float* a) { cudaMallocHost(&a, 8); }\n" + main), {});
  EXPECT_NE(failed.code, kExitDone);
  EXPECT_THAT(failed.out + failed.err, HasSubstr("cudaMallocHost"));
}

/// Of a header: nvcc makes no code of it.
TEST_F(NewPrograms, TemplatesThatTheProgramDoesNotUseAreNotDrafted) {
  const std::string header =
      write("tools.cuh",
            "#pragma once\ntemplate <class T> __global__ void pick(T* a) { a[0] = a[1][2]; }\n"
            "template <class T> void picks(T* a) { pick<T><<<1, 1>>>(a); }\n"
            "template <class T> void more(T* a) { picks<T>(a); }\n"
            "template <class T> __global__ void scale(T* a) { a[threadIdx.x] *= 3; }\n"
            "template <class T> void scales(T* a) { scale<T><<<1, 8>>>(a); }\n");
  const std::string yaml =
      draft("#include \"tools.cuh\"\nint main() { float* a; cudaMalloc(&a, 32); scales<float>(a); }\n");
  EXPECT_THAT(yaml, HasSubstr("run: [scale]"));
  EXPECT_THAT(
      draft("#include \"tools.cuh\"\nint main() { float** a; scales<float>(a[0]); more<float*>(a); }\n"),
      HasSubstr("run: [pick, scale]"));
}

/// Of CUDA's samples: programs include it and do not carry it.
TEST_F(NewPrograms, FunctionsOfHelperMathAreThere) {
  const std::string yaml = draft(
      "#include <helper_math.h>\n__global__ void k(float* a) {\n"
      "  float3 u = make_float3(1.0f, 2.0f, 2.0f), v = make_float3(2.0f) * u - u;\n  v += 1;\n"
      "  float4 w = make_float4(v, 0.5f);\n  w += 1.0f;\n  a[0] = dot(u, v) + length(u);\n"  // 2 + 6 + 6 + 3
      "  a[1] = cross(u, v).x + normalize(u).x * 3;\n"                                       // 0 + 1
      "  a[2] = clamp(w, 0.0f, 2.5f).y + lerp(u, v, 0.5f).x + fmaxf(u, v).z;\n"              // 2.5 + 1.5 + 3
      "  int2 i = make_int2(make_float2(w)) / 2;\n"
      "  a[3] = i.x + clamp(7, 0, 5) + floorf(make_float2(1.5f)).y + fracf(2.25f) + (-u).z;\n}\n"  // 1+5+1+.25-2
      "int main() { float* a; cudaMalloc(&a, 16); k<<<1, 1>>>(a); }\n");
  std::string checks;
  for (const std::string check : {"[[0, 1]], expected: 17", "[[1, 2]], expected: 1", "[[2, 3]], expected: 7",
                                  "[[3, 4]], expected: 5.25"})
    checks += (checks.empty() ? "" : ", ") + ("{buffer: a, atol: 1e-5, region: " + check + "}");
  const CliResult ran = run_with(yaml, {{"checks: []", "checks: [" + checks + "]"}});
  EXPECT_EQ(ran.code, kExitDone) << ran.err << ran.out;
}

/// CUDA has no atomics of `unsigned long`: programs define them.
TEST_F(NewPrograms, ProgramsMayDefineAtomicsOfTheirOwn) {
  const std::string yaml = draft(
      "#include <cstdint>\ntypedef unsigned short int count_t;\n"
      "__device__ inline void atomicXor(uint64_t* address, uint64_t value) {\n"
      "  atomicXor(reinterpret_cast<unsigned long long int*>(address), (unsigned long long int)value);\n}\n"
      "__device__ unsigned long atomicAdd(unsigned long* address, unsigned long value) {\n"
      "  return atomicAdd((unsigned long long*)address, (unsigned long long)value) ;\n}\n"
      "__global__ void k(uint64_t* a, count_t n) {\n  if (threadIdx.x < n) atomicXor(a, 6);\n"
      "  atomicAdd(a + 1, 2ul);\n  atomicMax(a + 2, threadIdx.x);\n  atomicOr(a + 3, 1ul << "
      "threadIdx.x);\n}\n"
      "int main() { uint64_t* a; cudaMalloc(&a, 32); k<<<1, 8>>>(a, 3); }\n");
  EXPECT_THAT(yaml, HasSubstr("args: [a, {value: n, type: ushort}]"));
  const CliResult ran = run_with(
      yaml, {{"shape: [n], init: {uniform: [0, 16]}", "shape: [4], init: 0"},
             {"checks: []",
              "checks: [{buffer: a, region: [[0, 1]], expected: 6}, {buffer: a, region: [[1, 2]], "
              "expected: 16}, {buffer: a, region: [[2, 3]], expected: 7}, {buffer: a, region: [[3, 4]], "
              "expected: 255}]"}});
  EXPECT_EQ(ran.code, kExitDone) << ran.err << ran.out << yaml;
}

TEST_F(NewPrograms, ConditionalsOfNvccAreTrue) {
  const std::string yaml = draft(
      "__global__ void k(float* a) {\n#ifdef __NVCC__\n  a[0] = 9;\n#endif\n}\n"
      "int main() { float* a; k<<<1, 1>>>(a); }\n");
  const CliResult ran =
      run_with(yaml, {{"checks: []", "checks: [{buffer: a, region: [[0, 1]], expected: 9}]"}});
  EXPECT_EQ(ran.code, kExitDone) << ran.err << ran.out;
}

TEST_F(NewPrograms, HeadersOfCublasDeclareTheTypesOfHalf) {
  write("common.h",
        "#include <cublas_v2.h>\n#include <cublasLt.h>\n#ifdef USE_BF16\ntypedef __nv_bfloat16 real;\n"
        "#else\ntypedef half real;\n#endif\n");
  const std::string text =
      "#include \"common.h\"\ncublasHandle_t handle;\n#ifdef USE_BF16\n"
      "__global__ void k(real* a) { a[0] = (real)fmaxf(1.5f, sqrtf(1.0f)); }\n#endif\n"
      "#ifndef USE_BF16\n__global__ void other(real* a) { a[0] = 2; }\n#endif\n"
      "int main() { real* a; k<<<1, 1>>>(a); cublasCreate(&handle); }\n";
  const std::string yaml = draft("#define USE_BF16\n" + text);
  EXPECT_THAT(yaml, HasSubstr("run: [k]"));
  EXPECT_THAT(yaml, HasSubstr("a: {type: bfloat16"));
  const CliResult ran =
      run_with(yaml, {{"checks: []", "checks: [{buffer: a, region: [[0, 1]], expected: 1.5}]"}});
  EXPECT_EQ(ran.code, kExitDone) << ran.err << ran.out;
}

TEST_F(NewPrograms, TypesAndScalarsOfOneNameAreDistinct) {
  const std::string yaml = draft(
      "__global__ void first(float* a, int T) { a[0] = T; }\n"
      "template <class T> __global__ void second(T* b) { b[0] = 4; }\n"
      "int main() { float* a; first<<<1, 1>>>(a, 3); second<float><<<1, 1>>>(a); }\n");
  const CliResult ran = run_with(yaml, {{"checks: []",
                                         "checks: [{buffer: a, region: [[0, 1]], expected: 3}, "
                                         "{buffer: a_, region: [[0, 1]], expected: 4}]"}});
  EXPECT_EQ(ran.code, kExitDone) << ran.err << ran.out;
}

TEST_F(NewPrograms, ArgumentsWithoutANameAndConstantsOfStdArePassed) {
  const std::string yaml = draft(
      "#include <type_traits>\ntemplate <bool Twice>\n"
      "__global__ void k(int* a, int, std::bool_constant<Twice>, int n) { a[0] = Twice ? 2 * n : n; }\n"
      "int main() { int* a; k<<<1, 1>>>(a, 5, std::true_type{}, 7); }\n");
  const CliResult ran =
      run_with(yaml, {{"template_args: [false]", "template_args: [true]"},
                      {"checks: []", "checks: [{buffer: a, region: [[0, 1]], expected: 14}]"}});
  EXPECT_EQ(ran.code, kExitDone) << ran.err << ran.out;
}

TEST_F(NewPrograms, TemplateArgumentsOfGenericLambdasAreKnown) {
  const std::string yaml = draft(
      "template <int Size> __global__ void k(int* a) { a[0] = Size; }\n"
      "template <class F> void choose(F f, int n) { if (n > 128) f(std::integral_constant<int, 256>{}); }\n"
      "void run(int* a, int n) {\n  auto launch = [&](auto chosen) {\n    constexpr int size = "
      "chosen.value;\n"
      "    k<size><<<1, size>>>(a);\n  };\n  choose(launch, n);\n}\n"
      "int main() { int* a; run(a, 256); }\n");
  EXPECT_THAT(yaml, HasSubstr("template_args: [256]\n"));
}

TEST_F(NewPrograms, ConstantsInBracesAreTemplateArguments) {
  const std::string yaml = draft(
      "template <class T, unsigned Width, unsigned Rows>\n__global__ void k(T* a) {\n"
      "  static_assert(Width % Rows == 0 && Width > 1);\n  a[0] = Width + Rows;\n}\n"
      "struct Size {\n  int n{3};\n};\n"
      "template <class T> void run(T* a) {\n  constexpr unsigned kWide{8U * 2U};\n"
      "  constexpr unsigned kRows{4U};\n"
      "  k<T, kWide, kRows><<<1, 1>>>(a);\n}\nint main() { float* a; run<float>(a); }\n");
  EXPECT_THAT(yaml, HasSubstr("template_args: [T, 16, 4]"));
  const CliResult ran =
      run_with(yaml, {{"checks: []", "checks: [{buffer: a, region: [[0, 1]], expected: 20}]"}});
  EXPECT_EQ(ran.code, kExitDone) << ran.err << ran.out;
}

TEST_F(NewPrograms, AReduceOfTheProgramIsNotThatOfCooperativeGroups) {
  const std::string yaml = draft(
      "#include <cooperative_groups.h>\nusing namespace cooperative_groups;\n"
      "__device__ int reduce(thread_group g, int* part, int value) {\n"
      "  const int lane = g.thread_rank();\n  for (int i = g.size() / 2; i > 0; i /= 2) {\n"
      "    part[lane] = value;\n    g.sync();\n    if (lane < i) value += part[lane + i];\n    g.sync();\n"
      "  }\n  return value;\n}\n"
      "__global__ void k(int* a) {\n  __shared__ int part[64];\n  auto block = this_thread_block();\n"
      "  auto tile = tiled_partition(block, 16);\n"
      "  const int first = threadIdx.x / tile.size() * tile.size();\n"
      "  const int sum = reduce(tile, part + first, threadIdx.x);\n"
      "  if (tile.thread_rank() == 0) a[threadIdx.x / 16] = sum;\n}\n"
      "int main() { int* a; cudaMalloc(&a, 4 * sizeof(int)); k<<<1, 64>>>(a); }\n");
  const CliResult ran = run_with(yaml, {{"checks: []",
                                         "checks: [{buffer: a, region: [[0, 1]], expected: 120},"
                                         " {buffer: a, region: [[3, 4]], expected: 888}]"}});
  EXPECT_EQ(ran.code, kExitDone) << ran.err << ran.out;
}

TEST_F(NewPrograms, LibrariesOfTheHostAreLeftOut) {
  write("include/mpi.h", "class Comm;\nstruct Holder { Comm comm; };\n");
  write("GL/gl.h", "typedef Missing GLuint;\n");
  std::string yaml = draft(
      "#include <mpi.h>\n#include \"GL/gl.h\"\n#include <nvbench/nvbench.cuh>\n#include "
      "<sm_61_intrinsics.h>\n"
      "__global__ void k(int* a) { int three[1] = {3.0}; a[0] = three[0]; }\n"
      "class Worker {\n  Timer* timer;\n  static void CUDART_CB done(cudaStream_t, cudaError_t, void*);\n};\n"
      "void Worker::CUDART_CB done(cudaStream_t, cudaError_t, void* data) { ((Worker*)data)->print(); }\n"
      "void bench(nvbench::state& state) { int* a; k<<<1, 1>>>(a); }\n"
      "NVBENCH_BENCH(bench)\n    .set_name(\"k\")\n    .set_timeout(3);\n"
      "int main() { MPI_Init(0, 0); }\n");
  const CliResult ran =
      run_with(yaml, {{"checks: []", "checks: [{buffer: a, region: [[0, 1]], expected: 3}]"}});
  EXPECT_EQ(ran.code, kExitDone) << ran.err << ran.out;
}

TEST_F(NewPrograms, GridsThatAreDividedTwiceHaveABlock) {
  const std::string yaml = draft(
      "__global__ void k(int* a, int n) { a[0] = n; }\n"
      "int main() {\n  int* a; int size = 1024;\n  dim3 block(512);\n"
      "  dim3 grid((size + block.x - 1) / block.x);\n  k<<<grid.x / 4, block>>>(a, size);\n}\n");
  EXPECT_THAT(yaml, HasSubstr("grid: [\"max(1, "));
  EXPECT_EQ(kiln({"validate", path("program.yaml")}).code, kExitDone);
}

TEST_F(NewPrograms, KernelsMayHaveAnyName) {
  for (const std::string body : {"a[0] = 4;", "__shared__ int s; s = 4; __syncthreads(); a[0] = s;"}) {
    for (const std::string name :
         {"first", "last", "launch", "worker", "block", "block_x", "thread", "R", "runner"}) {
      const std::string yaml = draft("__global__ void " + name + "(int* a) { " + body +
                                     " }\nint main() { int* a; " + name + "<<<1, 1>>>(a); }\n");
      const CliResult ran =
          run_with(yaml, {{"checks: []", "checks: [{buffer: a, region: [[0, 1]], expected: 4}]"}});
      EXPECT_EQ(ran.code, kExitDone) << name << ran.err << ran.out;
    }
  }
}

TEST_F(NewPrograms, BlanksMayFollowTheBackslashOfALine) {
  const std::string yaml = draft(
      "#define SET(x) \\ \t\n  a[0] = x\n__global__ void k(int* a) { SET(6); }\n"
      "#define LAUNCH(k) \\  \n  void run_##k() { \\\n    int* a; k<<<1, 1>>>(a); }\nLAUNCH(k)\n");
  const CliResult ran =
      run_with(yaml, {{"checks: []", "checks: [{buffer: a, region: [[0, 1]], expected: 6}]"}});
  EXPECT_EQ(ran.code, kExitDone) << ran.err << ran.out;
}

TEST_F(NewPrograms, FunctionsMayHaveTheNamesOfCooperativeGroups) {
  const std::string yaml = draft(
      "#include <cooperative_groups.h>\n#include <opencv2/opencv.hpp>\nusing namespace std;\nusing namespace "
      "cv;\n"
      "using namespace cooperative_groups;\n"
      "__device__ int reduce(thread_group g, int* x, int val) {\n  for (int i = g.size() / 2; i > 0; i /= 2) "
      "{\n"
      "    x[g.thread_rank()] = val;\n    g.sync();\n    if (g.thread_rank() < i) val += x[g.thread_rank() + "
      "i];\n"
      "    g.sync();\n  }\n  return val;\n}\n"
      "__global__ void k(int* a) {\n  __shared__ int s[64];\n  auto group = this_thread_block();\n"
      "  const int sum = reduce(group, s, threadIdx.x);\n  if (threadIdx.x == 0) a[0] = sum;\n}\n"
      "int main() { int* a; Mat image; k<<<1, 64>>>(a); }\n");
  const CliResult ran =
      run_with(yaml, {{"checks: []", "checks: [{buffer: a, region: [[0, 1]], expected: 2016}]"}});
  EXPECT_EQ(ran.code, kExitDone) << ran.err << ran.out;
}

TEST_F(NewPrograms, WhatKilnDoesNotHaveIsNamedWithItsLine) {
  const auto fails_with = [&](const std::string& kernel) {
    const std::string yaml = draft(kernel + "int main() { int* a; k<<<1, 1>>>(a); }\n");
    return kiln({"run", path("program.yaml"), "--device", "cpu"}).err;
  };
  EXPECT_THAT(fails_with("__global__ void k(int* a) {\n  asm volatile(\n      "
                         "\"cp.async.bulk.commit_group;\");\n  a[0] = 1;\n}\n"),
              HasSubstr("program.cu:2 has `asm` for a GPU, which the cpu does not run"));
  // What the assembler says about the line is left out.
  EXPECT_THAT(
      fails_with("__global__ void k(float* a) {\n  unsigned r[6] = {};\n  asm(\"mma.sync.aligned.m16n8k32.row"
                 ".col.f32.e4m3.e4m3.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, "
                 "%3};\"\n      : \"+f\"(a[0]), \"+f\"(a[1]), \"+f\"(a[2]), \"+f\"(a[3])\n      : "
                 "\"r\"(r[0]), \"r\"(r[1]), \"r\"(r[2]), \"r\"(r[3]), \"r\"(r[4]), \"r\"(r[5]));\n}\n"),
      AllOf(HasSubstr("program.cu:3 has `asm` for a GPU, which the cpu does not run"),
            Not(HasSubstr("rror: no such instruction"))));
  EXPECT_THAT(fails_with("#define LANE(x) \\\n  asm(\"mov.u32 %0, %envreg3;\" : \"=r\"(x))\n"
                         "__global__ void k(int* a) { LANE(a[0]); }\n"),
              HasSubstr("has `asm` for a GPU"));
  EXPECT_THAT(fails_with("texture<float> t;\n__global__ void k(int* a) { a[0] = tex1Dfetch(t, 0); }\n"),
              HasSubstr("program.cu:1 has a texture reference, which CUDA 12 has removed"));
  EXPECT_THAT(
      fails_with(
          "__global__ void k(int* a) {\n#ifdef __CUDA_ARCH__\n  asm(\"nop;\");\n#endif\n  a[0] = none;\n}\n"),
      Not(HasSubstr("asm")));
}

TEST_F(NewPrograms, HeadersOfOtherFoldersThatAreMissingAreLeftOut) {
  const std::string yaml = draft(
      "#include \"../common/missing.h\"\n#include \"../../other/missing.h\"\n"
      "__global__ void fill(int* a) { a[threadIdx.x] = 3; }\n"
      "int main() { int* a; check(cudaMalloc(&a, 16)); fill<<<1, 4>>>(a); }\n");
  const CliResult ran =
      run_with(yaml, {{"checks: []", "checks: [{buffer: a, region: [[0, 4]], expected: 3}]"}});
  EXPECT_EQ(ran.code, kExitDone) << ran.err << ran.out;
}

TEST_F(NewPrograms, SpansAndNumbersOfTheLibrariesArePassed) {
  const std::string yaml = draft(R"cuda(
#include <span>
#include <thrust/complex.h>
__global__ void scale(std::span<float> out, std::span<const float> in, thrust::complex<float>* turned) {
  const unsigned i = threadIdx.x;
  if (i >= out.size()) return;
  out[i] = 2 * in[i];
  turned[i] = thrust::complex<float>(0, in[i]);
}
int main() { scale<<<1, 32>>>(a, b, c); }
)cuda");
  EXPECT_THAT(yaml, HasSubstr("c: {type: float2,"));
  const CliResult ran =
      run_with(yaml, {{"in_data: {type: float, shape: [elements], init: {uniform: [0, 1]}}",
                       "in_data: {type: float, shape: [elements], init: 3}"},
                      {"checks: []", "checks: [{buffer: out_data, region: [[0, 32]], expected: 6}]"}});
  EXPECT_EQ(ran.code, kExitDone) << ran.err << ran.out << yaml;
}

/// As they lie in memory by CUDA's library: what is no variable takes none.
TEST_F(NewPrograms, SpansOfSeveralDimensionsArePassedWithTheirExtents) {
  const std::string yaml = draft(R"cuda(
#include <cuda/std/mdspan>
namespace cs = cuda::std;
constexpr auto dyn = cs::dynamic_extent;
using Plane = cs::mdspan<float, cs::extents<int, dyn, 4>>;
template <template <class...> class View, template <class, size_t> class Sizes>
struct Fields {
  View<const float, Sizes<int, 2>> rho;
  View<int, Sizes<long, 1>> kind;
};
using Strided = cs::mdspan<float, cs::dextents<unsigned, 2>, cs::layout_stride>;
static_assert(sizeof(Plane) == 16 && sizeof(Strided) == 24 && sizeof(Fields<cs::mdspan, cs::dextents>) == 32);
static_assert(sizeof(cs::mdspan<int, cs::extents<int, 4, 5>>) == 8);
__global__ void add(Plane a, Strided b, Fields<cs::mdspan, cs::dextents> f) {
  const int x = threadIdx.x;
  a(1, x) = b(1, x) + f.rho(2, x) + f.kind(x) + a.extent(0);
}
int main() { add<<<1, 4>>>(a, b, f); }
)cuda");
  EXPECT_THAT(yaml, HasSubstr("args: [{struct: [a_data, {value: 0, type: int}]}, "
                              "{struct: [b_data, {value: 0, type: unsigned}, {value: 0, type: unsigned}, "
                              "{value: 0, type: unsigned}, {value: 0, type: unsigned}]}, "
                              "{struct: [f_data, {value: 0, type: int}, {value: 0, type: int}, kind_data, "
                              "{value: 0, type: long}]}]"));
  EXPECT_THAT(yaml, HasSubstr("of b: data, extent_0, extent_1, stride_0, stride_1; of f: data, extent_0"));
  const CliResult ran =
      run_with(yaml, {{"a_data, {value: 0, type: int}", "a_data, {value: 3, type: int}"},
                      {"{value: 0, type: unsigned}, {value: 0, type: unsigned}, {value: 0, type: unsigned}, "
                       "{value: 0, type: unsigned}",
                       "{value: 3, type: unsigned}, {value: 4, type: unsigned}, {value: 8, type: unsigned}, "
                       "{value: 1, type: unsigned}"},
                      {"f_data, {value: 0, type: int}, {value: 0, type: int}",
                       "f_data, {value: 3, type: int}, {value: 4, type: int}"},
                      {"f_data: {type: float, shape: [elements], init: {uniform: [0, 1]}}",
                       "f_data: {type: float, shape: [elements], init: 0}"},
                      {"b_data: {type: float, shape: [elements], init: 0}",
                       "b_data: {type: float, shape: [elements], init: 5}"},
                      {"checks: []", "checks: [{buffer: a_data, region: [[4, 8]], expected: 8}]"}});
  EXPECT_EQ(ran.code, kExitDone) << yaml << ran.err << ran.out;
}

TEST_F(NewPrograms, NumbersOfThrustAndCudaAreThoseOfTheDevice) {
  const std::string yaml = draft(R"cuda(
#include <cuda/cmath>
#include <thrust/random.h>
__global__ void draw(unsigned* number, float* real, int* whole, int* parts) {
  thrust::default_random_engine engine(7);
  engine.discard(9999);
  *number = engine();
  thrust::minstd_rand0 other;
  thrust::uniform_real_distribution<float> u(0, 1);
  *real = u(other);
  thrust::uniform_int_distribution<int> die(1, 6);
  *whole = die(other);
  *parts = cuda::ceil_div(10, 4) + cuda::round_up(9, 8) + cuda::ilog2(1000u);
}
int main() { draw<<<1, 1>>>(a, b, c, d); }
)cuda");
  // 7 a^10000 mod m; (16807 - 1) / (m - 1); 1 + floor(6 (282475249 - 1) / (m - 1)), with m = 2^31 - 1.
  const CliResult ran = run_with(
      yaml, {{"checks: []",
              "checks: [{buffer: a, region: [[0, 1]], expected: 647396112}, "
              "{buffer: b, region: [[0, 1]], expected: 7.825903598e-06, rtol: 1e-4}, "
              "{buffer: c, region: [[0, 1]], expected: 1}, {buffer: d, region: [[0, 1]], expected: 28}]"}});
  EXPECT_EQ(ran.code, kExitDone) << ran.err << ran.out << yaml;
}

/// The 10000th numbers that Thrust's documentation gives.
TEST_F(NewPrograms, EnginesOfThrustGiveTheirDocumentedNumbers) {
  const std::string yaml = draft(R"cuda(
#include <curand_mtgp32_kernel.h>
#include <thrust/random.h>
template <class Engine> __device__ unsigned long late() {
  Engine engine;
  engine.discard(9999);
  return engine();
}
__global__ void draw(unsigned long* number) {
  number[0] = late<thrust::random::taus88>();
  number[1] = late<thrust::ranlux24_base>();
  number[2] = late<thrust::ranlux48_base>();
  number[3] = late<thrust::ranlux24>();
  number[4] = late<thrust::ranlux48>();
}
int main() { draw<<<1, 1>>>(number); }
)cuda");
  const CliResult ran =
      run_with(yaml, {{"checks: []",
                       "checks: [{buffer: number, region: [[0, 1]], expected: 3535848941}, "
                       "{buffer: number, name: b, region: [[1, 2]], expected: 7937952}, "
                       "{buffer: number, name: c, region: [[2, 3]], expected: 192113843633948}, "
                       "{buffer: number, name: d, region: [[3, 4]], expected: 9901578}, "
                       "{buffer: number, name: e, region: [[4, 5]], expected: 88229545517833}]"}});
  EXPECT_EQ(ran.code, kExitDone) << ran.err << ran.out << yaml;
}

TEST_F(NewPrograms, ReferencesAndKernelsThatNothingLaunchesArePassed) {
  const std::string yaml = draft(R"cuda(
struct Sum { float by; __device__ float operator()(float x) const { return x + by; } };
template <class F> __global__ void apply(F f, float& x) { x = f(2.0f); }
template <class F> __global__ void apply_twice(F f, float& x) { x = f(f(2.0f)); }
int main() { float* x; Sum sum{3}; apply<<<1, 1>>>(sum, *x); }
)cuda");
  EXPECT_THAT(yaml, HasSubstr("run: [apply, apply_twice]"));
  const CliResult ran =
      run_with(yaml, {{"run: [apply, apply_twice]", "run: [apply]"},
                      {"{struct: [{value: 0, type: float}]}", "{struct: [{value: 3, type: float}]}"},
                      {"checks: []", "checks: [{buffer: x, region: [[0, 1]], expected: 5}]"}});
  EXPECT_EQ(ran.code, kExitDone) << ran.err << ran.out << yaml;
}

TEST_F(NewPrograms, DeviceCodeBesideAHeaderIsFound) {
  write("lib/act.h", "#pragma once\n__device__ float act(float x);\n");
  write("lib/act.cu", "#include \"act.h\"\n__device__ float act(float x) { return 4 * x; }\n");
  const std::string yaml = draft(
      "#include \"lib/act.h\"\n__global__ void k(float* a) { a[threadIdx.x] = act(threadIdx.x); }\n"
      "int main() { float* a; k<<<1, 8>>>(a); }\n");
  EXPECT_THAT(yaml, HasSubstr("source: [program.cu, lib/act.cu]"));
  const CliResult ran =
      run_with(yaml, {{"checks: []", "checks: [{buffer: a, region: [[2, 3]], expected: 8}]"}});
  EXPECT_EQ(ran.code, kExitDone) << ran.err << ran.out << yaml;
}

TEST_F(NewPrograms, InstructionsThatTheCpuKnowsRun) {
  const std::string yaml = draft(
      "__global__ void rank(unsigned* a) {\n  unsigned lower;\n"
      "  asm(\"mov.u32 %0, %%lanemask_lt;\" : \"=r\"(lower));\n"
      "  a[threadIdx.x] = __popc(__ballot_sync(~0u, threadIdx.x % 2) & lower);\n}\n"
      "int main() { unsigned* a; rank<<<1, 32>>>(a); }\n");
  const CliResult ran =
      run_with(yaml, {{"checks: []", "checks: [{buffer: a, region: [[31, 32]], expected: 15}]"}});
  EXPECT_EQ(ran.code, kExitDone) << ran.err << ran.out << yaml;
}

TEST_F(NewPrograms, BytesBitsAndHalvesOfArraysAreChosenByNumbers) {
  const std::string yaml = draft(
      "template <int Table> __device__ unsigned bits(unsigned a, unsigned b, unsigned c) {\n  unsigned y;\n"
      "  asm(\"lop3.b32 %0, %1, %2, %3, %4;\" : \"=r\"(y) : \"r\"(a), \"r\"(b), \"r\"(c), \"n\"(Table));\n"
      "  return y;\n}\n"
      "extern \"C\" __device__ unsigned __nvvm_get_smem_pointer(void*);\n"
      "__global__ void bytes(unsigned* a) {\n"
      "  __shared__ unsigned __align__(1024) two[2][128];\n"
      "  two[1][threadIdx.x] = 7 + threadIdx.x;\n  __syncthreads();\n"
      "  const unsigned other = unsigned(__cvta_generic_to_shared(two[0])) ^ 512u;\n"
      "  if (threadIdx.x == 3)\n"
      "    a[3] = __nvvm_get_smem_pointer(two[1]) == unsigned(__cvta_generic_to_shared(two[0])) + 512;\n"
      "  if (threadIdx.x == 2) asm(\"ld.shared.u32 %0, [%1];\" : \"=r\"(a[2]) : \"r\"(other));\n"
      "  if (threadIdx.x < 2) asm(\"prmt.b32 %0, %1, 0, 0x8880;\" : \"=r\"(a[threadIdx.x]) : \"r\"(0x80u + "
      "threadIdx.x));\n"
      "  if (threadIdx.x == 1) a[1] = bits<(0xf0 & 0xcc) | 0xaa>(0xffu, 0x3cu, 0x101u);\n}\n"
      "int main() { unsigned* a; bytes<<<1, 4>>>(a); }\n");
  const CliResult ran = run_with(yaml, {{"checks: []",
                                         "checks: [{buffer: a, region: [[0, 1]], expected: 4294967168}, "
                                         "{buffer: a, region: [[1, 2]], expected: 317}, "
                                         "{buffer: a, region: [[2, 3]], expected: 7}, "
                                         "{buffer: a, region: [[3, 4]], expected: 1}]"}});
  EXPECT_EQ(ran.code, kExitDone) << ran.err << ran.out << yaml;
}

TEST_F(NewPrograms, DeviceFunctionsAreTemplateArguments) {
  const std::string yaml = draft(
      "template <typename T, T (*f)(T)> __global__ void apply(T* a) { a[threadIdx.x] = f(2); }\n"
      "__device__ float cube(float x) { return x * x * x; }\n"
      "int main() { float* a; apply<float, cube><<<1, 8>>>(a); }\n");
  EXPECT_THAT(yaml, HasSubstr("template_args: [T, cube]"));
  const CliResult ran =
      run_with(yaml, {{"checks: []", "checks: [{buffer: a, region: [[0, 8]], expected: 8}]"}});
  EXPECT_EQ(ran.code, kExitDone) << ran.err << ran.out << yaml;
}

/// Each as its definition in the PTX ISA says: limits, positions in bytes, NaN.
TEST_F(NewPrograms, InstructionsOfNumbersAreAsPtxDefinesThem) {
  struct Case {
    const char* statement;
    const char* expected;
  };
  const std::vector<Case> cases = {
      {"\"shr.s32 %0, %1, 40;\" : \"=r\"(r) : \"r\"(minus)", "4294967295"},
      {"\"shr.s32 %0, %1, 1;\" : \"=r\"(r) : \"r\"(minus)", "4294967294"},
      {"\"shl.b64 %0, %1, 64;\" : \"=l\"(w) : \"l\"(wide)", "0"},
      {"\"shr.u64 %0, %1, 60;\" : \"=l\"(w) : \"l\"(wide)", "8"},
      {"\"shr.s64 %0, %1, 70;\" : \"=l\"(w) : \"l\"(wide)", "4294967295"},
      {"\"bfe.s32 %0, %1, 4, 4;\" : \"=r\"(r) : \"r\"(0xf8f)", "4294967288"},
      {"\"bfe.s32 %0, %1, 4, 300;\" : \"=r\"(r) : \"r\"(minus)", "4294967295"},
      {"\"bfe.u32 %0, %1, 260, 4;\" : \"=r\"(r) : \"r\"(0xf8f)", "8"},
      {"\"bfi.b32 %0, %1, %2, 8, 4;\" : \"=r\"(r) : \"r\"(0xff), \"r\"(0x1000)", "7936"},
      {"\"bfind.u32 %0, %1;\" : \"=r\"(r) : \"r\"(0x800)", "11"},
      {"\"bfind.s32 %0, %1;\" : \"=r\"(r) : \"r\"(minus)", "1"},
      {"\"abs.s32 %0, %1;\" : \"=r\"(r) : \"r\"(minus)", "3"},
      {"\"neg.s64 %0, %1;\" : \"=l\"(w) : \"l\"(7ll)", "4294967289"},
      {"\"cnot.b32 %0, %1;\" : \"=r\"(r) : \"r\"(0)", "1"},
      {"\"sad.s32 %0, %1, 5, 100;\" : \"=r\"(r) : \"r\"(minus)", "108"},
      {"\"mad.hi.s32 %0, %1, %2, 9;\" : \"=r\"(r) : \"r\"(minus), \"r\"(5)", "8"},
      {"\"mad.wide.s32 %0, %1, %2, %3;\" : \"=l\"(w) : \"r\"(minus), \"r\"(5), \"l\"(20ll)", "5"},
      {"\"mad.wide.u32 %0, %1, %2, %3;\" : \"=l\"(w) : \"r\"(minus), \"r\"(1), \"l\"(1ll << 32)",
       "4294967293"},
      {"\"add.sat.s32 %0, %1, %1;\" : \"=r\"(r) : \"r\"(0x7fffffff)", "2147483647"},
      {"\"sub.sat.s32 %0, %1, 5;\" : \"=r\"(r) : \"r\"(0x80000001)", "2147483648"},
      {"\"dp4a.s32.s32 %0, %1, %2, 10;\" : \"=r\"(r) : \"r\"(0x020000ff), \"r\"(0x03000004)", "12"},
      {"\"vabsdiff4.u32.u32.u32.add %0, %1, %2, 10;\" : \"=r\"(r) : \"r\"(0x01020304), \"r\"(0x04030201)",
       "18"},
      {"\"vabsdiff4.u32.u32.u32 %0, %1, %2, 0;\" : \"=r\"(r) : \"r\"(0x01020304), \"r\"(0x04030201)",
       "50397443"},
      {"\"vabsdiff.u32.u32.u32.add %0, %1, %2, %3;\" : \"=r\"(r) : \"r\"(5), \"r\"(9), \"r\"(1)", "5"},
      {"\"{.reg .pred p; .reg .u64 t; mov.u64 t, %globaltimer; setp.gt.u64 p, t, 1; selp.u32 %0, 1, 2, p;}\" "
       ": "
       "\"=r\"(r)",
       "1"},
      {"\"clz.b64 %0, %1;\" : \"=r\"(r) : \"l\"(1ll)", "63"},
      {"\"cvt.sat.u8.s32 %0, %1;\" : \"=r\"(r) : \"r\"(minus)", "0"},
      {"\"cvt.sat.s8.s32 %0, %1;\" : \"=r\"(r) : \"r\"(300)", "127"},
      {"\"div.full.f32 %0, %1, %2;\" : \"=f\"(f) : \"f\"(9.0f), \"f\"(2.0f)", "1083179008"},
      {"\"add.rz.f32 %0, %1, %2;\" : \"=f\"(f) : \"f\"(1.0f), \"f\"(0x1.fp-24f)", "1065353216"},
      {"\"mul.rp.f32 %0, %1, %1;\" : \"=f\"(f) : \"f\"(0x1.000002p0f)", "1065353219"},
      {"\"copysign.f32 %0, %1, %2;\" : \"=f\"(f) : \"f\"(-0.0f), \"f\"(1.0f)", "3212836864"},
      {"\"min.NaN.f32 %0, %1, %2;\" : \"=f\"(f) : \"f\"(nan), \"f\"(1.0f)", "2147483647"},
      {"\"add.sat.f32 %0, %1, %1;\" : \"=f\"(f) : \"f\"(0.75f)", "1065353216"},
      {"\"cvt.rni.f32.f32 %0, %1;\" : \"=f\"(f) : \"f\"(2.5f)", "1073741824"},
      {"\"cvt.rz.f32.u32 %0, %1;\" : \"=f\"(f) : \"r\"(0xffffffff)", "1333788671"},
      {"\"{.reg .pred p; setp.ne.f32 p, %1, %1; selp.u32 %0, 1, 2, p;}\" : \"=r\"(r) : \"f\"(nan)", "2"},
      {"\"{.reg .pred p; setp.ltu.f32 p, %1, %1; selp.u32 %0, 1, 2, p;}\" : \"=r\"(r) : \"f\"(nan)", "1"},
      {"\"{.reg .pred p; setp.num.f32 p, %1, %1; selp.u32 %0, 1, 2, p;}\" : \"=r\"(r) : \"f\"(nan)", "2"},
      {"\"set.ge.u32.u64 %0, %1, 5;\" : \"=r\"(r) : \"l\"(wide)", "4294967295"},
      {"\"set.lt.s32.s32 %0, %1, -3;\" : \"=r\"(r) : \"r\"(minus)", "0"},
      {"\"set.gt.f32.s32 %0, 0, %1;\" : \"=f\"(f) : \"r\"(minus)", "1065353216"},
      {"\"{.reg .pred p, q; setp.eq.u32 p|q, %1, 3; set.lt.and.u32.u64 %0, 1, 2, q;}\" : \"=r\"(r) : "
       "\"r\"(4)",
       "4294967295"},
      {"\"{.reg .pred p; setp.eq.u32 p, %1, 4; set.lt.or.u32.u32 %0, 2, 1, !p;}\" : \"=r\"(r) : \"r\"(4)",
       "0"},
      {"\"{.reg .pred p, q; setp.lt.s32 p, %1, 0; setp.gt.xor.s32 p|q, %1, 0, p; selp.u32 %0, 1, 2, p; "
       "@q add.u32 %0, %0, 10;}\" : \"=r\"(r) : \"r\"(minus)",
       "1"},
      {"\"{.reg .pred p, q; setp.lt.and.f32 p|q, %1, 0f3f800000, 1; selp.u32 %0, 1, 2, p; @q add.u32 %0, %0, "
       "10;}\" : \"=r\"(r) : \"f\"(nan)",
       "12"},
      {"\"{.reg .f32 t; .reg .pred p; mul.f32 t, %1, -1.5; setp.ge.f32 p, t, -3.0e0; selp.f32 t, 0.25, 8.0, "
       "p; "
       "add.f32 %0, t, 0f3F800000;}\" : \"=f\"(f) : \"f\"(2.0f)",
       "1067450368"},
      {"\"{.reg .f64 t; mov.f64 t, 0d4008000000000000; cvt.rzi.s32.f64 %0, t;}\" : \"=r\"(r) :", "3"}};
  std::string kernel =
      "__global__ void k(unsigned* a) {\n  const int minus = -3; const float nan = "
      "__uint_as_float(0x7fc00000u);\n"
      "  long long wide = (long long)(1ull << 63 | 5), w = 0; int r = 0; float f = 0;\n";
  std::string checks;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const std::string statement = cases[i].statement;
    const bool is_real = statement.find("\"=f\"") != std::string::npos;
    const bool is_wide = statement.find("\"=l\"") != std::string::npos;
    const std::string at = std::to_string(i);
    kernel += "  asm volatile(" + statement + "); a[" + at + "] = " +
              (is_real   ? "f != f ? 0x7fffffffu : __float_as_uint(f)"
               : is_wide ? "(unsigned)w"
                         : "(unsigned)r") +
              ";\n";
    checks += std::string(i == 0 ? "" : ", ") + "{name: c" + at + ", buffer: a, region: [[" + at + ", " +
              std::to_string(i + 1) + "]], expected: " + cases[i].expected + "}";
  }
  const std::string yaml = draft(kernel + "}\nint main() { unsigned* a; k<<<1, 1>>>(a); }\n");
  const CliResult ran = run_with(yaml, {{"checks: []", "checks: [" + checks + "]"}});
  EXPECT_EQ(ran.code, kExitDone) << ran.err << ran.out << yaml;
}

TEST_F(NewPrograms, ARecordOfPointersToItsOwnKindIsDrafted) {
  std::string members;
  for (char name = 'a'; name <= 'p'; ++name) members += std::string(name == 'a' ? "*" : ", *") + name;
  const std::string yaml =
      draft("struct Node { Node " + members +
            "; float mass; };\n"
            "__global__ void halve(Node* tree, float* sum) { sum[threadIdx.x] *= 0.5f; }\n"
            "int main() { Node* t; float* s; halve<<<1, 4>>>(t, s); }\n");
  EXPECT_THAT(yaml, HasSubstr("args: [t, s]"));
}

TEST_F(NewPrograms, HeadersThatANamespaceIncludesStandInIt) {
  write("fill.inc",
        "#pragma once\n#include \"value.inc\"\n__global__ void fill(int* a) { a[threadIdx.x] = value(); }\n");
  write("value.inc", "__device__ int value() { return 6; }\n");
  const std::string yaml = draft(
      "namespace lib { namespace gpu {\n#include \"fill.inc\"\n"
      "void run(int* a) { fill<<<1, 4>>>(a); }\n} }\n"
      "int main() { int* a; lib::gpu::run(a); }\n");
  EXPECT_THAT(yaml, HasSubstr("entry: \"lib::gpu::fill\""));
  const CliResult ran =
      run_with(yaml, {{"checks: []", "checks: [{buffer: a, region: [[0, 4]], expected: 6}]"}});
  EXPECT_EQ(ran.code, kExitDone) << ran.err << ran.out << yaml;
}

TEST_F(NewPrograms, NamesThatMacrosPasteAreWrittenOut) {
  write("names.h",
        "#define JOIN2(a, b) a##_##b\n#define JOIN(a, b) JOIN2(a, b)\n#define NAME(x) JOIN(x, KIND)\n");
  const std::string yaml = draft(
      "#include \"names.h\"\n#define KIND plain\n"
      "__device__ int NAME(two)() { return 2; }\n"
      "__global__ void NAME(fill)(int* a, int n) { if (threadIdx.x < n) a[threadIdx.x] = NAME(two)(); }\n"
      "void NAME(run)(int* a) { NAME(fill)<<<1, 64>>>(a, 8); }\n");
  EXPECT_THAT(yaml, HasSubstr("run: [fill_plain]"));
  EXPECT_THAT(yaml, HasSubstr("block: [64]"));
  const CliResult ran =
      run_with(yaml, {{"checks: []", "checks: [{buffer: a, region: [[0, 8]], expected: 2}]"}});
  EXPECT_EQ(ran.code, kExitDone) << ran.err << ran.out;
}

TEST_F(NewPrograms, MacrosOfSeveralMeaningsPasteNothing) {
  const std::string yaml = draft(
      "#ifdef WIDE\n#define NAME(x) x##_wide\n#else\n#define NAME(x) x##_thin\n#endif\n"
      "__device__ int NAME(two)() { return 2; }\n"
      "__global__ void fill(int* a) { a[0] = NAME(two)(); }\nint main() { int* a; fill<<<1, 1>>>(a); }\n");
  const CliResult ran =
      run_with(yaml, {{"checks: []", "checks: [{buffer: a, region: [[0, 1]], expected: 2}]"}});
  EXPECT_EQ(ran.code, kExitDone) << ran.err << ran.out;
}

TEST_F(NewPrograms, KernelsMayShareTheirNamesWithFunctionsAndPrototypes) {
  write("solve.h", "__global__ void copy(float* a, int n, int wide, float* b);\n");
  const std::string yaml = draft(
      "#include \"solve.h\"\n"
      "__host__ __device__ float solve(float x) { return 2 * x; }\n"
      "__global__ void solve(float* a, float x) { a[0] = solve(x); }\n"
      "__global__ void copy(float* a, float* b) { b[0] = a[0]; }\n"
      "int main() { float *a, *b; solve<<<1, 1>>>(a, 4); copy<<<1, 1>>>(a, b); }\n");
  EXPECT_THAT(yaml, HasSubstr("entry: \"solve(float *, float)\""));
  EXPECT_THAT(yaml, HasSubstr("entry: \"copy(float *, float *)\""));
  const CliResult ran =
      run_with(yaml, {{"checks: []", "checks: [{buffer: b, region: [[0, 1]], expected: 8}]"}});
  EXPECT_EQ(ran.code, kExitDone) << ran.err << ran.out;
}

TEST_F(NewPrograms, TemplateArgumentsAreThoseOfInstantiationsWithTheirNamespaces) {
  const std::string yaml = draft(
      "namespace ops {\nstruct Add { __device__ void operator()(float& a, float b) { a += b; } };\n"
      "struct Clear { __device__ void operator()(float& a) { a = 7; } };\n"
      "template <class Op> __global__ void one(float* a) { Op()(a[0]); }\n"
      "template <class Op> __global__ void two(float* a, float x) { Op()(a[0], x); }\n"
      "template <class Op> void process(float* a, float x) { two<Op><<<1, 1>>>(a, x); }\n"
      "template <class Op> void process(float* a) { one<Op><<<1, 1>>>(a); }\n"
      "#define FOR_TWO(name) template void process<name>(float* a, float x);\n"
      "#define FOR_ONE(name) template void process<name>(float* a);\n"
      "FOR_TWO(Add)\nFOR_ONE(Clear)\n}\n");
  EXPECT_THAT(yaml, HasSubstr("template_args: [\"ops::Add\"]"));
  EXPECT_THAT(yaml, HasSubstr("template_args: [\"ops::Clear\"]"));
  const CliResult compiled = kiln({"compile", path("program.yaml"), "--arch", "native"});
  EXPECT_EQ(compiled.code, kExitDone) << compiled.err << compiled.out;
}

TEST_F(NewPrograms, CarriesGoFromOneAsmToTheNext) {
  const std::string yaml = draft(
      "__device__ unsigned add_cc(unsigned a, unsigned b) {\n  unsigned r;\n"
      "  asm volatile(\"add.cc.u32 %0, %1, %2;\" : \"=r\"(r) : \"r\"(a), \"r\"(b));\n  return r;\n}\n"
      "__device__ unsigned addc_cc(unsigned a, unsigned b) {\n  unsigned r;\n"
      "  asm volatile(\"addc.cc.u32 %0, %1, %2;\" : \"=r\"(r) : \"r\"(a), \"r\"(b));\n  return r;\n}\n"
      "__device__ unsigned addc(unsigned a, unsigned b) {\n  unsigned r;\n"
      "  asm volatile(\"addc.u32 %0, %1, %2;\" : \"=r\"(r) : \"r\"(a), \"r\"(b));\n  return r;\n}\n"
      "__device__ unsigned sub_cc(unsigned a, unsigned b) {\n  unsigned r;\n"
      "  asm volatile(\"sub.cc.u32 %0, %1, %2;\" : \"=r\"(r) : \"r\"(a), \"r\"(b));\n  return r;\n}\n"
      "__device__ unsigned subc(unsigned a, unsigned b) {\n  unsigned r;\n"
      "  asm volatile(\"subc.u32 %0, %1, %2;\" : \"=r\"(r) : \"r\"(a), \"r\"(b));\n  return r;\n}\n"
      "__global__ void check(int* right) {\n  __shared__ unsigned long long x[64];\n"
      "  const int i = threadIdx.x;\n  x[i] = 0xfffffffffffffff0ull + i;\n  __syncthreads();\n"
      "  const unsigned long long a = x[63 - i], b = x[i] * 0x9e3779b97f4a7c15ull;\n  unsigned r[3], d[2];\n"
      "  r[0] = add_cc(a, b);\n  r[1] = addc_cc(a >> 32, b >> 32);\n  r[2] = addc(0, 0);\n"
      "  unsigned s[3];\n  s[0] = add_cc(a, b);\n  for (int k = 1; k < 3; ++k) s[k] = addc_cc(k < 2 ? a >> "
      "32 : 0, k < 2 ? b >> 32 : 0);\n"
      "  d[0] = sub_cc(a, b);\n  d[1] = subc(a >> 32, b >> 32);\n"
      "  unsigned low, high = 7;\n  asm(\"mad.lo.cc.u32 %0, %1, %2, %3;\" : \"=r\"(low) : \"r\"(r[0]), "
      "\"r\"(d[0]), \"r\"(r[1]));\n"
      "  asm(\"madc.hi.u32 %0, %1, %2, %0;\" : \"+r\"(high) : \"r\"(r[0]), \"r\"(d[0]));\n"
      "  const unsigned long long sum = a + b, product = r[0] * (unsigned long long)d[0] + r[1];\n"
      "  right[i] = r[0] + ((unsigned long long)r[1] << 32) == sum && r[2] == (sum < a) && s[0] == r[0] && "
      "s[1] == r[1] && s[2] == r[2] &&\n"
      "             d[0] + ((unsigned long long)d[1] << 32) == a - b && low == (unsigned)product &&\n"
      "             high == (unsigned)(product >> 32) + 7;\n}\n"
      "int main() { int* right; cudaMalloc(&right, 64 * sizeof(int)); check<<<1, 64>>>(right); }\n");
  for (const char* options : {"", "\n      options: {cpu: [-DKILN_FIBERS]}"}) {
    const CliResult ran = run_with(yaml, {{"checks: []", "checks: [{buffer: right, expected: 1}]"},
                                          {"block: [64]", std::string("block: [64]") + options}});
    EXPECT_EQ(ran.code, kExitDone) << options << ran.err << ran.out;
  }
}

/// The number of a kernel that nothing launches is guessed by the launches of others.
TEST_F(NewPrograms, NumbersOfTemplatesAreBorrowed) {
  const std::string yaml = draft(R"cuda(
template <int Threads> __global__ void sum(float* a) {
  __shared__ float part[Threads / 32];
  part[threadIdx.x / 32] = a[threadIdx.x];
  a[threadIdx.x] = part[threadIdx.x / 32];
}
template <int Threads, bool Wide> __global__ void other(float* a) {
  __shared__ float part[Threads / 32];
  part[0] = Wide ? 1 : 2;
  a[0] = part[0];
}
template <int Tile> __global__ void third(float* a) { a[0] = Tile; }
template <long Threads> __global__ void fourth(float* a) { a[0] = Threads; }
int main() { float* a; cudaMalloc(&a, 1024); sum<128><<<1, 128>>>(a); }
)cuda");
  EXPECT_THAT(yaml, HasSubstr("template_args: [128]\n"));
  EXPECT_THAT(yaml, HasSubstr("template_args: [128, false]  # FILL IN the value of Threads, Wide\n"));
  EXPECT_THAT(yaml, HasSubstr("template_args: [16]  # FILL IN the value of Tile\n"));
  EXPECT_THAT(yaml, HasSubstr("template_args: [256]  # FILL IN the value of Threads\n"));
}

TEST_F(NewPrograms, ExplicitInstantiationsGiveTemplateArguments) {
  struct Case {
    const char* what;
    const char* host;       // behind the kernels
    const char* parameter;  // a line of `parameters`; empty: none
    const char* arguments;  // of `twice`
  };
  const std::array<Case, 10> cases = {{
      {"of the launching function, by its parameters",
       "template <class V> void run(V* p, int n) { twice<V, 4><<<1, 64>>>(p, n); }\n"
       "template void run(half* p, int n);\ntemplate void run(float*, int);\n",
       "T: {type: type, default: half}  # the program also has float", "[T, 4]"},
      {"by its template's arguments, in a macro",
       "template <class V, int M> void run(V* p, int n) { twice<V, M><<<1, 64>>>(p, n); }\n"
       "#define MAKE(V, M) template void run<V, M>(V*, int)\nMAKE(double, 8);\nMAKE(float, 4);\n",
       "T: {type: type, default: double}  # the program also has float", "[T, 8]  # N also 4"},
      {"of the kernel, by its parameters", "template __global__ void twice<double, 2>(double*, int);\n",
       "T: {type: type, default: double}", "[T, 2]"},
      {"of a specialised function, whose launches are others",
       "template <class V> void run(V* p, int n) { twice<V, 4><<<1, 64>>>(p, n); }\n"
       "template <> void run(float* p, int n) { twice<float, 1><<<1, 64>>>(p, n); }\n"
       "template void run(float* p, int n);\ntemplate void run(half* p, int n);\n",
       "T: {type: type, default: half}  # the program also has float", "[T, 4]  # N also 1"},
      {"through a type of a class",
       "template <class V> struct Pack { using Type = half2; };\n"
       "template <> struct Pack<half2> { using Type = half; };\n"
       "template <class V> void run(V* p, int n) {\n  using W = typename Pack<V>::Type;\n"
       "  twice<W, 1><<<1, 64>>>((W*)p, n / 2);\n}\ntemplate void run(half* p, int n);\n",
       "", "[half2, 1]"},
      {"through a number of a class",
       "template <class V> struct Lanes { static constexpr int value = 1; };\n"
       "template <> struct Lanes<half> { static const int value = 2; };\n"
       "template <class V, int L> struct Pack { using Type = V; };\n"
       "template <> struct Pack<half, 2> { using Type = half2; };\n"
       "template <class V> void run(V* p, int n) {\n  constexpr int lanes = Lanes<V>::value;\n"
       "  using W = typename Pack<V, lanes>::Type;\n"
       "  twice<W, 1><<<1, 64>>>(reinterpret_cast<W*>(p), n);\n}\ntemplate void run(half* p, int n);\n",
       "", "[half2, 1]"},
      {"of a class whose member is defined outside",
       "template <class V> struct Solver { typedef V Value; Value* p; void run(int n); };\n"
       "template <class V> void Solver<V>::run(int n) { twice<Value, 4><<<1, 64>>>(p, n); }\n"
       "template class Solver<double>;\n",
       "T: {type: type, default: double}", "[T, 4]"},
      {"of a variable of a class",
       "template <class V> struct Table { void (*run)(V*, int); static const Table kernels; };\n"
       "template <class V> const Table<V> Table<V>::kernels = {twice<V, 4>};\n"
       "template struct Table<double>;\n",
       "T: {type: type, default: double}", "[T, 4]"},
      {"of a kernel by its name",
       "typedef void (*Run)(float*, int);\nRun chosen(bool wide) {\n"
       "  if (wide) return twice<float, 8>;\n  return &twice<float, 4>;\n}\n",
       "T: {type: type, default: float}", "[T, 8]  # N also 4"},
      {"of a pointer in a container",
       "template <class V> struct Buffer { V* data(); };\n"
       "template <class V, int M> void run(Buffer<V>& b, int n) {\n"
       "  twice<V, M><<<1, 64>>>(b.data(), n);\n}\n"
       "int main() { Buffer<unsigned> b; run<unsigned, 3>(b, 64); }\n",
       "T: {type: type, default: unsigned}", "[T, 3]"},
  }};
  for (const Case& one : cases) {
    SCOPED_TRACE(one.what);
    const std::string yaml =
        draft(std::string("#include <cuda_fp16.h>\n"
                          "template <class T, int N> __global__ void twice(T* x, int n) {\n"
                          "  int i = threadIdx.x;\n  if (i < n) x[i] = x[i] + x[i];\n}\n") +
              one.host);
    const std::size_t begin = yaml.find("T: {type: type");
    EXPECT_EQ(begin == std::string::npos ? "" : yaml.substr(begin, yaml.find('\n', begin) - begin),
              one.parameter)
        << yaml;
    EXPECT_THAT(yaml, HasSubstr(std::string("template_args: ") + one.arguments + "\n"));
    EXPECT_EQ(kiln({"validate", path("program.yaml")}).code, kExitDone);
  }
}

TEST_F(NewPrograms, FunctionObjectsAreFoundThroughTemplatesOfTheHost) {
  for (const auto& [object, type] : std::vector<std::pair<std::string, std::string>>{
           {"ops::Add<float>()", "ops::Add<float>"}, {"thrust::plus<float>()", "thrust::plus<float>"}}) {
    const std::string yaml = draft(
        "#include <thrust/functional.h>\nnamespace ops {\ntemplate <class T> struct Add {\n"
        "  __device__ T operator()(T a, T b) const { return a + b; }\n};\n}\n"
        "template <class Op, class T> __global__ void twice(T* x, Op op) { x[0] = op(x[0], x[0]); }\n"
        "template <class Op, class T> void run(T* x, Op op) { twice<<<1, 1>>>(x, op); }\n"
        "int main() { float* x; cudaMalloc(&x, sizeof(float)); cudaMemset(x, 0, 4); run(x, " +
        object + "); }\n");
    EXPECT_THAT(yaml, HasSubstr("template_args: [\"" + type + "\", T]"));
    const CliResult ran =
        run_with(yaml, {{"init: 0", "init: 21"}, {"checks: []", "checks: [{buffer: x, expected: 42}]"}});
    EXPECT_EQ(ran.code, kExitDone) << ran.err << ran.out;
  }
}

TEST_F(NewPrograms, LambdasCaptureExpressions) {
  const std::string yaml = draft(
      "#include <vector>\n#include <thrust/device_vector.h>\n"
      "template <class F> __global__ void each(int n, F f) { if (threadIdx.x < n) f(threadIdx.x); }\n"
      "int main() {\n  const int n = 64;\n  thrust::device_vector<int> squares(n);\n"
      "  each<<<1, 64>>>(n, [p = thrust::raw_pointer_cast(squares.data()), by = static_cast<int>(n)] "
      "__device__(int i) { p[i] = i * by; });\n}\n");
  EXPECT_THAT(yaml, HasSubstr("{struct: [p, {value: 0, type: int}]}"));
  const CliResult ran =
      run_with(yaml, {{"{value: 0, type: int}", "{value: 2, type: int}"},
                      {"checks: []", "checks: [{buffer: p, region: [[3, 4]], expected: 6}]"}});
  EXPECT_EQ(ran.code, kExitDone) << ran.err << ran.out << yaml;
}

TEST_F(NewPrograms, TypesThatTheProgramDoesNotHaveAreNoTemplateArguments) {
  for (const char* type : {"other::Number", "typename Traits<Missing>::Type", "Missing<float>"}) {
    const std::string yaml = draft(
        "template <class T> struct Traits {};\n"
        "template <class T> __global__ void twice(T* x) { x[0] = x[0] + x[0]; }\n"
        "template <class V> void run(void* p) { twice<V><<<1, 1>>>((V*)p); }\n"
        "void main_of(void* p) { run<" +
        std::string(type) + ">(p); }\n");
    EXPECT_THAT(yaml, HasSubstr("T: {type: type, default: float}  # FILL IN")) << type;
  }
}

TEST_F(NewPrograms, ValuesOfATemplatesTypeThatIsNotKnownAreGuessed) {
  const std::string yaml = draft(
      "template <class T> __global__ void scale(T* a, T by) { a[0] = by; }\n"
      "void run(float* a, Unknown by) { scale<<<1, 1>>>(wrapped(a), by); }\n");
  EXPECT_THAT(yaml, HasSubstr("template_args: [T]"));
  const CliResult ran =
      run_with(yaml, {{"checks: []", "checks: [{buffer: a, region: [[0, 1]], expected: 1}]"}});
  EXPECT_EQ(ran.code, kExitDone) << ran.err << ran.out;
}

TEST_F(NewPrograms, HeadersOfOtherFoldersOfTheProjectAreFound) {
  write("CMakeLists.txt", "");
  write("lib/host/deep/sizes.h", "constexpr int kSize = 5;\n");
  const CliResult made = kiln({"new",
                               write("lib/cuda/program.cu",
                                     "#include \"sizes.h\"\n__global__ void k(int* a) { a[0] = kSize; }\n"
                                     "int main() { int* a; k<<<1, 1>>>(a); }\n"),
                               "-o", path("program.yaml")});
  EXPECT_EQ(made.code, kExitDone) << made.err;
  EXPECT_THAT(made.out, HasSubstr("lib/host/deep"));
  const CliResult ran = run_with(files_->read_file(path("program.yaml")).value_or(""),
                                 {{"checks: []", "checks: [{buffer: a, region: [[0, 1]], expected: 5}]"}});
  EXPECT_EQ(ran.code, kExitDone) << ran.err << ran.out;
}

/// nvcc has these words as macros; headers for host compilers ask.
TEST_F(NewPrograms, WordsOfCudaAreDefined) {
  const std::string yaml = draft(
      "#ifndef __global__\n#define __global__\n#endif\n#if !defined(__constant__)\n#define "
      "__constant__\n#endif\n"
      "__constant__ float factor[2];\n"
      "__global__ void scale(float* x) { x[threadIdx.x] *= factor[1]; }\n"
      "int main() { float f[2], *x; cudaMemcpyToSymbol(factor, f, 8); scale<<<1, 32>>>(x); }\n");
  EXPECT_THAT(yaml, HasSubstr("symbols: {factor: factor}"));
}

/// Where the compiler finds CUDA's own headers, too.
TEST_F(NewPrograms, WordsOfCudaKeepTheirMeaningWithBarriers) {
  for (const char* first : {"#ifndef __global__\n#define __global__\n#endif\n#if "
                            "!defined(__shared__)\n#define __shared__\n#endif\n",
                            "#include <device_types.h>\n", "#include <crt/host_defines.h>\n",
                            "#ifndef __noinline__\n#define __noinline__ __attribute__((noinline))\n#endif\n"
                            "#if !defined(__noinline__)\n#error\n#endif\n"
                            "__device__ __noinline__ int same(int x) { return x; }\n"}) {
    const std::string yaml =
        draft(std::string(first) +
              "__global__ void turn(int* x) {\n  __shared__ int s[64];\n  s[threadIdx.x] = x[threadIdx.x];\n"
              "  __syncthreads();\n  x[threadIdx.x] = s[63 - threadIdx.x] + threadIdx.x;\n}\n"
              "int main() { int* x; turn<<<1, 64>>>(x); }\n");
    const CliResult ran = run_with(yaml, {{"default: 1024", "default: 64"},
                                          {"init: {uniform: [0, 16]}", "init: {iota: [0, 1]}"},
                                          {"checks: []", "checks: [{buffer: x, expected: 63}]"}});
    EXPECT_EQ(ran.code, kExitDone) << first << ran.err << ran.out << yaml;
  }
}

TEST_F(NewPrograms, ASpecialisationMayStandBeforeItsTemplate) {
  const std::string text =
      "template <class T> __global__ void k(const T* a, T* o);\n"
      "template <> __global__ void k<float>(const float* a, float* o) { o[threadIdx.x] = 3 * a[threadIdx.x]; "
      "}\n"
      "template <class T> __global__ void k(const T* a, T* o) { o[threadIdx.x] = 2 * a[threadIdx.x]; }\n"
      "int main() { float *a, *o; k<float><<<1, 32>>>(a, o); }\n";
  const std::string yaml = draft(text);
  const std::vector<std::pair<std::string, std::string>> filled = {
      {"default: 1024", "default: 32"},
      {"init: {uniform: [0, 1]}", "init: 1"},
      {"checks: []", "checks: [{buffer: o, expected: 3}]"}};
  const CliResult ran = run_with(yaml, filled);
  EXPECT_EQ(ran.code, kExitDone) << ran.err << ran.out << yaml;
  for (const char* types : {"const T *, T *", "const float *, float *"}) {  // an entry with its types
    auto with_types = filled;
    with_types.emplace_back("template_args: [T]",
                            std::string("entry: \"k(") + types + ")\"\n      template_args: [T]");
    const CliResult same = run_with(yaml, with_types);
    EXPECT_EQ(same.code, kExitDone) << types << same.err << same.out;
  }
}

/// The template may stand in a header, and other overloads have specialisations of their own.
TEST_F(NewPrograms, SpecialisationsFollowTheirOverload) {
  write("k.cuh",
        "template <class T> __global__ void k(T* a) { a[threadIdx.x] = 2; }\n"
        "template <class T> __global__ void k(T* a, int n) { a[threadIdx.x] = n; }\n"
        "template <class T> __global__ void k(T* a, float n) { a[threadIdx.x] = 2 * n; }\n");
  write("program.cu",
        "#include \"k.cuh\"\ntemplate <> __global__ void k<float>(float* a) { a[threadIdx.x] = 3; }\n"
        "template <> __global__ void k<float>(float* a, float n) { a[threadIdx.x] = n + 1; }\n");
  const struct {
    std::string entry, value, expected;
  } cases[] = {{"k(T *)", "", "3"},
               {"k(T *, int)", ", {value: 7, type: int}", "7"},
               {"k(T *, float)", ", {value: 7, type: float}", "8"}};
  for (const auto& one : cases) {
    const std::string job =
        "workload:\n  workload: one\n  summary: s\n  parameters:\n    T: {type: type, default: float}\n"
        "  buffers:\n    a: {type: T, shape: [32], init: 0}\n  kernels:\n    k:\n"
        "      source: program.cu\n      entry: \"" +
        one.entry + "\"\n      template_args: [T]\n      grid: [1]\n      block: [32]\n      args: [a" +
        one.value + "]\n  run: [k]\n  verify:\n    checks: [{buffer: a, expected: " + one.expected + "}]\n";
    const CliResult ran = kiln({"run", write("one.yaml", job), "--device", "cpu", "--require-checks"});
    EXPECT_EQ(ran.code, kExitDone) << one.entry << ran.err << ran.out;
  }
}

/// Of classes and what stands in them.
TEST_F(NewPrograms, TypesOfArgumentsAndMembersAreFound) {
  const std::string yaml = draft(R"cuda(
#include <cstdint>
struct Patch { std::uint16_t nx, ny; std::size_t offset; };
struct Layout { typedef enum { A, B } Kind; static enum Other { C } other; float x; enum Mode { D } mode; };
struct Shader { enum Mode { FLAT, SMOOTH }; enum class Side : short { LEFT, RIGHT }; };
struct dense {};
template <class... T> struct Attr {};
template <class S, class... A> class View;
template <class S, class... A> class View<S, Attr<dense, A...>> {
  S* p; unsigned n;
 public:
  __device__ S& operator()(unsigned i) { return p[i]; }
  __device__ unsigned size() const { return n; }
};
namespace inner { template <class T, int R, int C> struct Mat { T m[R * C]; }; template <class T, int N> using Vec = Mat<T, N, 1>; }
template <class T, unsigned N> using Vec = inner::Vec<T, N>;
__global__ void patches(Patch* p, Shader::Mode mode, Shader::Side side) { p[0].nx = mode + (int)side; }
__global__ void views(View<double, Attr<dense>> x) { x(threadIdx.x) += x.size(); }
__global__ void vectors(Vec<float, 3>* v) { v[0].m[2] = 1; }
__global__ void layouts(Layout* layout) { layout[0].mode = Layout::D; }
int main() { Patch* p; patches<<<1, 1>>>(p, Shader::SMOOTH, Shader::Side::LEFT); }
)cuda");
  EXPECT_THAT(yaml, HasSubstr("Patch: {nx: ushort, ny: ushort, offset: size_t}"));
  EXPECT_THAT(yaml, HasSubstr("type: short}"));
  EXPECT_THAT(yaml, HasSubstr("p_: {type: double"));
  EXPECT_THAT(yaml, HasSubstr("v: {type: Mat_float_3_1"));
  EXPECT_THAT(yaml, HasSubstr("Layout: {x: float, mode: int}"));
}

/// What `get()` of a class of the program returns, not the first argument of its template.
TEST_F(NewPrograms, OwnersOfMemorySayWhatTheyPointTo) {
  const std::string yaml = draft(R"cuda(
template <typename X> struct Pixels { using value_type = X; X* data; unsigned n; };
template <typename D> class Owner {
  using E = typename D::value_type;
  E* p;
public:
  explicit Owner(D& d) { cudaMalloc(&p, d.n * sizeof(E)); }
  E* get() { return p; }
};
template <typename T> __global__ void scale(const T* x, float* y, unsigned n) { if (threadIdx.x < n) y[threadIdx.x] = x[threadIdx.x]; }
template <typename T> void run(const T* x, float* y, unsigned n) { scale<<<1, 64>>>(x, y, n); }
void all(Pixels<unsigned short>& a, Pixels<float>& b) {
  Owner<Pixels<unsigned short>> x(a);
  Owner<Pixels<float>> y(b);
  run(x.get(), y.get(), a.n);
}
)cuda");
  EXPECT_THAT(yaml, HasSubstr("T: {type: type, default: ushort}"));
}

TEST_F(NewPrograms, AParameterOfATemplateMayBeNamedLikeAClass) {
  const std::string yaml = draft(
      "struct Scale { float f; __device__ float operator()(float x) const { return f * x; } };\n"
      "template <typename Scale> __global__ void apply(float* x, Scale s) { x[threadIdx.x] = "
      "s(x[threadIdx.x]); }\n");
  EXPECT_THAT(yaml, HasSubstr("template_args: [Scale]"));
  const CliResult valid = kiln({"validate", path("program.yaml")});
  EXPECT_EQ(valid.code, kExitDone) << valid.err;
}

TEST_F(NewPrograms, OverloadsAreNamedByTheirTypes) {
  const std::string text =
      "__global__ void fill(float* a, int n) { a[n] = 1; }\n"
      "__global__ void fill(int* a, int n) { a[n] = 2; }\n";
  static_cast<void>(draft(text));
  const CliResult one = kiln({"new", path("program.cu"), "fill(int*, int)", "-o", path("one.yaml")});
  EXPECT_EQ(one.code, kExitDone) << one.err;
  const std::string yaml = files_->read_file(path("one.yaml")).value_or("");
  EXPECT_THAT(yaml, HasSubstr("a: {type: int"));
  EXPECT_THAT(yaml, Not(HasSubstr("float *, int")));
  const CliResult none = kiln({"new", path("program.cu"), "fill(long*)", "-o", path("none.yaml")});
  EXPECT_EQ(none.code, kExitBadInput);
  EXPECT_THAT(none.err, HasSubstr("fill(float *, int)"));
}

/// Options may stand in front of the file.
TEST_F(NewPrograms, MacrosOfTheCommandLineTakeOneWord) {
  static_cast<void>(draft("__global__ void k(float* a) { a[0] = SIZE; }\n"));
  const CliResult made = kiln({"new", "-D", "SIZE=4", path("program.cu"), "k", "-o", path("one.yaml")});
  EXPECT_EQ(made.code, kExitDone) << made.err;
}

TEST_F(NewPrograms, AllocationsMayCastByName) {
  const std::string yaml = draft(
      "struct A { double s[3]; };\n__global__ void k(const float* in, int w, int h, A* a) { a->s[0] = in[w * "
      "h - 1]; }\n"
      "int main() { int w = 640, h = 480; A* d; float* in; cudaMalloc(reinterpret_cast<void**>(&d), "
      "sizeof(A));\n"
      "  cudaMalloc((void**)(&in), w * h * sizeof(float)); k<<<1, 1>>>(in, w, h, d); }\n");
  EXPECT_THAT(yaml, HasSubstr("d: {type: A, shape: [1]"));
  EXPECT_THAT(yaml, HasSubstr("in: {type: float, shape: [\"w * h\"]"));
}

/// `Vec<N, float>* x` declares x, not N.
TEST_F(NewPrograms, ConstantsInTypesOfParametersStay) {
  const std::string yaml = draft(
      "#include <atomic>\n#include <variant>\n#include <cstdint>\n"
      "const int N = 8;\ntemplate <int n, class T> struct Vec { T v[n]; };\n"
      "struct Map { Map(std::atomic_uint32_t& c) : count(&c) {}\n"
      "  __device__ int get() const { return 1; }\n  std::atomic_uint32_t* count; };\n"
      "template <class... T> using List = std::variant<T...>;\n"
      "template <class L> struct Rank { static constexpr int value = std::variant_size_v<L>; };\n"
      "__device__ int size(Map m) { return Rank<List<int, float>>::value + m.get(); }\n"
      "__global__ void k(Vec<N, float>* x, float* y) { x[0].v[N - 1] = N; y[0] = N; }\n"
      "int main() { Vec<N, float>* x; cudaMalloc(&x, 1024); float* y; k<<<1, 1>>>(x, y); return 0; }\n");
  const CliResult ran =
      run_with(yaml, {{"checks: []", "checks: [{buffer: y, region: [[0, 1]], expected: 8}]"}});
  EXPECT_EQ(ran.code, kExitDone) << ran.err << ran.out << yaml;
}

/// The class itself is for the host.
TEST_F(NewPrograms, ConstantsOfClassesOfTheHostStay) {
  const std::string yaml = draft(
      "#include <string>\n#include <vector>\nclass Backend {\n public:\n  std::vector<double> m;\n"
      "  enum { kFour = 4 };\n  static const int kFive = kFour + 1;\n"
      "  static constexpr unsigned long kBits = 8 * kFive;\n  static const std::string name;\n"
      "  static constexpr float kHalf = 1.0f / 2;\n  void run(float* x) const;\n};\n"
      "__global__ void k(float* x) { x[threadIdx.x] = Backend::kHalf + Backend::kBits; }\n"
      "void Backend::run(float* x) const { k<<<1, 32>>>(x); }\n");
  const CliResult ran = run_with(
      yaml, {{"default: 1024", "default: 32"}, {"checks: []", "checks: [{buffer: x, expected: 40.5}]"}});
  EXPECT_EQ(ran.code, kExitDone) << ran.err << ran.out << yaml;
}

/// A local variable has the name of a constant, whose value names what is not there.
TEST_F(NewPrograms, UnusedConstantsOfClassesOfTheHostGo) {
  const std::string yaml = draft(
      "#include <string>\n#include <vector>\nstruct Table { static const int kWidth = 4; std::vector<int> "
      "rows; };\n"
      "class Backend {\n public:\n  std::vector<double> m;\n  enum Mode { kSlow, kFast };\n"
      "  static const int n = Table::kWidth;\n  static const size_t kNone = std::string::npos;\n"
      "  enum { kSize = sizeof(std::string) };\n};\n"
      "__global__ void k(float* x) { int n = 3; x[threadIdx.x] = n + Backend::kFast; }\n"
      "int main() { float* x; k<<<1, 32>>>(x); }\n");
  const CliResult ran = run_with(
      yaml, {{"default: 1024", "default: 32"}, {"checks: []", "checks: [{buffer: x, expected: 4}]"}});
  EXPECT_EQ(ran.code, kExitDone) << ran.err << ran.out << yaml;
}

TEST_F(NewPrograms, ListsOfClassTemplatesWithPacksEnd) {
  EXPECT_THAT(draft("struct dense {};\ntemplate <class... T> struct Attr {};\ntemplate <class S, class... A> "
                    "class View;\n"
                    "template <class S, class... A> class View<S, Attr<dense, A...>> {\n public:\n"
                    "  View<S, Attr<dense, A...>>* next;\n  S* p;\n};\n"
                    "__global__ void k(View<double, Attr<dense>> x) { x.p[0] = 1; }\n"),
              HasSubstr("k:\n"));
}

/// A kernel of a header is compiled; a comment is no kernel.
TEST_F(NewPrograms, MacrosAreNotDefinedWhereAKernelIsCompiled) {
  write("real.cuh", "__global__ void real(float* a) { a[0] = 1; }\n");
  static_cast<void>(
      draft("#include \"real.cuh\"\n#ifdef TEST_K\n__global__ void test(float* a) { a[0] = 2; }\n#endif\n"
            "int main() { float* a; real<<<1, 1>>>(a); }\n"));
  EXPECT_THAT(said_, Not(HasSubstr("added")));
  static_cast<void>(
      draft("// a file with __global__ functions\n#ifdef ENABLE_IT\n"
            "__global__ void test(float* a) { a[0] = 2; }\n#endif\n"));
  EXPECT_THAT(said_, HasSubstr("-D ENABLE_IT added"));
}

TEST_F(NewPrograms, WhatHeadersOfCudaDeclareIsThere) {
  const std::string yaml = draft(
      "#include <cublas_v2.h>\n#include <cub/util_allocator.cuh>\n#include <curand_kernel.h>\n"
      "#include <curand_uniform.h>\n#include <curand_normal.h>\n"
      "#ifndef __VECTOR_TYPES_H__\nstruct float4 { float x, y, z, w; };\n#endif\n"
      "cub::CachingDeviceAllocator allocator(true);\n"
      "__host__ __device__ void clear(cuFloatComplex* a) { a->x = 3; a->y = 0; }\n"
      "__global__ void k(float* a) {\n  cuFloatComplex c;\n  clear(&c);\n  curandState state;\n"
      "  curand_init(1, 2, 3, &state);\n"
      "  float4 v = make_float4(c.x, 1, 1, 1);\n  a[0] = v.x + (curand_uniform(&state) > 2);\n}\n"
      "int main() { float* a; allocator.DeviceAllocate((void**)&a, 4); k<<<1, 1>>>(a); }\n");
  const CliResult ran =
      run_with(yaml, {{"checks: []", "checks: [{buffer: a, region: [[0, 1]], expected: 3}]"}});
  EXPECT_EQ(ran.code, kExitDone) << ran.err << ran.out;
}

}  // namespace
}  // namespace kiln
