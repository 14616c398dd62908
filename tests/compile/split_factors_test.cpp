// Kernels that are split: subscripts with a factor that changes get a version of their loop for the factor 1,
// and stores of whole rows are fetched a block before.
#include "support/split_cases.h"

namespace kiln::test {
namespace {

const SplitCase kCases[] = {
    {.name = "BlellochScan",
     .text = R"(extern "C" __global__ void k(float* out, const float* in, int n) {
  __shared__ float temp[128];
  int thid = threadIdx.x;
  int offset = 1;
  const float* source = in + blockIdx.x * 128;
  temp[2 * thid] = source[2 * thid];
  temp[2 * thid + 1] = source[2 * thid + 1];
  for (int d = 64; d > 0; d >>= 1) {
    __syncthreads();
    if (thid < d) {
      int ai = offset * (2 * thid + 1) - 1;
      int bi = offset * (2 * thid + 2) - 1;
      temp[bi] += temp[ai];
    }
    offset *= 2;
  }
  if (thid == 0) temp[127] = 0;
  for (int d = 1; d < 128; d *= 2) {
    offset >>= 1;
    __syncthreads();
    if (thid < d) {
      int ai = offset * (2 * thid + 1) - 1;
      int bi = offset * (2 * thid + 2) - 1;
      float t = temp[ai];
      temp[ai] = temp[bi];
      temp[bi] += t;
    }
  }
  __syncthreads();
  out[blockIdx.x * 128 + 2 * thid] = temp[2 * thid];
  out[blockIdx.x * 128 + 2 * thid + 1] = temp[2 * thid + 1];
})",
     .block = {64, 1, 1},
     .factor_loops = 2,
     .fetches = 1},
    {.name = "ReductionByNeighbours",
     .text = R"(extern "C" __global__ void k(float* out, const float* in, int n) {
  __shared__ float s[96];
  s[threadIdx.x] = in[blockIdx.x * blockDim.x + threadIdx.x];
  __syncthreads();
  for (unsigned step = 1; step < blockDim.x; step *= 2) {
    int index = 2 * step * threadIdx.x;
    if (index + step < blockDim.x) s[index] += s[index + step];
    __syncthreads();
  }
  out[blockIdx.x * 96 + threadIdx.x] = s[threadIdx.x];
})",
     .block = {96, 1, 1},
     .factor_loops = 1,
     .fetches = 1},
    {.name = "FactorsOfOtherTypesAndValues",
     .text = R"(extern "C" __global__ void k(float* out, const float* in, int n) {
  __shared__ float s[32];
  const int t = threadIdx.x;
  float v = 0;
  signed char narrow = 3;
  for (long wide = 2; wide >= -1; --wide) {
    s[t] = in[64 + wide * t] + in[t * narrow];
    __syncthreads();
    v = v * 0.5f + s[31 - t];
    __syncthreads();
    s[t] = in[(narrow * (t + 1))];
    --narrow;
    __syncthreads();
    v += s[t ^ 3];
    __syncthreads();
  }
  out[blockIdx.x * 32 + t] = v;
})",
     .block = {32, 1, 1},
     .factor_loops = 1},
    {.name = "FactorsOfWhatIsTheSameForAll",
     .text = R"(extern "C" __global__ void k(float* out, const float* in, int n) {
  __shared__ float s[64];
  int t = threadIdx.x, offset = 1;
  s[t] = in[t];
  float v = 0;
  for (int i = 0; i < 4; ++i) {
    __syncthreads();
    v += s[t] + in[t + offset * 2 + offset * (i + 1)];
    offset *= 2;
  }
  out[blockIdx.x * 64 + t] = v;
})",
     .block = {64, 1, 1},
     .factor_loops = 0,
     .fetches = 1},
    {.name = "FactorsOfAnEqualLoopAndOfAWorkItem",
     .text = R"(extern "C" __global__ void k(float* out, const float* in, int n) {
  __shared__ float s[64];
  int t = threadIdx.x, mine = t % 3;
  s[t] = in[t];
  __syncthreads();
  float v = 0;
  for (int step = 1; step < 5; step += 2) v += in[step * t] * s[63 - t];
  mine += 1;
  v += in[mine * t];
  __syncthreads();
  out[blockIdx.x * 64 + t] = v + s[t];
})",
     .block = {64, 1, 1},
     .factor_loops = 1},
    {.name = "FactorWhereSomeReturn",
     .text = R"(extern "C" __global__ void k(float* out, const float* in, int n) {
  __shared__ float s[64];
  int t = threadIdx.x;
  s[t] = in[t];
  for (int step = 1; step < 9; step *= 2) {
    __syncthreads();
    if (in[step * t] > 120.0f) return;
    out[blockIdx.x * 64 + t] = in[step * t] + s[63 - t];
  }
})",
     .block = {64, 1, 1},
     .factor_loops = 0,
     .fetches = 0},
    {.name = "RowsOfTilesAndColumns",
     .text = R"(extern "C" __global__ void k(float* out, const float* __restrict__ in, int n) {
  __shared__ float tile[8][9];
  int x = blockIdx.x * 8 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  tile[threadIdx.y][threadIdx.x] = in[y * 32 + x];
  __syncthreads();
  out[y * 32 + x] = tile[threadIdx.x][threadIdx.y];
  out[1024 + x * 32 + y] = tile[threadIdx.y][7 - threadIdx.x];
})",
     .block = {8, 8, 1},
     .grid = {4, 4, 1},
     .fetches = 1},
    {.name = "ColumnsFirst",
     .text = R"(extern "C" __global__ void k(float* out, const float* in, int n) {
  __shared__ float s[64];
  int t = threadIdx.x;
  s[t] = in[blockIdx.x * 64 + t];
  __syncthreads();
  out[1000 - blockIdx.x - 4 * t] = s[63 - t];
})",
     .block = {64, 1, 1},
     .fetches = 1},
    {.name = "FactorsWhoseTypeIsUsed",
     .text = R"(struct Two { int v; __device__ operator int() const { return v; } };
extern "C" __global__ void k(float* out, const float* in, int n) {
  __shared__ float s[64];
  int t = threadIdx.x;
  s[t] = in[t];
  Two object = {1};
  float v = 0;
  for (int step = 1; step < 8; step *= 2) {
    __syncthreads();
    decltype(step) q = step * t;
    q += 1;
    v += in[step * t] + in[object * t] + s[63 - t] + q;
    object.v += 1;
  }
  out[blockIdx.x * 64 + t] = v;
})",
     .block = {64, 1, 1},
     .factor_loops = 1},
    {.name = "StoresOfWarpsAndOfNamesOfTheKernel",
     .text = R"(extern "C" __global__ void k(float* out, const float* in, int n) {
  enum { kWidth = 64 };
  float v = in[threadIdx.x];
  v += __shfl_xor_sync(0xffffffffu, v, 1);
  out[blockIdx.x * kWidth + threadIdx.x / 32 * 32 + threadIdx.x % 32] = v;
})",
     .block = {64, 1, 1},
     .fetches = 0},
    {.name = "StoresByConstantsOfTheKernel",
     .text = R"(extern "C" __global__ void k(float* out, const float* in, int n) {
  __shared__ float s[64];
  enum { kWidth = 64 };
  s[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[blockIdx.x * kWidth + threadIdx.x] = s[63 - threadIdx.x];
})",
     .block = {64, 1, 1},
     .fetches = 0},
    {.name = "NamesThatALaterDeclarationHides",
     .text = R"(extern "C" __global__ void k(float* out, const float* in, int n) {
  __shared__ float s[64];
  int t = threadIdx.x;
  int step = 2;
  s[t] = in[t];
  {
    int j = step * t;
    int step = 1;
    __syncthreads();
    out[blockIdx.x * 64 + t] = in[j] + s[63 - t] + step;
  }
})",
     .block = {64, 1, 1}},
    {.name = "StoresWhosePlaceIsNotKnownBefore",
     .text = R"(extern "C" __global__ void k(float* out, const float* in, int n) {
  __shared__ int first;
  __shared__ float s[64];
  int t = threadIdx.x;
  if (t == 0) first = blockIdx.x * 64;
  s[t] = in[t];
  __syncthreads();
  int from = first;
  out[from + t] = s[63 - t];
  out += 128;
  out[blockIdx.x * 64 + t] = s[t];
  if (t < 40) in[t] > 0 ? out[256 + blockIdx.x * 64 + t] = 1.0f : 0.0f;
})",
     .block = {64, 1, 1},
     .fetches = 0}};

INSTANTIATE_TEST_SUITE_P(Factors, SplitCases, ::testing::ValuesIn(kCases), split_case_name);

}  // namespace
}  // namespace kiln::test
