#include "mirror.h"

// out[i] = sum of weights[k] signal[i + k - RADIUS]
extern "C" __global__ void convolve(float* out, const float* signal, const float* weights, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = 0;
  for (int k = 0; k <= 2 * RADIUS; ++k) sum += weights[k] * signal[mirror(i + k - RADIUS, n)];
  out[i] = sum;
}
