#pragma once

/// Kernels with barriers and warp operations in the usual styles, for `kiln_bench --cpu-ratios`.
namespace kiln::bench {

constexpr const char* kBarrierKernels = R"(#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;

#define TILE 16

__global__ void jacobi(float* __restrict__ out, const float* __restrict__ in, int n) {
  __shared__ float s[TILE + 2][TILE + 2];
  int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
  int x = blockIdx.x * TILE + tx, y = blockIdx.y * TILE + ty;
  s[ty][tx] = in[y * n + x];
  if (threadIdx.x == 0) s[ty][0] = in[y * n + x - 1];
  if (threadIdx.x == TILE - 1) s[ty][TILE + 1] = in[y * n + x + 1];
  if (threadIdx.y == 0) s[0][tx] = in[(y - 1) * n + x];
  if (threadIdx.y == TILE - 1) s[TILE + 1][tx] = in[(y + 1) * n + x];
  __syncthreads();
  out[y * n + x] = 0.25f * (s[ty][tx - 1] + s[ty][tx + 1] + s[ty - 1][tx] + s[ty + 1][tx]);
}

// A step of a heat equation with a source, tiles with their own edges and 2 steps between exchanges.
__global__ void hotspot(float* __restrict__ out, const float* __restrict__ in, const float* __restrict__ power, int n) {
  __shared__ float temperature[TILE][TILE];
  __shared__ float next[TILE][TILE];
  const int steps = 2;
  int tx = threadIdx.x, ty = threadIdx.y;
  int small = TILE - 2 * steps;
  int x = blockIdx.x * small + tx - steps, y = blockIdx.y * small + ty - steps;
  int cx = min(max(x, 0), n - 1), cy = min(max(y, 0), n - 1);
  temperature[ty][tx] = in[cy * n + cx];
  float source = power[cy * n + cx];
  __syncthreads();
  for (int i = 0; i < steps; ++i) {
    bool inside = tx >= i + 1 && tx < TILE - 1 - i && ty >= i + 1 && ty < TILE - 1 - i;
    if (inside) {
      float c = temperature[ty][tx];
      float left = x > 0 ? temperature[ty][tx - 1] : c, right = x < n - 1 ? temperature[ty][tx + 1] : c;
      float up = y > 0 ? temperature[ty - 1][tx] : c, down = y < n - 1 ? temperature[ty + 1][tx] : c;
      next[ty][tx] = c + 0.1f * (source + (left + right - 2.0f * c) + (up + down - 2.0f * c) + 0.05f * (80.0f - c));
    }
    __syncthreads();
    if (inside) temperature[ty][tx] = next[ty][tx];
    __syncthreads();
  }
  if (tx >= steps && tx < TILE - steps && ty >= steps && ty < TILE - steps && x < n && y < n)
    out[y * n + x] = temperature[ty][tx];
}

__global__ void layernorm_unrolled(float* __restrict__ out, const float* __restrict__ in, int rows, int width) {
  int row = blockIdx.x * blockDim.y + threadIdx.y;
  if (row >= rows) return;
  const float* x = in + (size_t)row * width;
  float sum = 0.0f, squares = 0.0f;
  for (int i = threadIdx.x; i < width; i += 32) {
    float v = x[i];
    sum += v;
    squares += v * v;
  }
  sum += __shfl_xor_sync(0xffffffff, sum, 16);
  squares += __shfl_xor_sync(0xffffffff, squares, 16);
  sum += __shfl_xor_sync(0xffffffff, sum, 8);
  squares += __shfl_xor_sync(0xffffffff, squares, 8);
  sum += __shfl_xor_sync(0xffffffff, sum, 4);
  squares += __shfl_xor_sync(0xffffffff, squares, 4);
  sum += __shfl_xor_sync(0xffffffff, sum, 2);
  squares += __shfl_xor_sync(0xffffffff, squares, 2);
  sum += __shfl_xor_sync(0xffffffff, sum, 1);
  squares += __shfl_xor_sync(0xffffffff, squares, 1);
  float mean = sum / width;
  float scale = rsqrtf(squares / width - mean * mean + 1e-5f);
  for (int i = threadIdx.x; i < width; i += 32) out[(size_t)row * width + i] = (x[i] - mean) * scale;
}

__global__ void layernorm_tiles(float* __restrict__ out, const float* __restrict__ in, int rows, int width) {
  cg::thread_block block = cg::this_thread_block();
  cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
  int row = blockIdx.x * warp.meta_group_size() + warp.meta_group_rank();
  if (row >= rows) return;
  const float* x = in + (size_t)row * width;
  float sum = 0.0f;
  for (int i = warp.thread_rank(); i < width; i += warp.size()) sum += x[i];
  sum = cg::reduce(warp, sum, cg::plus<float>{});
  float mean = sum / width;
  float squares = 0.0f;
  for (int i = warp.thread_rank(); i < width; i += warp.size()) {
    float d = x[i] - mean;
    squares += d * d;
  }
  squares = cg::reduce(warp, squares, cg::plus<float>{});
  float scale = rsqrtf(squares / width + 1e-5f);
  float* o = out + (size_t)row * width;
  for (int i = warp.thread_rank(); i < width; i += warp.size()) o[i] = (x[i] - mean) * scale;
}

__global__ void gemm(float* __restrict__ c, const float* __restrict__ a, const float* __restrict__ b, int n) {
  __shared__ float as[TILE][TILE];
  __shared__ float bs[TILE][TILE];
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.y * TILE + ty, column = blockIdx.x * TILE + tx;
  float sum = 0.0f;
  for (int m = 0; m < n / TILE; ++m) {
    as[ty][tx] = a[row * n + m * TILE + tx];
    bs[ty][tx] = b[(m * TILE + ty) * n + column];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < TILE; ++k) sum += as[ty][k] * bs[k][tx];
    __syncthreads();
  }
  c[row * n + column] = sum;
}

__global__ void scan(float* __restrict__ out, const float* __restrict__ in) {
  __shared__ float temp[512];
  int thid = threadIdx.x;
  int offset = 1;
  const float* source = in + blockIdx.x * 512;
  temp[2 * thid] = source[2 * thid];
  temp[2 * thid + 1] = source[2 * thid + 1];
  for (int d = 256; d > 0; d >>= 1) {
    __syncthreads();
    if (thid < d) {
      int ai = offset * (2 * thid + 1) - 1;
      int bi = offset * (2 * thid + 2) - 1;
      temp[bi] += temp[ai];
    }
    offset *= 2;
  }
  if (thid == 0) temp[511] = 0;
  for (int d = 1; d < 512; d *= 2) {
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
  out[blockIdx.x * 512 + 2 * thid] = temp[2 * thid];
  out[blockIdx.x * 512 + 2 * thid + 1] = temp[2 * thid + 1];
}

__global__ void reduce(float* __restrict__ out, const float* __restrict__ in) {
  __shared__ float s[256];
  unsigned int tid = threadIdx.x;
  unsigned int i = blockIdx.x * (blockDim.x * 2) + threadIdx.x;
  s[tid] = in[i] + in[i + blockDim.x];
  __syncthreads();
  for (unsigned int d = blockDim.x / 2; d > 0; d >>= 1) {
    if (tid < d) s[tid] += s[tid + d];
    __syncthreads();
  }
  if (tid == 0) out[blockIdx.x] = s[0];
}

__global__ void bitonic(float* __restrict__ data) {
  __shared__ float s[1024];
  unsigned int t = threadIdx.x;
  s[t] = data[blockIdx.x * 1024 + t];
  s[t + 512] = data[blockIdx.x * 1024 + t + 512];
  for (unsigned int size = 2; size <= 1024; size <<= 1) {
    for (unsigned int stride = size / 2; stride > 0; stride >>= 1) {
      __syncthreads();
      unsigned int pos = 2 * t - (t & (stride - 1));
      bool up = (t & (size / 2)) == 0;
      float a = s[pos], b = s[pos + stride];
      if ((a > b) == up) {
        s[pos] = b;
        s[pos + stride] = a;
      }
    }
  }
  __syncthreads();
  data[blockIdx.x * 1024 + t] = s[t];
  data[blockIdx.x * 1024 + t + 512] = s[t + 512];
}

__global__ void transpose(float* __restrict__ out, const float* __restrict__ in, int n) {
  __shared__ float tile[32][33];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x;
  y = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) out[(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j];
}
)";

}  // namespace kiln::bench
