// The pooling kernels of networks on the CPU with infinities and NaN: as PyTorch's max_pool2d, a window of
// minus infinity gives minus infinity, and one with a NaN gives NaN.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "base/exit_code.h"
#include "cli/cli_fixture.h"

namespace kiln::test {
namespace {

// Elements by their places: one row of windows in each image has only minus infinity, another one NaN. The
// reference finds from the places alone what a window gives.
constexpr const char* kKernels = R"cuda(#include "kiln/params.h"
__device__ inline int kind_at(int image, int row, int column, int channel) {
  if (row < 5) return 1;                                                        // minus infinity
  return (row * 7 + column * 3 + channel + image) % 11 == 0 ? 2 : 0;            // NaN, or a number
}
__device__ inline unsigned word_of(int kind, int i) {
  return kind == 1 ? 0xff800000u : kind == 2 ? 0x7fc00000u : 0xbf800000u + unsigned(i % 1000);
}
extern "C" __global__ void fill(T* x, const Params p) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= p.batch * p.h * p.w * p.c) return;
  const int kind = kind_at(i / p.c / p.w / p.h, i / p.c / p.w % p.h, i / p.c % p.w, i % p.c);
  x[i] = T(__uint_as_float(word_of(kind, i)));
}
extern "C" __global__ void find_kinds(int* kinds, const T* y, const Params p) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= p.batch * p.out_h * p.out_w * p.c) return;
  const unsigned word = __float_as_uint(float(y[i]));
  kinds[i] = word == 0xff800000u ? 1 : (word & 0x7fffffffu) > 0x7f800000u ? 2 : 0;
}
extern "C" __global__ void expect_kinds(int* kinds, const Params p) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= p.batch * p.out_h * p.out_w * p.c) return;
  const int channel = i % p.c, q = i / p.c % p.out_w, o = i / p.c / p.out_w % p.out_h;
  int counts[3] = {0, 0, 0};
  for (int r = 0; r < p.filter_h; ++r) {
    for (int s = 0; s < p.filter_w; ++s) {
      const int row = o * p.stride + r - p.padding, column = q * p.stride + s - p.padding;
      if (row < 0 || row >= p.h || column < 0 || column >= p.w) continue;
      ++counts[kind_at(i / p.c / p.out_w / p.out_h, row, column, channel)];
    }
  }
  kinds[i] = counts[2] > 0 ? 2 : counts[0] == 0 ? 1 : 0;
}
)cuda";

constexpr const char* kWorkload = R"yaml(
parameters:
  T:        {type: type, default: float, values: [float, half, bfloat16]}
  batch:    {type: int, default: 2}
  h:        {type: int, default: 12}
  w:        {type: int, default: 11}
  c:        {type: int, default: 64}
  filter_h: {type: int, default: 3}
  filter_w: {type: int, default: 3}
  stride:   {type: int, default: 2}
  padding:  {type: int, default: 1}
  count_padding: {type: bool, default: false, bind: compile}
  operation: {type: choice, values: [fma, mma, split, vectors], default: vectors, bind: compile}
  out_h:    {type: int, default: "(h + 2 * padding - filter_h) // stride + 1"}
  out_w:    {type: int, default: "(w + 2 * padding - filter_w) // stride + 1"}
let:
  outputs: "batch * out_h * out_w * c"
kernels:
  fill:         {source: kinds.cu, grid: ["ceil_div(batch * h * w * c, 64)"], block: [64], args: [x, params]}
  max_pool:     {source: POOLS, grid: ["ceil_div(outputs, 64)"], block: [64], args: [y, x, params]}
  find_kinds:   {source: kinds.cu, grid: ["ceil_div(outputs, 64)"], block: [64], args: [kinds, y, params]}
  expect_kinds: {source: kinds.cu, grid: ["ceil_div(outputs, 64)"], block: [64], args: [expected, params]}
buffers:
  x: {type: T, shape: ["batch * h * w * c"], init: {kernel: fill}}
  y: {type: T, shape: [outputs], init: 0}
  kinds:    {type: int, shape: [outputs], init: 9}
  expected: {type: int, shape: [outputs], init: 8}
run: [max_pool]
verify:
  run: [find_kinds]
  checks: [{buffer: kinds, reference: {kernel: expect_kinds, buffer: expected}}]
)yaml";

class Pooling : public CliTest, public ::testing::WithParamInterface<const char*> {};

TEST_P(Pooling, OfInfinitiesAndNan) {
  std::string workload = kWorkload;
  const std::string place = "POOLS";
  workload.replace(workload.find(place), place.size(),
                   std::string(KILN_SOURCE_DIR) + "/kernels_src/layers/pools.cu");
  write("kinds.cu", kKernels);
  write("pooling.yaml", "workload: pooling\n" + workload);
  const CliResult result =
      kiln({"run", write("job.yaml", "workload: " + path("pooling.yaml") + "\ndevice: cpu\n" + GetParam()),
            "--require-checks"});
  EXPECT_EQ(result.code, kExitDone) << result.out << result.err;
}

constexpr std::array<const char*, 3> kCases = {"Types", "Channels", "Windows"};

INSTANTIATE_TEST_SUITE_P(
    All, Pooling,
    ::testing::Values("sweep: {T: [float, half, bfloat16]}\n", "sweep: {c: [1, 3, 8], padding: [0, 1]}\n",
                      "set: {operation: fma}\nsweep: {filter_w: [1, 2], stride: [1, 3]}\n"),
    [](const auto& test) { return std::string(kCases.at(test.index)); });

}  // namespace
}  // namespace kiln::test
