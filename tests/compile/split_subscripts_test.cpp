// Subscripts in kernels that are split: casts in them, and clamps. Rows of work-items whose subscripts need
// no clamp have a version of the loop without it.
#include "support/split_cases.h"

namespace kiln::test {
namespace {

const SplitCase kCases[] = {{"Casts",
                             R"(extern "C" __global__ void k(float* out, const float* in, int n) {
  __shared__ float s[64];
  const int t = (int)threadIdx.x;
  const int u = static_cast<int>(threadIdx.x) + 1;
  unsigned w = (unsigned)t;
  s[t] = in[u] + in[w + 2];
  __syncthreads();
  out[blockIdx.x * 64 + t] = s[64 - u] + in[w];
})",
                             {64, 1, 1}},
                            {"CastsThatChangeTheValue",
                             R"(extern "C" __global__ void k(float* out, const float* in, int n) {
  __shared__ float s[200];
  const int t = threadIdx.x;
  const int u = (unsigned char)(threadIdx.x + 100);
  const int w = static_cast<unsigned char>(threadIdx.x * 3);
  s[t] = in[u] + in[w + 2];
  __syncthreads();
  float v = s[199 - t] + in[u + 1];
  if ((signed char)threadIdx.x < 10) v += 1000.0f;
  if (static_cast<signed char>(threadIdx.x) >= 5) s[t] = v;
  __syncthreads();
  out[blockIdx.x * 200 + t] = v + s[199 - t];
})",
                             {200, 1, 1}},
                            {"ClampsOfBothDimensions",
                             R"(extern "C" __global__ void k(float* out, const float* in, int n) {
  __shared__ float s[4][16];
  int tx = threadIdx.x, ty = threadIdx.y;
  int x = blockIdx.x * 12 + tx - 2, y = blockIdx.y * 2 + ty - 1;
  int cx = min(max(x, 0), 40), cy = max(0, min(y, 9));
  s[ty][tx] = in[cy * 41 + cx];
  __syncthreads();
  out[((blockIdx.y * gridDim.x + blockIdx.x) * 4 + ty) * 16 + tx] = s[3 - ty][15 - tx] + in[cy + cx];
})",
                             {16, 4, 1},
                             {5, 6, 1}},
                            {"ClampsAfterABarrier",
                             R"(#include <algorithm>
extern "C" __global__ void k(float* out, const float* in, int n) {
  __shared__ float s[64];
  const int i = int(blockIdx.x * 64 + threadIdx.x) - 20;
  const int left = std::max(i - 1, 0), right = std::min(i + 1, 200);
  s[threadIdx.x] = in[left];
  __syncthreads();
  float v = s[threadIdx.x ^ 7] + 2.0f * in[right];
  __syncthreads();
  s[threadIdx.x] = v;
  __syncthreads();
  out[blockIdx.x * 64 + threadIdx.x] = s[63 - threadIdx.x] - in[left];
})",
                             {64, 1, 1},
                             {4, 1, 1}},
                            // The sum wraps before the clamp.
                            {"ClampsOfUnsignedNumbers",
                             R"(extern "C" __global__ void k(float* out, const float* in, int n) {
  __shared__ float s[32];
  unsigned u = blockIdx.x * 32 + threadIdx.x - 40u;
  unsigned c = min(u, 50u), d = max(min(u + 3u, 70u), 5u);
  s[threadIdx.x] = in[c] + in[d + 1u];
  __syncthreads();
  out[blockIdx.x * 32 + threadIdx.x] = s[31 - threadIdx.x];
})",
                             {32, 1, 1},
                             {4, 1, 1}},
                            {"ClampsWithLimitsOfTheLoop",
                             R"(extern "C" __global__ void k(float* out, const float* in, int n) {
  __shared__ float s[32];
  int first = 3, last = 20;
  float sum = 0;
  for (int turn = 0; turn < 3; ++turn) {
    int x = int(threadIdx.x) + turn * 9 - 4;
    int inside = min(max(x, first), last + turn);
    s[threadIdx.x] = in[inside];
    last += 7;
    __syncthreads();
    sum += s[31 - threadIdx.x] + in[inside + first];
    __syncthreads();
  }
  out[blockIdx.x * 32 + threadIdx.x] = sum;
})",
                             {32, 1, 1}},
                            {"ClampsWhereSomeReturnBefore",
                             R"(extern "C" __global__ void k(float* out, const float* in, int n) {
  __shared__ float s[32];
  int x = int(blockIdx.x * 32 + threadIdx.x) - 8;
  if (threadIdx.x % 5 == 4) return;
  int c = min(max(x, 0), 90);
  s[threadIdx.x] = in[c];
  if (in[c + 1] > 50.0f) return;
  out[blockIdx.x * 32 + threadIdx.x] = in[c] + s[threadIdx.x];
  __syncthreads();
})",
                             {32, 1, 1},
                             {4, 1, 1}},
                            {"ClampsOfRealNumbers",
                             R"(extern "C" __global__ void k(float* out, const float* in, int n) {
  __shared__ float s[32];
  float scale = 1.5f;
  int c = min(max(threadIdx.x + scale, 4.0f), 20.0f);
  s[threadIdx.x] = in[c];
  __syncthreads();
  out[blockIdx.x * 32 + threadIdx.x] = s[31 - threadIdx.x];
})",
                             {32, 1, 1}},
                            {"ClampsInAFunction",
                             R"(__device__ float load(float* s, const float* in, int from, int last) {
  int x = from + threadIdx.x;
  int c = min(max(x, 0), last);
  s[threadIdx.x] = in[c];
  __syncthreads();
  return s[blockDim.x - 1 - threadIdx.x];
}
extern "C" __global__ void k(float* out, const float* in, int n) {
  __shared__ float s[48];
  float v = load(s, in, int(blockIdx.x) * 48 - 10, 120);
  __syncthreads();
  out[blockIdx.x * 48 + threadIdx.x] = v + load(s, in, -60, 30);
})",
                             {48, 1, 1},
                             {4, 1, 1}}};

INSTANTIATE_TEST_SUITE_P(Subscripts, SplitCases, ::testing::ValuesIn(kCases), split_case_name);

}  // namespace
}  // namespace kiln::test
