#include <cuda_bf16.h>
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>

// A matrix of bfloat16 times a vector, a warp a row, accumulated in float; a bias by an overloaded operator of the type.
typedef __nv_bfloat16 bf16;
typedef __nv_bfloat162 bf162;

__device__ __forceinline__ float warp_sum(float x) {
  for (int o = 16; o; o >>= 1) x += __shfl_down_sync(~0u, x, o);
  return x;
}

__global__ void gemv_bf16(const bf16* __restrict__ W, const bf16* __restrict__ x, const bf16* __restrict__ bias, bf16* __restrict__ y, int rows, int columns) {
  const int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
  float sum = 0.f;
  if (row < rows) {
    const bf162* w2 = (const bf162*)(W + row * columns);
    const bf162* x2 = (const bf162*)x;
    for (int j = lane; j < columns / 2; j += 32) {
      const float2 a = __bfloat1622float2(w2[j]), b = __bfloat1622float2(x2[j]);
      sum += a.x * b.x + a.y * b.y;
    }
  }
  sum = warp_sum(sum);
  if (row < rows && lane == 0) y[row] = __float2bfloat16(sum) + bias[row];
}

int main() {
  bf16 *W, *x, *b, *y;
  cudaMallocManaged(&W, 128 * 64 * sizeof(bf16));
  cudaMallocManaged(&x, 64 * sizeof(bf16));
  cudaMallocManaged(&b, 128 * sizeof(bf16));
  cudaMallocManaged(&y, 128 * sizeof(bf16));
  for (int i = 0; i < 64; ++i) x[i] = __float2bfloat16(rand() % 3);
  gemv_bf16<<<32, 128>>>(W, x, b, y, 128, 64);
  cudaDeviceSynchronize();
  printf("%f\n", __bfloat162float(y[0]));
}
