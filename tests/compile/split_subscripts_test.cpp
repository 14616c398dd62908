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
                            {"CastsThatDecideAComparison",
                             R"(extern "C" __global__ void k(float* out, const float* in, int n) {
  __shared__ float s[64];
  int tx = threadIdx.x;
  s[tx] = in[tx];
  __syncthreads();
  const int below = n - 8200;
  float v = in[tx + 64];
  if ((int)threadIdx.x < below) v = s[63 - tx];
  if ((unsigned)tx < below) v += s[tx ^ 1];
  out[blockIdx.x * 64 + tx] = v;
})",
                             {64, 1, 1}},
                            {"SumsOfNamesThatAreHidden",
                             R"(extern "C" __global__ void k(float* out, const float* in, int n) {
  __shared__ float s[64];
  int i = threadIdx.x, m = n - 8190;
  int row = i * 2 + 1, moved = threadIdx.x + m;
  s[i] = in[i];
  __syncthreads();
  float sum = 0;
  for (int i = 0; i < 3; ++i) {
    __syncthreads();
    sum += s[row % 64] * i + in[row];
  }
  const auto at = [&](int m) { return in[moved + m]; };
  {
    int m = 7;
    __syncthreads();
    sum += s[moved % 64] + in[moved] * m + at(3);
  }
  out[blockIdx.x * 64 + i] = sum;
})",
                             {64, 1, 1}},
                            {"SumsOfWhatWorkItemsShare",
                             R"(extern "C" __global__ void k(float* out, const float* in, int n) {
  __shared__ int base, total;
  if (threadIdx.x == 0) base = 3;
  __syncthreads();
  int place = base + threadIdx.x, most = min(threadIdx.x + base, 60);
  if (threadIdx.x == 0) total = 64;
  __syncthreads();
  if (threadIdx.x == 0) base += total;
  __syncthreads();
  out[blockIdx.x * 64 + threadIdx.x] = in[place] + in[most] + base;
})",
                             {64, 1, 1}},
                            {"LimitsThatAConditionGuards",
                             R"(extern "C" __global__ void k(float* out, const float* in, int n) {
  __shared__ float s[64];
  int tx = threadIdx.x, none = n - 8192;
  s[tx] = in[tx];
  __syncthreads();
  float v = s[63 - tx];
  if (in[tx] > 0.0f && none) {
    int e = min(tx + 1, n / none);
    v = s[e];
  }
  out[blockIdx.x * 64 + tx] = v;
})",
                             {64, 1, 1}},
                            {"DifferencesThatWrap",
                             R"(extern "C" __global__ void k(float* out, const float* in, int n) {
  __shared__ float s[64];
  const unsigned base = blockIdx.x * 64 - 3;
  unsigned i = threadIdx.x + 3;
  s[threadIdx.x] = in[base + i];
  __syncthreads();
  out[base + i] = s[63 - threadIdx.x];
})",
                             {64, 1, 1}},
                            {"NumbersOfReals",
                             R"(extern "C" __global__ void k(float* out, const float* in, int n) {
  __shared__ float s[64];
  float x = (in[threadIdx.x] + 100.0f) * 0.2f;
  int bin = (int)x, other = x;
  s[threadIdx.x] = in[bin];
  __syncthreads();
  out[blockIdx.x * 64 + threadIdx.x] = s[bin] + s[other] + s[63 - threadIdx.x];
})",
                             {64, 1, 1}},
                            {"ArgumentsBehindBracketsAndCasts",
                             R"(typedef unsigned* Pointer;
__device__ void set(unsigned* p) { *p += 5; }
__device__ void add(unsigned& x, unsigned by) { x += by; }
extern "C" __global__ void k(float* out, const float* in, int n) {
  __shared__ float s[64];
  unsigned a = 1, b = 2, c = 3, d = 4;
  int e = 5;
  s[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  set((unsigned* const)&a);
  set((Pointer)&b);
  add((c), threadIdx.x);
  add(((d)), threadIdx.x / 2);
  add(reinterpret_cast<unsigned&>(e), threadIdx.x % 7);
  __syncthreads();
  out[blockIdx.x * 64 + threadIdx.x] = s[63 - threadIdx.x] + a + 100 * b + 10000 * c + d * 0.5f + e * 0.25f;
})",
                             {64, 1, 1}},
                            {"ClassesThatReadTheIndexBehindOtherNames",
                             R"(struct Lane { unsigned at; __device__ Lane() : at(threadIdx.x) {} };
struct Derived : Lane {};
typedef struct { Lane lane; } Unnamed;
typedef Derived First, Second;
extern "C" __global__ void k(float* out, const float* in, int n) {
  __shared__ float s[64];
  s[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  Derived a;
  Unnamed b;
  First c;
  Second d;
  out[blockIdx.x * 64 + threadIdx.x] = s[63 - threadIdx.x] + a.at + 2 * b.lane.at + 3 * c.at + 5 * d.at;
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
                             {5, 6, 1},
                             0,
                             "",
                             "k",
                             2},
                            {"ClampsAfterABarrier",
                             R"(#include <algorithm>
extern "C" __global__ void k(float* out, const float* in, int n) {
  __shared__ float s[64];
  const int i = blockIdx.x * 64 + threadIdx.x - 20;
  const int left = std::max(i - 1, 0), right = std::min(i + 21, 200);
  s[threadIdx.x] = in[left];
  __syncthreads();
  float v = s[threadIdx.x ^ 7] + 2.0f * in[right];
  __syncthreads();
  s[threadIdx.x] = v;
  __syncthreads();
  out[blockIdx.x * 64 + threadIdx.x] = s[63 - threadIdx.x] - in[left];
})",
                             {64, 1, 1},
                             {4, 1, 1},
                             0,
                             "",
                             "k",
                             3},
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
                             {4, 1, 1},
                             0,
                             "",
                             "k",
                             1},
                            {"ClampsOfSumsWithCasts",
                             R"(extern "C" __global__ void k(float* out, const float* in, int n) {
  __shared__ float s[32];
  const int t = int(threadIdx.x);
  const int x = int(blockIdx.x) * 32 + int(threadIdx.x) - 8;
  const int y = static_cast<int>(blockIdx.x * 32u + 3u) + (int)threadIdx.x;
  const int a = min(max(x, 0), 90), b = min(int(blockIdx.x * blockDim.x) + t, 100), c = min(y, 70);
  s[t] = in[a] + in[int(threadIdx.x) + b];
  __syncthreads();
  out[blockIdx.x * 32 + t] = s[31 - t] + in[c];
})",
                             {32, 1, 1},
                             {4, 1, 1},
                             0,
                             "",
                             "k",
                             2},
                            // The cast drops the upper half.
                            {"CastsOfWideNumbers",
                             R"(extern "C" __global__ void k(float* out, const float* in, int n) {
  __shared__ float s[32];
  const long h = n * 524288L + threadIdx.x;
  const int c = int(h) + 5;
  s[threadIdx.x] = in[int(h) + 1] + in[(int)h + 2] + in[c];
  __syncthreads();
  out[blockIdx.x * 32 + threadIdx.x] = s[31 - threadIdx.x] + in[static_cast<int>(h) + c];
})",
                             {32, 1, 1}},
                            // Not all indices fit in their types.
                            {"IndicesInNarrowTypes",
                             R"(typedef unsigned char u8;
extern "C" __global__ void k(float* out, const float* in, int n) {
  __shared__ float s[320];
  const int t = threadIdx.x;
  const signed char a = threadIdx.x;
  const int b = (char)threadIdx.x;
  const u8 c = threadIdx.x;
  const bool d = threadIdx.x;
  const int low = min(max(c + 1, 20), 250), inside = min(max(a + 130, 0), 300);
  s[t] = in[t];
  __syncthreads();
  if (a < 10) s[t] += 1000;
  if (b < 20) s[t] += 2000;
  if (c >= 60) s[t] += 4000;
  if (d < 1) s[t] += 8000;
  __syncthreads();
  out[blockIdx.x * 320 + t] = s[319 - t] + in[low] + in[inside] + in[c];
})",
                             {320, 1, 1}},
                            // The limit changes as long as the clamped value lives: its clamp stays.
                            {"ClampsWithLimitsOfTheLoop",
                             R"(extern "C" __global__ void k(float* out, const float* in, int n) {
  __shared__ float s[32];
  int first = 3, last = 20;
  float sum = 0;
  for (int turn = 0; turn < 3; ++turn) {
    int x = threadIdx.x + turn * 9 - 4;
    int inside = min(max(x, first), last + turn);
    s[threadIdx.x] = in[inside];
    last += 7;
    __syncthreads();
    sum += s[31 - threadIdx.x] + in[inside + first];
    __syncthreads();
  }
  out[blockIdx.x * 32 + threadIdx.x] = sum;
})",
                             {32, 1, 1},
                             {2, 1, 1},
                             0,
                             "",
                             "k",
                             0},
                            {"ClampsWhereSomeReturnBefore",
                             R"(extern "C" __global__ void k(float* out, const float* in, int n) {
  __shared__ float s[32];
  int x = blockIdx.x * 32 + threadIdx.x - 8;
  if (threadIdx.x % 5 == 4) return;
  int c = min(max(x, 0), 90);
  s[threadIdx.x] = in[c];
  if (in[c + 1] > 50.0f) return;
  out[blockIdx.x * 32 + threadIdx.x] = in[c] + s[threadIdx.x];
  __syncthreads();
})",
                             {32, 1, 1},
                             {4, 1, 1},
                             0,
                             "",
                             "k",
                             1},
                            {"ClampsOfRealNumbers",
                             R"(extern "C" __global__ void k(float* out, const float* in, int n) {
  __shared__ float s[32];
  float scale = 1.5f;
  int c = min(max(threadIdx.x + scale, 4.0f), 20.0f);
  s[threadIdx.x] = in[c];
  __syncthreads();
  out[blockIdx.x * 32 + threadIdx.x] = s[31 - threadIdx.x];
})",
                             {32, 1, 1},
                             {2, 1, 1},
                             0,
                             "",
                             "k",
                             0},
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
                             {4, 1, 1},
                             0,
                             "",
                             "k",
                             2}};

INSTANTIATE_TEST_SUITE_P(Subscripts, SplitCases, ::testing::ValuesIn(kCases), split_case_name);

}  // namespace
}  // namespace kiln::test
