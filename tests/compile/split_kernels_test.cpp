// Kernels that are split at their barriers give what they give as fibers, where each work-item has a stack of
// its own.
#include "support/split_cases.h"

namespace kiln::test {
namespace {

const SplitCase kCases[] = {
    {"ShufflesByXorOfPartsOfAWarp",
     R"(__global__ void k(float* out, const float* in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = in[i], sum = 0.0f;
  for (int bits = 0; bits < 32; ++bits) {
    sum = sum * 1.25f + __shfl_xor_sync(0xffffffffu, v, bits);
    sum = sum * 0.75f + __shfl_xor_sync(0xffffffffu, v, bits, 16);
    sum = sum * 1.5f - __shfl_xor_sync(0xffffffffu, v, bits, 4);
    sum = sum * 0.5f + (float)__shfl_xor_sync(0xffffffffu, (int)v, bits, 8);
  }
  sum += __shfl_xor_sync(0xffffffffu, sum, 21);
  if (i < n) out[i] = sum + (float)__shfl_xor_sync(0xffffffffu, (double)sum, 5);
})",
     {96, 1, 1}},
    {"ShufflesByXorInAnIncompleteWarp",
     R"(__global__ void k(float* out, const float* in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = in[i];
  v += __shfl_xor_sync(0xffffffffu, v, 1);
  v += __shfl_xor_sync(0xffffffffu, v, 16);
  v += __shfl_xor_sync(0xffffffffu, v, 2, 8);
  out[i] = v;
})",
     {48, 1, 1}},
    {"ListInBracesAsResult",
     R"(struct Pair { float x; int i; };
__device__ Pair left(Pair p) {
  if (p.i < 0) return {0.0f, 1};
  return {__shfl_up_sync(0xffffffffu, p.x, 1), __shfl_up_sync(0xffffffffu, p.i, 1)};
}
extern "C" __global__ void k(float* out, const float* in, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const Pair here = {in[i], i};
  const Pair p = left(here);
  if (i < n) out[i] = p.x + p.i;
})",
     {64, 1, 1}},
    // Variables with the names of kernels, of this one and of another that waits in a way that is not split.
    {"VariableWithAKernelsName",
     R"(#include <cooperative_groups.h>
struct Scaled { float v; __device__ explicit Scaled(float k) : v(k * 2) {} };
__device__ float twice(float k) { return Scaled(k).v; }
__global__ void other(float* out) { cooperative_groups::coalesced_threads().sync(); out[0] = 1; }
extern "C" __global__ void k(float* out, const float* in, int n) {
  __shared__ float s[64];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float other(twice(in[i]));
  s[threadIdx.x] = other;
  __syncthreads();
  if (i < n) out[i] = s[63 - threadIdx.x];
})",
     {64, 1, 1}},
    // Some lanes alone call the function, whose statements are for these.
    {"FunctionOfSomeLanes",
     R"(__device__ void add(float* sums, int key) {
  const unsigned peers = __match_any_sync(__activemask(), key);
  if ((threadIdx.x & 31) == __ffs(peers) - 1) atomicAdd(sums + key, float(__popc(peers)));
}
extern "C" __global__ void k(float* out, const float* in, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < 1000; i += blockDim.x * gridDim.x)
    add(out, static_cast<int>(in[i] + 100) % 37);
})",
     {64, 1, 1}},
    // The preprocessor marks what comes of a macro of <math.h> like the header itself, and in the header the
    // names that are macros of Kiln's like a text of the user's.
    {"MacrosOfSystemHeaders",
     R"(#include <math.h>
template <class T> __global__ void first(T* out) { *out = cosf(*out); }
extern "C" __global__ void k(float* out, const float* in, int n) {
  __shared__ float largest[64];
  float x = -INFINITY;
  for (int i = threadIdx.x; i < n; i += 64) x = fmaxf(x, in[i]);
  largest[threadIdx.x] = x;
  __syncthreads();
  out[blockIdx.x * 64 + threadIdx.x] = largest[63 - threadIdx.x];
})",
     {64, 1, 1}},
    {"StraightLine",
     R"(extern "C" __global__ void k(float* out, const float* in, int n) {
  __shared__ float s[256];
  int t = threadIdx.x;
  float x = in[blockIdx.x * blockDim.x + t];
  s[t] = x * 2.0f;
  __syncthreads();
  out[blockIdx.x * blockDim.x + t] = s[blockDim.x - 1 - t] + x;
})",
     {256, 1, 1}},
    {"TreeReduction",
     R"(extern "C" __global__ void k(float* out, const float* in, int n) {
  __shared__ float s[256];
  unsigned int tid = threadIdx.x;
  unsigned int i = blockIdx.x * (blockDim.x * 2) + threadIdx.x;
  s[tid] = in[i] + in[i + blockDim.x];
  __syncthreads();
  for (unsigned int d = blockDim.x / 2; d > 0; d >>= 1) {
    if (tid < d) {
      s[tid] += s[tid + d];
    }
    __syncthreads();
  }
  if (tid == 0) out[blockIdx.x] = s[0];
})",
     {256, 1, 1}},
    {"BlellochScan",
     R"(extern "C" __global__ void k(float* out, const float* in, int n) {
  extern __shared__ float temp[];
  const int size = 2 * blockDim.x;
  int thid = threadIdx.x;
  int offset = 1;
  const float* source = in + blockIdx.x * size;
  temp[2 * thid] = source[2 * thid];
  temp[2 * thid + 1] = source[2 * thid + 1];
  for (int d = size >> 1; d > 0; d >>= 1) {
    __syncthreads();
    if (thid < d) {
      int ai = offset * (2 * thid + 1) - 1;
      int bi = offset * (2 * thid + 2) - 1;
      temp[bi] += temp[ai];
    }
    offset *= 2;
  }
  if (thid == 0) temp[size - 1] = 0;
  for (int d = 1; d < size; d *= 2) {
    offset >>= 1;
    __syncthreads();
    if (thid < d) {
      int ai = offset * (2 * thid + 1) - 1, bi = offset * (2 * thid + 2) - 1;
      float t = temp[ai];
      temp[ai] = temp[bi];
      temp[bi] += t;
    }
  }
  __syncthreads();
  out[blockIdx.x * size + 2 * thid] = temp[2 * thid];
  out[blockIdx.x * size + 2 * thid + 1] = temp[2 * thid + 1];
})",
     {128, 1, 1},
     {2, 1, 1},
     1024},
    {"TiledProduct",
     R"(#define TILE 16
extern "C" __global__ void k(float* out, const float* in, int n) {
  __shared__ float a[TILE][TILE];
  __shared__ float b[TILE][TILE];
  const int w = 32;
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.y * TILE + ty, column = blockIdx.x * TILE + tx;
  float sum = 0.0f;
  for (int m = 0; m < w / TILE; ++m) {
    a[ty][tx] = in[row * w + m * TILE + tx];
    b[ty][tx] = in[1024 + (m * TILE + ty) * w + column];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < TILE; ++i) sum += a[ty][i] * b[i][tx];
    __syncthreads();
  }
  out[row * w + column] = sum;
})",
     {16, 16, 1},
     {2, 2, 1}},
    {"BitonicSort",
     R"(extern "C" __global__ void k(float* out, const float* in, int n) {
  __shared__ float s[256];
  unsigned int t = threadIdx.x;
  s[t] = in[blockIdx.x * 256 + t];
  __syncthreads();
  for (unsigned int size = 2; size <= 256; size *= 2) {
    for (unsigned int stride = size / 2; stride > 0; stride >>= 1) {
      unsigned int other = t ^ stride;
      if (other > t) {
        if ((t & size) == 0 ? s[t] > s[other] : s[t] < s[other]) {
          float keep = s[t];
          s[t] = s[other];
          s[other] = keep;
        }
      }
      __syncthreads();
    }
  }
  out[blockIdx.x * 256 + t] = s[t];
})",
     {256, 1, 1}},
    {"Transpose",
     R"(#define TILE_DIM 32
#define BLOCK_ROWS 8
extern "C" __global__ void k(float* out, const float* in, int n) {
  __shared__ float tile[TILE_DIM][TILE_DIM + 1];
  const int width = 64;
  int x = blockIdx.x * TILE_DIM + threadIdx.x;
  int y = blockIdx.y * TILE_DIM + threadIdx.y;
  for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * width + x];
  __syncthreads();
  x = blockIdx.y * TILE_DIM + threadIdx.x;
  y = blockIdx.x * TILE_DIM + threadIdx.y;
  for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS) out[(y + j) * width + x] = tile[threadIdx.x][threadIdx.y + j];
})",
     {32, 8, 1},
     {2, 2, 1}},
    {"ShuffleReduction",
     R"(extern "C" __global__ void k(float* out, const float* in, int n) {
  float v = in[blockIdx.x * blockDim.x + threadIdx.x];
  for (int offset = 16; offset > 0; offset /= 2) v += __shfl_down_sync(0xffffffff, v, offset);
  if (threadIdx.x % 32 == 0) out[(blockIdx.x * blockDim.x + threadIdx.x) / 32] = v;
})",
     {128, 1, 1}},
    {"BlockReductionOfWarps",
     R"(__inline__ __device__ float warp_sum(float val) {
  for (int mask = warpSize / 2; mask > 0; mask /= 2) val += __shfl_xor_sync(0xffffffff, val, mask);
  return val;
}
template <typename T>
__inline__ __device__ T block_sum(T val) {
  static __shared__ T shared[32];
  int lane = threadIdx.x & 31;
  int wid = threadIdx.x >> 5;
  val = warp_sum(val);
  if (lane == 0) shared[wid] = val;
  __syncthreads();
  val = (threadIdx.x < blockDim.x / 32.f) ? shared[lane] : (T)0;
  if (wid == 0) val = warp_sum(val);
  return val;
}
extern "C" __global__ void k(float* out, const float* in, int n) {
  float sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) sum += in[i];
  sum = block_sum<float>(sum);
  if (threadIdx.x == 0) out[blockIdx.x] = sum;
})",
     {256, 1, 1}},
    {"Tiles",
     R"(#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;
extern "C" __global__ void k(float* out, const float* in, int n) {
  cg::thread_block block = cg::this_thread_block();
  cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
  int row = blockIdx.x * warp.meta_group_size() + warp.meta_group_rank();
  const int c = 100;
  const float* x = in + row * c;
  float sum = 0.0f;
  for (int i = warp.thread_rank(); i < c; i += warp.size()) sum += x[i];
  sum = cg::reduce(warp, sum, cg::plus<float>{});
  float m = sum / c;
  if (warp.thread_rank() == 0) out[4096 + row] = m;
  for (int i = warp.thread_rank(); i < c; i += warp.size()) out[row * c + i] = x[i] - m;
  block.sync();
})",
     {128, 1, 1}},
    {"EarlyReturn",
     R"(extern "C" __global__ void k(float* out, const float* in, int n) {
  __shared__ float s[96];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  s[threadIdx.x] = 1.0f;
  if (i >= 150) return;
  s[threadIdx.x] = in[i];
  __syncthreads();
  out[i] = s[threadIdx.x ^ 1];
})",
     {96, 1, 1}},
    {"VariablesAcrossBarriers",
     R"(struct Pair {
  float a, b;
  __device__ Pair(float x, float y) : a(x), b(y) {}
};
extern "C" __global__ void k(float* out, const float* in, int n) {
  __shared__ float s[64];
  int t = threadIdx.x;
  Pair pair(in[t], in[t + 1]);
  float values[3] = {in[t], 2.0f * in[t], 3.0f}, last = 1.0f;
  const float4 four = make_float4(1.0f, 2.0f, in[t], 4.0f);
  float& second = values[1];
  float* third = &values[2];
  auto sum = pair.a + pair.b;
  unsigned char small = (unsigned char)(t * 3);
  s[t] = sum;
  __syncthreads();
  second += s[63 - t];
  *third *= s[t ^ 5];
  last += four.z;
  __syncthreads();
  s[t] = second + *third + small;
  __syncthreads();
  out[blockIdx.x * 64 + t] = values[0] + values[1] + values[2] + last + pair.b + s[(t + 7) % 64] + four.y;
})",
     {64, 1, 1}},
    {"LoopsAroundBarriers",
     R"(extern "C" __global__ void k(float* out, const float* in, int n) {
  __shared__ float s[64];
  int t = threadIdx.x, turn = 0;
  float x = in[t + blockIdx.x * 64];
  s[t] = x;
  while (true) {
    __syncthreads();
    float next = s[(t + 1) % 64];
    __syncthreads();
    if (turn == 2) {
      ++turn;
      continue;
    }
    s[t] = next * 0.5f + x;
    if (++turn > 5) break;
  }
  do {
    __syncthreads();
    x += s[63 - t];
    --turn;
  } while (turn > 0);
  __syncthreads();
  for (int i = 0, j = 8; i < j; i += 2, --j) {
    s[t] = x;
    __syncthreads();
    x += s[(t + j) % 64] * 0.25f;
    __syncthreads();
  }
  out[t + blockIdx.x * 64] = x;
})",
     {64, 1, 1}},
    {"ConditionsThatEachEvaluates",
     R"(extern "C" __global__ void k(float* out, const float* in, int n) {
  __shared__ float s[64];
  __shared__ int flag;
  int t = threadIdx.x;
  float x = in[t];
  if (t == 0) flag = 1;
  __syncthreads();
  int mine = flag + t - t;
  if (mine > 0) {
    s[t] = x;
    __syncthreads();
    x = s[63 - t];
  } else {
    __syncthreads();
  }
  for (int i = t; i < 64 * 3 + t; i += 64) {
    __syncthreads();
    s[t] = x + i;
    __syncthreads();
    x += s[(t + 3) % 64];
  }
  out[blockIdx.x * 64 + t] = x;
})",
     {64, 1, 1}},
    {"BlocksInThreeDimensions",
     R"(extern "C" __global__ void k(float* out, const float* in, int n) {
  __shared__ float s[3][5][7];
  int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z;
  int t = (z * blockDim.y + y) * blockDim.x + x;
  s[z][y][x] = in[t];
  __syncthreads();
  float v = s[2 - z][4 - y][6 - x];
  if (y == 2) v += 1.0f;
  __syncthreads();
  if (x < 3 && z > 0) s[z][y][x] = -v;
  __syncthreads();
  out[t + blockIdx.x * 105] = v + s[z][y][x] + __syncthreads_count(x > y);
})",
     {7, 5, 3}},
    {"ShufflesInBlocksOfOddShape",
     R"(extern "C" __global__ void k(float* out, const float* in, int n) {
  int t = threadIdx.y * blockDim.x + threadIdx.x;
  float v = in[t];
  v += __shfl_up_sync(0xffffffffu, v, 1);
  v += __shfl_sync(0xffffffffu, v, 3, 8);
  v -= __shfl_down_sync(0xffffffffu, v, 2, 16);
  unsigned b = __ballot_sync(0xffffffffu, v > 0.0f);
  out[t] = v + __popc(b) + __any_sync(0xffffffffu, t == 40) + 2 * __all_sync(0xffffffffu, t < 64);
})",
     {10, 7, 1},
     {1, 1, 1}},
    {"DivergentWarpOperations",
     R"(extern "C" __global__ void k(float* out, const float* in, int n) {
  int t = threadIdx.x, lane = t % 32;
  float v = in[t];
  if (lane < 16) {
    v += __shfl_xor_sync(0x0000ffffu, v, 4);
    if (lane % 2 == 0) v += __shfl_down_sync(0x00005555u, v, 2);
    else v *= 2.0f;
  } else {
    v = __shfl_sync(0xffff0000u, v, 20);
  }
  for (int i = lane; i < 70; i += 1 + lane % 3) {
    v += 0.125f * i;
    if (i > 60 && v > 1.0f) break;
  }
  out[t] = v;
})",
     {64, 1, 1},
     {1, 1, 1}},
    {"WarpLoopsWithVotes",
     R"(extern "C" __global__ void k(float* out, const float* in, int n) {
  int t = threadIdx.x;
  float v = in[t];
  int turns = 0;
  while (__any_sync(0xffffffffu, v > -50.0f)) {
    v -= 10.0f + (t % 4);
    ++turns;
  }
  int done = 0;
  do {
    done = __all_sync(0xffffffffu, v < -200.0f - (t / 32) * 50.0f);
    if (!done) v *= 1.5f;
  } while (!done);
  out[t + blockIdx.x * 96] = v + turns;
})",
     {96, 1, 1}},
    {"EarlyReturnOfLanes",
     R"(__device__ float sum(float v) {
  for (int o = 16; o > 0; o >>= 1) v += __shfl_down_sync(0xffffffffu, v, o);
  return v;
}
extern "C" __global__ void k(float* out, const float* in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= 150) return;
  float v = sum(in[i]);
  if (threadIdx.x % 32 == 0) out[i / 32] = v;
  out[100 + i] = __shfl_xor_sync(0xffffffffu, in[i], 1);
})",
     {96, 1, 1}},
    {"FunctionsThatReturnEarlyAndTakeReferences",
     R"(__device__ float pick(float v, int lane) {
  float other = __shfl_xor_sync(0xffffffffu, v, 1);
  if (lane < 4) return other;
  if (lane > 28) {
    return v * 2.0f;
  }
  other += __shfl_up_sync(0x1ffffff0u, v, 2);
  return other;
}
template <typename T, int N>
__device__ void scan_inclusive(T& value, T* shared) {
  int t = threadIdx.x;
#pragma unroll
  for (int d = 1; d < N; d *= 2) {
    shared[t] = value;
    __syncthreads();
    if (t >= d) value += shared[t - d];
    __syncthreads();
  }
}
namespace inner {
__device__ int rank() { return threadIdx.x; }
template <class T> __device__ T broadcast(T v, int from = 0) {
  __shared__ T s;
  if (rank() == from) s = v;
  __syncthreads();
  T result = s;
  __syncthreads();
  return result;
}
}
extern "C" __global__ void k(float* out, const float* in, int n) {
  __shared__ float s[128];
  int lane = threadIdx.x & 31;
  float v = pick(in[threadIdx.x], lane);
  scan_inclusive<float, 128>(v, s);
  double d = inner::broadcast((double)v, 17) + inner::broadcast<float>(v);
  out[blockIdx.x * 128 + threadIdx.x] = v + (float)d;
})",
     {128, 1, 1}},
    {"TilesOfFewerLanes",
     R"(#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__device__ float tile_sum(cg::thread_block_tile<8> tile, float v) {
  for (int o = tile.size() / 2; o > 0; o /= 2) v += tile.shfl_down(v, o);
  return v;
}
template <typename Group>
__device__ float block_shift(Group g, float* s, float v) {
  s[g.thread_rank()] = v;
  g.sync();
  v = s[(g.thread_rank() + 1) % g.size()];
  g.sync();
  return v;
}
extern "C" __global__ void k(float* out, const float* in, int n) {
  __shared__ float s[64];
  auto block = cg::this_thread_block();
  auto tile = cg::tiled_partition<8>(block);
  float v = in[block.thread_rank()];
  v = tile_sum(tile, v) + tile.any(v > 50.0f) + tile.all(v < 60.0f) + tile.ballot(v > 0.0f);
  v += tile.shfl(v, 3) * 0.5f;
  tile.sync();
  v = block_shift(block, s, v);
  out[blockIdx.x * 64 + threadIdx.x] = v + tile.meta_group_rank() + 10 * tile.thread_rank();
})",
     {64, 1, 1}},
    {"Lambdas",
     R"(extern "C" __global__ void k(float* out, const float* in, int n) {
  __shared__ float s[64];
  int t = threadIdx.x;
  float scale = in[t];
  auto value = [&](int i) { return s[i % 64] * scale; };
  s[t] = scale + 1.0f;
  __syncthreads();
  float x = value(t + 1);
  scale = 3.0f;
  __syncthreads();
  auto more = [](float a, float b) { return a * 0.5f + b; };
  s[t] = x;
  __syncthreads();
  out[blockIdx.x * 64 + t] = more(value(t + 2), x);
})",
     {64, 1, 1}},
    {"ModifiedParametersAndSwitches",
     R"(extern "C" __global__ void k(float* out, const float* in, int n) {
  __shared__ float s[64];
  in += threadIdx.x;
  out += blockIdx.x * 64;
  n -= 3;
  float v = 0;
  switch (threadIdx.x % 4) {
    case 0: v = in[0]; break;
    case 1: v = in[1] * 2; break;
    default: for (int i = 0; i < 3; ++i) { if (i == 2) continue; v += in[i]; }
  }
  s[threadIdx.x] = v;
  __syncthreads();
  while (v < 100.0f) v = v * 0.5f + 60.0f;
  out[threadIdx.x] = s[63 - threadIdx.x] + v + n;
})",
     {64, 1, 1}},
    {"StridedLoops",
     R"(extern "C" __global__ void k(float* out, const float* in, int n) {
  __shared__ float s[96];
  unsigned int t = threadIdx.x;
  float sum = 0.0f, most = -1.0e30f;
  for (int i = threadIdx.x; i < 1000; i += blockDim.x) {
    float v = in[i + blockIdx.x];
    sum += v;
    most = fmaxf(most, v);
  }
  for (unsigned i = t + 5; i <= 333u; i += 96) sum -= in[i];
  s[t] = sum + most;
  __syncthreads();
  for (int i = threadIdx.x; i < 500; i += blockDim.x) out[blockIdx.x * 500 + i] = s[i % 96] + in[i];
})",
     {96, 1, 1}},
    {"PartsOfShortRows",
     R"(extern "C" __global__ void k(float* out, const float* in, int n) {
  __shared__ float a[4][16], b[4][16], c[4][16];
  int tx = threadIdx.x, ty = threadIdx.y, i = blockIdx.x * 128 + ty * 16 + tx;
  a[ty][tx] = in[i];
  b[ty][tx] = c[ty][tx] = 0;
  __syncthreads();
  for (int s = 0; s < 6; ++s) {
    bool inside = tx >= s + 1 && tx < 15 - s;
    if (inside) {
      float left = s > 2 ? a[ty][tx - 1] : 0.5f;
      b[ty][tx] = left + 2 * a[ty][tx + 1] + s;
      if (ty > 1) b[ty][tx] = s;
    }
    __syncthreads();
    if (inside) a[ty][tx] = b[ty][tx];
    if (tx < 11) c[ty][tx] += b[ty][tx];
    if (tx < 13) {
      float x = c[ty][tx];
      x *= 3;
      c[ty][tx] = x;
    }
    __syncthreads();
  }
  if (tx >= 3 && tx < 13) out[i] = a[ty][tx] + c[ty][tx];
  if (tx < 9) out[i + 64] = out[i + 3 * 1024] + in[i];
  if (tx < 9) out[i + 64] = out[i + 64] * 3;
})",
     {16, 4, 1},
     {3, 1, 1}},
    {"SharedMemoryAtNamespaceScopeAndAtomics",
     R"(extern __shared__ float pool[];
__device__ float* part(int i) { return pool + 64 * i; }
extern "C" __global__ void k(float* out, const float* in, int n) {
  __shared__ int count[4];
  __shared__ __align__(16) float4 wide[16];
  int t = threadIdx.x;
  if (t < 4) count[t] = 0;
  part(0)[t] = in[t];
  part(1)[t] = 2 * in[t];
  if (t >= 48) wide[t - 48] = make_float4(t, 1, 2, in[t]);
  __syncthreads();
  atomicAdd(&count[t % 4], t);
  __syncthreads();
  out[blockIdx.x * 64 + t] = part(1)[63 - t] + part(0)[t] + count[3 - t % 4] + wide[t % 16].w;
})",
     {64, 1, 1},
     {2, 1, 1},
     512},
    {"MatchAndReduceOperations",
     R"(extern "C" __global__ void k(float* out, const float* in, int n) {
  int t = threadIdx.x;
  int key = t % 5;
  unsigned same = __match_any_sync(0xffffffffu, key);
  int total = __reduce_add_sync(0xffffffffu, t);
  unsigned most = __reduce_max_sync(0xffffffffu, (unsigned)(t * 7 % 31));
  int all = 0;
  unsigned every = __match_all_sync(0xffffffffu, t / 64, &all);
  out[t] = __popc(same) + total + most + all + __popc(every);
})",
     {64, 1, 1},
     {1, 1, 1}},
    {"SharedScalarsAndDeviceVariables",
     R"(__device__ float total;
extern "C" __global__ void k(float* out, const float* in, int n) {
  __shared__ float mean;
  __shared__ int count;
  int t = threadIdx.x;
  if (t == 0) {
    mean = in[3];
    count = 2;
    total = in[5];
  }
  __syncthreads();
  float old = mean, mine = t * mean, all = total + t;
  int turns = count;
  __syncthreads();
  if (t == 0) {
    mean = in[4];
    count = 5;
    total = 7.0f;
  }
  __syncthreads();
  for (int i = 0; i < count; ++i) {
    __syncthreads();
    if (t == 1) mean += 1.0f;
    __syncthreads();
  }
  out[t] = old + mine + all + turns + mean + count;
})",
     {64, 1, 1},
     {1, 1, 1}},
    {"GridIndices",
     R"(extern "C" __global__ void k(float* out, const float* in, int n) {
  __shared__ float s[64];
  const auto first = kiln::global_index_x();
  s[threadIdx.x] = 0;
  for (long long i = kiln::global_index_x(); i < 3000; i += kiln::global_size_x()) s[threadIdx.x] += in[i];
  __syncthreads();
  out[first] = s[63 - threadIdx.x];
})",
     {64, 1, 1},
     {3, 1, 1}},
    {"GotoRunsAsFibers",
     R"(extern "C" __global__ void k(float* out, const float* in, int n) {
  int i = 0;
again:
  __syncthreads();
  if (++i < 3) goto again;
  out[threadIdx.x] = in[threadIdx.x] + i;
})",
     {32, 1, 1},
     {1, 1, 1},
     0,
     "goto (kernel.cu:3)"},
    {"GroupByReference",
     R"(#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;
__device__ void sum_up(float* sums, const cg::thread_block& block) {
  const unsigned t = block.thread_rank();
  cg::thread_block_tile<32> tile = cg::tiled_partition<32>(block);
  sums[t] = cg::reduce(tile, sums[t], cg::plus<float>());
  cg::sync(block);
  if (block.thread_rank() == 0) {
    float all = 0.0f;
    for (int i = 0; i < blockDim.x; i += tile.size()) all += sums[i];
    sums[0] = all;
  }
  cg::sync(block);
}
extern "C" __global__ void k(float* out, const float* in, int n) {
  __shared__ float sums[64];
  cg::thread_block block = cg::this_thread_block();
  sums[block.thread_rank()] = in[block.thread_rank()];
  cg::sync(block);
  sum_up(sums, block);
  out[blockIdx.x * 64 + block.thread_rank()] = sums[0] + in[block.thread_rank()];
})",
     {64, 1, 1}},
    // Tiles move values of more than 8 bytes; ranks in a tile are named where no loop over lanes is.
    {"TilesOfLargeValues",
     R"(#include <cooperative_groups.h>
namespace cg = cooperative_groups;
struct Wide { float x, y, z, w; };
__device__ Wide sums(const Wide& v, const cg::thread_block& block) {
  const auto tile = cg::tiled_partition<32>(block);
  __shared__ float of_warps[32];
  const unsigned lane = tile.thread_rank(), warp = tile.meta_group_rank();
  float own[4] = {};
  own[0] = v.x; own[1] = v.x + v.y; own[2] = own[1] + v.z; own[3] = own[2] + v.w;
  float total = own[3];
  for (unsigned i = 1; i <= 16; i *= 2) {
    const float before = tile.shfl_up(total, i);
    if (lane >= i) total += before;
  }
  for (int i = 0; i < 4; ++i) own[i] += total;
  if (lane == tile.size() - 1) of_warps[warp] = total;
  __syncthreads();
  if (warp > 0) {
    const float others = of_warps[warp - 1];
    for (int i = 0; i < 4; ++i) own[i] += others;
  }
  return {own[0], own[1], own[2], own[3]};
}
__device__ Wide quad(const float* in, unsigned t) { return {in[t], in[t + 1], in[2 * t], 1.0f}; }
extern "C" __global__ void k(float* out, const float* in, int n) {
  const auto block = cg::this_thread_block();
  const auto tile = cg::tiled_partition<32>(block);
  const unsigned t = threadIdx.x;
  Wide v = sums(quad(in, t), block);
  v = tile.shfl_xor(v, 3);
  const Wide other = tile.shfl(v, tile.thread_rank() / 2);
  out[blockIdx.x * 64 + t] = v.x + v.y * 2.0f + other.z - other.w;
})",
     {64, 1, 1}},
    // "a & b" and "a && b" declare nothing, nor does "f(*p, x)".
    {"ConditionsAndCallsLikeDeclarations",
     R"(__device__ void store(float& to, float v) { to = v; }
extern "C" __global__ void k(float* out, const float* in, int n) {
  __shared__ float s[64];
  const int t = threadIdx.x;
  const bool low = t < 20, even = t % 2 == 0;
  int mask = t * 5;
  unsigned turns = 0;
  while (mask & t) mask &= mask - 1;
  if (low && even) turns = 2;
  if (not low) turns += 4;
  if (low & even) turns += 8;
  s[t] = in[t] + turns + mask;
  __syncthreads();
  if (n && out) store(*(out + blockIdx.x * 64 + t), s[63 - t]);
})",
     {64, 1, 1}},
    // "(void**)&p" is an address, not a sum of bits.
    {"AddressesBehindCasts",
     R"(__device__ void swap_pointers(void** a, void** b) {
  void* p = *a;
  *a = *b;
  *b = p;
}
__device__ void set_bits(unsigned* to, unsigned by) { *to ^= by; }
extern "C" __global__ void k(float* out, const float* in, int n) {
  __shared__ float both[128];
  float *now = both, *next = both + 64;
  const int t = threadIdx.x;
  unsigned mask = (n) & 7;
  float sum = 1.0f;
  now[t] = in[t];
  __syncthreads();
  for (int round = 1; round < 20; ++round) {
    if (t < 40) {
      const float v = now[t] + (t > 0 ? now[t - 1] : 0.0f);
      swap_pointers((void**)&now, (void**)&next);
      now[t] = v * 0.5f;
      set_bits((unsigned*)&sum, (mask + t) << 16);
    }
    __syncthreads();
  }
  out[blockIdx.x * 64 + t] = now[t] + sum;
})",
     {64, 1, 1}},
    // Comparisons of the index that are a part of a condition in brackets.
    {"ComparisonsBesideOthersInBrackets",
     R"(extern "C" __global__ void k(float* out, const float* in, int n) {
  __shared__ float s[64];
  const int t = threadIdx.x;
  const bool first = blockIdx.x == 0;
  s[t] = in[t];
  __syncthreads();
  for (int round = 1; round < 30; ++round) {
    if (t < 60 && (first || round <= threadIdx.x)) s[t] += 1.0f;
    __syncthreads();
    if ((n && 20 > threadIdx.x)) s[t] *= 1.5f;
    if ((first | 7 < threadIdx.x)) s[t] -= 0.25f;
    __syncthreads();
  }
  out[blockIdx.x * 64 + t] = s[63 - t];
})",
     {64, 1, 1}},
    {"PointersWithRestrict",
     R"(extern "C" __global__ void k(float* out, const float* in, int n) {
  __shared__ float s[64];
  const int t = threadIdx.x;
  for (int part = 0; part < 3; ++part) {
    const float* __restrict__ from = in + 64 * part;
    float* __restrict__ to = out + (blockIdx.x * 3 + part) * 64;
    if (t > 60) to = out + 500 + t;
    if (in[part] > 1e9f) from = in;
    s[t] = from[t];
    __syncthreads();
    to[t] = s[63 - t] + from[1];
    __syncthreads();
  }
})",
     {64, 1, 1}},
    // The type of `value` is written with `at`, which each loop computes anew.
    {"DeducedTypesOfRepeatedIndices",
     R"(extern "C" __global__ void k(float* out, const float* in, int n) {
  __shared__ float s[64];
  const int t = threadIdx.x;
  s[t] = in[t];
  s[t + 32] = in[t + 100];
  __syncthreads();
  if (t < 32) {
    const int id = threadIdx.x;
    float before = 0.0f;
    for (int part = 1; part >= 0; part--) {
      const int at = part * 32 + id;
      auto value = s[at];
      for (int i = 1; i < 32; i *= 2) {
        auto other = __shfl_down_sync(0xffffffffu, value, i);
        if (31 - id >= i) value += other;
      }
      value += before;
      out[blockIdx.x * 64 + at] = value;
      before = __shfl_sync(0xffffffffu, value, 0);
    }
  }
})",
     {32, 1, 1}},
    // `first` is computed anew in the second loop, from a number of the warp.
    {"NumbersOfWarpsInRepeatedValues",
     R"(__device__ float total(float v, float* s) {
  for (int o = 16; o > 0; o /= 2) v += __shfl_xor_sync(0xffffffffu, v, o);
  if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = v;
  __syncthreads();
  v = threadIdx.x % 32 < 2 ? s[threadIdx.x % 32] : 0.0f;
  v += __shfl_xor_sync(0xffffffffu, v, 1);
  return __shfl_sync(0xffffffffu, v, 0);
}
extern "C" __global__ void k(float* out, const float* in, int n) {
  __shared__ float s[32];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int first = warp * 32 * 4 + lane * 4;
  float sum = 0.0f;
  for (int i = first; i < 500; i += 256) sum += in[i] * in[i + 1];
  const float all = total(sum, s);
  for (int i = first; i < 500; i += 256) out[blockIdx.x * 500 + i] = in[i] - all;
})",
     {64, 1, 1}},
    // Warps return from a function of the block, one after a shuffle, the other from the middle.
    {"ReturnsOfWarpsFromAFunctionOfTheBlock",
     R"(__device__ float part(float v, float* s) {
  s[threadIdx.x] = v;
  __syncthreads();
  if (threadIdx.x / 32 == 1) {
    v += __shfl_xor_sync(0xffffffffu, v, 2);
    return v + 1.0f;
  }
  return __shfl_down_sync(0xffffffffu, s[127 - threadIdx.x], 3);
}
extern "C" __global__ void k(float* out, const float* in, int n) {
  __shared__ float s[128];
  const float v = part(in[threadIdx.x], s);
  out[blockIdx.x * 128 + threadIdx.x] = v;
})",
     {128, 1, 1}},
    {"FunctionsBelowTheirCallers",
     R"(__device__ float turned(float v, int by);
__device__ float both(float v);
extern "C" __global__ void k(float* out, const float* in, int n) {
  out[blockIdx.x * 64 + threadIdx.x] = both(in[threadIdx.x]) + turned(1.0f * threadIdx.x, 7);
}
__device__ float both(float v) { return turned(v, 3) - turned(v, 5); }
__device__ float turned(float v, int by) {
  __shared__ float s[64];
  s[threadIdx.x] = v;
  __syncthreads();
  v = s[(threadIdx.x + by) % 64];
  __syncthreads();
  return v;
})",
     {64, 1, 1}},
    {"IndicesWithCastsToTypesOfTheUsers",
     R"(typedef long long place_t;
#define AT(i, j) ((place_t)((i + shift) * pitch + j) * (place_t)rows + 2)
extern "C" __global__ void k(float* out, const float* in, int n) {
  __shared__ float s[8][8];
  const int i = threadIdx.y, j = threadIdx.x, shift = n > 5 ? 1 : 0, pitch = 8, rows = 3;
  s[i][j] = in[AT(i, j)];
  __syncthreads();
  out[AT(i, j)] = s[j][i] + in[(place_t)j * (place_t)rows];
})",
     {8, 8, 1},
     {1, 1, 1}},
    {"KernelInABlockOfCLinkage",
     R"(extern "C" {
__device__ float turned(float v, int by) {
  __shared__ float s[64];
  s[threadIdx.x] = v;
  __syncthreads();
  return s[(threadIdx.x + by) % 64];
}
__global__ void k(float* out, const float* in, int n) {
  out[blockIdx.x * 64 + threadIdx.x] = turned(in[threadIdx.x], 3);
}
})",
     {64, 1, 1}},
    // The other kernel is not compiled, nor are the pragmas in it, which would stand outside of functions.
    {"PragmasOfAnotherKernel",
     R"(#define ALL _Pragma("unroll")
__global__ void other(float* out, int n) {
  ALL
  for (int i = 0; i < 4; ++i) out[i] = n;
#pragma unroll 4
  for (int i = 0; i < n; ++i) out[i] += 1.0f;
  _Pragma("GCC unroll 8") for (int i = 0; i < 8; ++i) out[i] *= 2.0f;
}
extern "C" __global__ void k(float* out, const float* in, int n) {
  __shared__ float s[64];
  s[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  float sum = 0.0f;
#pragma unroll 4
  for (int i = 0; i < 16; ++i) sum = sum * 0.5f + s[(threadIdx.x + i) % 64];
  out[blockIdx.x * 64 + threadIdx.x] = sum;
})",
     {64, 1, 1}},
    {"DeclarationsOfBuiltInFunctionsAndOfAnotherKernelOfTheName",
     R"(extern __device__ __device_builtin__ void __syncthreads(void);
__global__ void k(float* out, int n);
__global__ void k(float* out, const float* in, int n) {
  __shared__ float s[64];
  s[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[blockIdx.x * 64 + threadIdx.x] = s[63 - threadIdx.x];
})",
     {64, 1, 1}},
    {"VariablesOfABranchThatIsNotCompiled",
     R"(#if defined(NOT_DEFINED)
__device__ float scale = 2.0f;
__constant__ float table[4];
#endif
namespace first { __device__ float weight = 3.0f; }
#define PLACE first
namespace PLACE { __device__ float other = 5.0f; }
#undef PLACE
#define PLACE second
namespace PLACE { __device__ float other = 7.0f; }
__global__ void k(float* out, const float* in, int n) {
  __shared__ float s[64];
  float scale = in[threadIdx.x], table = 3.0f;
  s[threadIdx.x] = scale * table;
  __syncthreads();
  out[blockIdx.x * 64 + threadIdx.x] = s[63 - threadIdx.x] + first::weight + first::other + second::other;
})",
     {64, 1, 1}},
    {"VariablesThatDefineTheirTypes",
     R"(extern "C" __global__ void k(float* out, const float* in, int n) {
  __shared__ float s[64];
  int t = threadIdx.x;
  union { unsigned word; float value; } u;
  struct Pair { float x, y; union { int whole; float part; }; } p, q[2];
  u.value = in[blockIdx.x * 64 + t];
  p.x = u.value;
  p.part = 2 * u.value;
  q[1] = p;
  s[t] = u.value;
  __syncthreads();
  p.y = s[63 - t];
  u.word ^= 0x80000000u;
  __syncthreads();
  s[t] = u.value + p.x + p.y + q[1].part;
  __syncthreads();
  out[blockIdx.x * 64 + t] = s[(t + 1) % 64];
})",
     {64, 1, 1}},
    {"UnionsWithoutAName",
     R"(struct Node { unsigned words[4]; };
extern "C" __global__ void k(float* out, const float* in, int n) {
  __shared__ float s[64];
  int t = threadIdx.x;
  float other = 1.0f;
  {
    union {
      Node node;
      uint2 halves[2];
      struct { float low, high; };
    };
    for (int i = 0; i < 4; ++i) node.words[i] = 8388608u * (100 + i) + t;
    s[t] = in[blockIdx.x * 64 + t] + low;
    __syncthreads();
    halves[0].x += 8388608u;
    halves[1].y ^= (unsigned)(t > 3 ? halves[0].y : node.words[2]);
    high = high + s[63 - t];
    __syncthreads();
    s[t] = low + high + (float)(node.words[3] % 1000u);
    other = __uint_as_float(node.words[1]);
  }
  __syncthreads();
  float low = other, node = 2.0f;
  out[blockIdx.x * 64 + t] = s[(t + 1) % 64] * node + low;
})",
     {64, 1, 1}},
    {"UnionsWithoutANameInAMacro",
     R"(#define BITS union { unsigned word; float value; }
extern "C" __global__ void k(float* out, const float* in, int n) {
  __shared__ float s[64];
  BITS;
  value = in[blockIdx.x * 64 + threadIdx.x];
  s[threadIdx.x] = value;
  __syncthreads();
  word ^= 0x80000000u;
  out[blockIdx.x * 64 + threadIdx.x] = value + s[63 - threadIdx.x];
})",
     {64, 1, 1},
     {2, 1, 1},
     0,
     "a union without a name"},
    {"UnionsWithoutANameWhoseMembersAMacroNames",
     R"(#define VALUE value
extern "C" __global__ void k(float* out, const float* in, int n) {
  __shared__ float s[64];
  union { unsigned word; float value; };
  VALUE = in[blockIdx.x * 64 + threadIdx.x];
  s[threadIdx.x] = value;
  __syncthreads();
  word ^= 0x80000000u;
  out[blockIdx.x * 64 + threadIdx.x] = VALUE + s[63 - threadIdx.x];
})",
     {64, 1, 1},
     {2, 1, 1},
     0,
     "a union without a name"},
    {"UnionsWithoutANameWhoseMembersAreDeclaredAgain",
     R"(#define SQUARE(value) ((value) * (value))
extern "C" __global__ void k(float* out, const float* in, int n) {
  __shared__ float s[64];
  union { unsigned word; float value; };
  value = in[blockIdx.x * 64 + threadIdx.x];
  { const float* value = in; s[threadIdx.x] = SQUARE(value[threadIdx.x]); }
  __syncthreads();
  word ^= 0x80000000u;
  out[blockIdx.x * 64 + threadIdx.x] = value + s[63 - threadIdx.x];
})",
     {64, 1, 1},
     {2, 1, 1},
     0,
     "a union without a name"},
    {"VariablesWithStructBeforeTheirTypes",
     R"(struct Pair { float x, y; };
extern "C" __global__ void k(float* out, const float* in, int n) {
  __shared__ float s[64];
  int t = threadIdx.x;
  s[t] = in[blockIdx.x * 64 + t];
  __syncthreads();
  const struct Pair q{s[63 - t], 2.0f};
  struct Pair p{s[t], 1.0f}, r = {q.x, q.y};
  p.x += 1;
  r.y *= p.x;
  __syncthreads();
  s[t] = 100;
  __syncthreads();
  out[blockIdx.x * 64 + t] = p.x + q.x + r.y + s[63 - t];
})",
     {64, 1, 1}},
    {"VariablesThatDefineTheirTypesInAMacro",
     R"(#define BITS union { unsigned word; float value; }
extern "C" __global__ void k(float* out, const float* in, int n) {
  __shared__ float s[64];
  BITS u;
  u.value = in[blockIdx.x * 64 + threadIdx.x];
  s[threadIdx.x] = u.value;
  __syncthreads();
  u.word ^= 0x80000000u;
  out[blockIdx.x * 64 + threadIdx.x] = u.value + s[63 - threadIdx.x];
})",
     {64, 1, 1},
     {2, 1, 1},
     0,
     "defines the variable's type"},
    {"LanesInStepOfAVolatileArray",
     R"(__device__ void last_rounds(volatile float* s, int t) {
  s[t] += s[t + 32];
  s[t] += s[t + 16];
  s[t] = s[t] + s[t + 8];
}
extern "C" __global__ void k(float* out, const float* in, int n) {
  __shared__ float s[128];
  int t = threadIdx.x;
  s[t] = in[blockIdx.x * 128 + t];
  __syncthreads();
  if (t < 64) s[t] += s[t + 64];
  __syncthreads();
  if (t < 32) {
    last_rounds(s, t);
    volatile float* v = s;
    float mine = v[t];
    v[t] = mine = mine + v[t + 4];
    v[t] += v[t + 2];
    v[t] += v[t + 1];
  }
  __syncthreads();
  float sum = 0.0f;
  for (int i = 0; i < 128; ++i) sum += in[blockIdx.x * 128 + i];
  out[blockIdx.x * 128 + t] = fabsf(s[0] - sum) < 0.01f ? t : 0.0f / (n - n);
})",
     {128, 1, 1}},
    {"LanesInStepOfElementsOfAVolatilePointer",
     R"(struct Larger {
  __device__ float operator()(float a, float b) const { return fmaxf(a, b); }
};
template <class Op> __device__ float last_rounds(float* s, int t, Op op) {
  volatile float* mine = &s[t];
  *mine = op(*mine, mine[32]);
  *mine = op(*mine, mine[16]);
  *mine = op(*mine, mine[8]);
  *mine = op(*mine, mine[4]);
  *mine = op(*mine, mine[2]);
  *mine = op(*mine, mine[1]);
  return *mine;
}
extern "C" __global__ void k(float* out, const float* in, int n) {
  __shared__ float s[64], largest[64];
  const int t = threadIdx.x;
  s[t] = largest[t] = in[blockIdx.x * 64 + t];
  __syncthreads();
  float most = 0.0f;
  if (t < 32) {
    volatile float* mine = s + t;
    *mine += mine[32];
    *mine += mine[16];
    *mine += mine[8];
    *mine += mine[4];
    *mine += mine[2];
    *mine += mine[1];
    most = last_rounds(largest, t, Larger());
  }
  __syncthreads();
  float sum = 0.0f, expected = in[blockIdx.x * 64];
  for (int i = 0; i < 64; ++i) {
    sum += in[blockIdx.x * 64 + i];
    expected = fmaxf(expected, in[blockIdx.x * 64 + i]);
  }
  const bool right = fabsf(s[0] - sum) < 0.01f && (t != 0 || most == expected);
  out[blockIdx.x * 64 + t] = right ? t : 0.0f / (n - n);
})",
     {64, 1, 1}},
    {"LanesInStepWithinOneStatement",
     R"(struct Pair { float first; int second; };
#define LANES 16
extern "C" __global__ void k(float* out, const float* in, int n) {
  __shared__ Pair c[LANES];
  __shared__ float s[64];
  __shared__ int order[16];
  int i = threadIdx.x;
  s[i] = i;
  if (i < 16) {
    c[i].first = in[i];
    c[i].second = i;
    order[i] = (i * 7 + 3) % 16;
  }
  __syncthreads();
  if (i < LANES) c[order[i]].first = c[i].first;
  if (i <= 15)
    c[15 - i].second = c[i].second;
  if (i >= 32) {
    s[i] += s[i - 32];
  } else if (i > 0) {
    if (i < 32) s[i] = s[i] + s[i - 1];
  }
  __syncthreads();
  float wrong = 0.0f;
  if (i < 16 && (c[(i * 7 + 3) % 16].first != in[i] || c[i].second != 15 - i)) wrong += 1.0f;
  if (i > 0 && i < 32 && s[i] != 2.0f * i - 1.0f) wrong += 2.0f;
  out[blockIdx.x * 64 + i] = wrong == 0.0f ? i : 0.0f / (n - n);
})",
     {64, 1, 1}},
    {"LanesInStepOnAnArrayOutsideOfFunctions",
     R"(namespace state { __shared__ __align__(16) int words[96]; }
using namespace state;
__device__ int turned(int value) {
  const int lane = threadIdx.x % 32;
  int* own = words + 32 * (threadIdx.x / 32);
  if (lane < 30) {
    for (int turn = 0; turn < 4; ++turn) {
      own[lane] = value;
      const int next = own[(lane + 1) % 30];
      const int third = own[(lane + 3) % 30];
      value = 2 * next - third;
    }
  }
  __syncwarp();
  return value;
}
extern "C" __global__ void k(float* out, const float* in, int n) {
  const int t = threadIdx.x, lane = t % 32;
  const int found = turned(lane * lane * (t / 32 + 1));
  int values[30], others[30];
  for (int i = 0; i < 30; ++i) values[i] = i * i * (t / 32 + 1);
  for (int turn = 0; turn < 4; ++turn) {
    for (int i = 0; i < 30; ++i) others[i] = 2 * values[(i + 1) % 30] - values[(i + 3) % 30];
    for (int i = 0; i < 30; ++i) values[i] = others[i];
  }
  const bool right = lane < 30 ? found == values[lane] : found == lane * lane * (t / 32 + 1);
  out[blockIdx.x * 96 + t] = right ? t : 0.0f / (n - n);
})",
     {96, 1, 1}},
    {"LanesInStepOfFunctionsAndBranches",
     R"(__device__ void butterfly(float* sums, int i) {
  sums[i] += sums[i ^ 8];
  sums[i] += sums[i ^ 4];
  sums[i] += sums[i ^ 2];
  sums[i] += sums[i ^ 1];
}
__device__ int warp_scan(int* v, int t) {
  const int lane = t & 31;
  if (lane >= 1) v[t] += v[t - 1];
  if (lane >= 2) v[t] += v[t - 2];
  if (lane >= 4) { int other = v[t - 4]; v[t] += other; }
  if (lane >= 8) v[t] += v[t - 8];
  if (lane >= 16) v[t] += v[t - 16];
  return v[t];
}
extern "C" __global__ void k(float* out, const float* in, int n) {
  __shared__ float s[96], sums[16];
  __shared__ int v[96];
  __shared__ float most[96];
  const int t = threadIdx.x, lane = t % warpSize;
  s[t] = t;
  v[t] = t;
  most[t] = (t * 37) % 64;
  if (t < 16) {
    sums[t] = 1 << t;
    butterfly(sums, t);
  }
  const int sum = warp_scan(v, t);
  if (lane < 16) s[t] += s[t + 16];
  if (lane < 8) s[t] += s[t + 8];
  if (lane < 4) s[t] += s[t + 4];
  if (lane < 2) s[t] += s[t + 2];
  if (lane < 1) s[t] += s[t + 1];
  __syncthreads();
  if (t < 32) {
    for (int o = 32; o > 0; o >>= 1)
      if (most[t] < most[t + o]) most[t] = most[t + o];
  }
  __syncthreads();
  const int first = t - lane;
  float wrong = 0.0f;
  if (t < 16 && sums[t] != 65535.0f) wrong += 1.0f;
  if (sum != (first + t) * (lane + 1) / 2) wrong += 2.0f;
  if (s[first] != 32 * first + 496) wrong += 4.0f;
  if (most[0] != 63.0f) wrong += 8.0f;
  out[blockIdx.x * 96 + t] = wrong == 0.0f ? t : 0.0f / (n - n);
})",
     {96, 1, 1}},
    {"LeadersOfAWarpStoreWhatAllHaveRead",
     R"(extern "C" __global__ void k(float* out, const float* in, int n) {
  __shared__ int counts[3][4];
  __shared__ int places[3];
  __shared__ int digits[32];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  if (lane < 4) counts[warp][lane] = 0;
  if (warp == 0) digits[lane] = lane / 3 % 4;
  __syncthreads();
  float wrong = 0.0f;
  for (int turn = 0; turn < 3; ++turn) {
    const int digit = digits[(lane * 7 + turn) % 32];
    const unsigned peers = __match_any_sync(0xffffffffu, digit);
    const int rank = counts[warp][digit] + __popc(peers & ((1u << lane) - 1u));
    if (__ffs(peers) - 1 == lane) counts[warp][digit] += __popc(peers);
    int expected = 0;
    for (int u = 0; u <= turn; ++u) {
      for (int l = 0; l < 32; ++l) {
        if ((u < turn || l < lane) && digits[(l * 7 + u) % 32] == digit) ++expected;
      }
    }
    if (rank != expected) wrong += 1.0f;
  }
  const unsigned last = __ballot_sync(0xffffffffu, lane > 4);
  if (lane == 31 - __clz(last)) places[warp] = 100 * warp + 7;
  if (places[warp] != 100 * warp + 7) wrong += 16.0f;
  out[blockIdx.x * 96 + threadIdx.x] = wrong == 0.0f ? threadIdx.x : 0.0f / (n - n);
})",
     {96, 1, 1}},
    {"TwoBoundsOnOneAxis",
     R"(extern "C" __global__ void k(float* out, const float* in, int n) {
  __shared__ float s[8][8][4];
  int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z;
  s[y][x][z] = in[(y * 8 + x) * 4 + z];
  __syncthreads();
  if (threadIdx.x >= 1 && threadIdx.x < 8 - 1 && threadIdx.y >= 1 && threadIdx.y < 8 - 1 && threadIdx.z >= 1 &&
      threadIdx.z < 4 - 1 && x < n - 1 && y < n - 1)
    out[(y * 8 + x) * 4 + z] = s[y][x - 1][z] + s[y + 1][x + 1][z - 1];
})",
     {8, 8, 4},
     {1, 1, 1}},
    {"WarpOperationInAConditionRunsAsFibers",
     R"(extern "C" __global__ void k(float* out, const float* in, int n) {
  float v = in[threadIdx.x];
  if (n > 0 && __any_sync(0xffffffffu, v > 0.0f)) v += 1.0f;
  out[threadIdx.x] = v;
})",
     {32, 1, 1},
     {1, 1, 1},
     0,
     "part of a condition (kernel.cu:3)"},
};

INSTANTIATE_TEST_SUITE_P(Kernels, SplitCases, ::testing::ValuesIn(kCases), split_case_name);

TEST_P(SplitCases, GiveWhatFibersGive) {
  compare(GetParam());
}

}  // namespace
}  // namespace kiln::test
