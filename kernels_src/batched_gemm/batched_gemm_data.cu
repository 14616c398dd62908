#include "batched_gemm.h"

// For each row of d the largest |d - its value in double| over its bound: k eps |alpha| sum |a b| for the
// sums, and the rounding of what is stored, at least half of a type's smallest number (`smallest`).
extern "C" __global__ void find_errors(double* __restrict__ errors, const T* __restrict__ d,
                                       const T* __restrict__ a, const T* __restrict__ b,
                                       const T* __restrict__ c, double sum_epsilon, double epsilon, double smallest,
                                       const Params p) {
  const long long index = kiln::global_index_x();
  if (index >= p.batch * p.m) return;
  const long long matrix = index / p.m;
  const int row = int(index % p.m);
  double largest = 0;
  for (int j = 0; j < p.n; ++j) {
    double sum = 0;
    double magnitude = 0;
    for (int l = 0; l < p.k; ++l) {
      const double product = double(float_or_double(a[matrix * p.stride_a + (long long)row * p.k + l])) *
                             double(float_or_double(b[matrix * p.stride_b + (long long)l * p.n + j]));
      sum += product;
      magnitude += fabs(product);
    }
    const long long at = matrix * p.stride_c + (long long)row * p.n + j;
    const double old = p.beta == 0 ? 0 : p.beta * double(float_or_double(c[at]));
    const double value = p.alpha * sum + old;
    const double difference = fabs(double(float_or_double(d[at])) - value);
    const double bound =
        fabs(p.alpha) * p.k * sum_epsilon * magnitude + (epsilon + sum_epsilon) * (fabs(value) + fabs(old)) + smallest;
    const double error = difference == 0 ? 0 : difference / bound;
    if (!(error <= largest)) largest = error;  // NaN too
  }
  errors[index] = largest;
}
