#include <cuda_fp16.h>
// Whole numbers of at most 3 bits: half products and their sums are exact.
__device__ inline float entry(int i, int salt) { return float((i * 7 + salt + i / 13) % 8 - 4); }

extern "C" __global__ void fill(half *x, int n, int salt) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = __float2half(entry(i, salt));
}
extern "C" __global__ void product_ref(float *c, int m, int n, int k, float alpha, float beta) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m * n) return;
  int row = i % m, column = i / m;
  double sum = 0;
  for (int d = 0; d < k; ++d) sum += (double)entry(row + d * m, 0) * entry(d + column * k, 5);
  c[i] = float(alpha * sum + beta * 4.0);
}
