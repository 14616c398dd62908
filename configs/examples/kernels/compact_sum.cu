// Keeps the elements above a threshold and sums them up: how many there are is known when the first kernel has run.
#include "kiln/params.h"

extern "C" __global__ void keep_large(float* kept, int* count, const float* x, const Params p) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < p.n && x[i] > p.threshold) kept[atomicAdd(count, 1)] = x[i];
}

/// Each work-item adds up every `lanes`-th of the `m` elements that were kept.
extern "C" __global__ void sum_kept(double* partials, const float* kept, int m, int lanes) {
  const int lane = blockIdx.x * blockDim.x + threadIdx.x;
  if (lane >= lanes) return;
  double sum = 0;
  for (int i = lane; i < m; i += lanes) sum += kept[i];
  partials[lane] = sum;
}

extern "C" __global__ void reference(double* sum, const float* x, const Params p) {
  double total = 0;
  for (int i = 0; i < p.n; ++i) total += x[i] > p.threshold ? x[i] : 0.0f;
  sum[0] = total;
}
