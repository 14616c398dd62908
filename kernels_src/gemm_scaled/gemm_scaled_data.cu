#include "../gemm/gemm_errors.h"

extern "C" __global__ void find_errors(double* __restrict__ errors, const Out* __restrict__ d,
                                       const T* __restrict__ a, const T* __restrict__ b,
                                       const Out* __restrict__ c, const float* __restrict__ scale_a,
                                       const float* __restrict__ scale_b, int samples, double unit,
                                       double sum_epsilon, double out_epsilon, double smallest,
                                       const Params p) {
  const int s = int(kiln::global_index_x());
  if (s >= samples) return;
  const int blocks = (p.k + 127) / 128;
  errors[s] = error_of_sample(
      s, d, a, b, c, samples, unit, sum_epsilon, out_epsilon, smallest, p, [&](int row, int column, int k) {
        return double(scale_a[(long long)(k / 128) * p.m + row]) * scale_b[column / 128 * blocks + k / 128];
      });
}
