#include "gemm.h"

extern "C" __global__ void add_splits(Out* __restrict__ d, const Sum* __restrict__ parts,
                                      const Out* __restrict__ c, const Params p) {
  const long long at = kiln::global_index_x();
  const long long all = (long long)p.m * p.n;
  if (at >= all) return;
  Sum sum = 0;
  for (int split = 0; split < p.splits; ++split) sum += parts[split * all + at];
  tiles::store_one(epilogue(d, c, p), int(at / p.n), int(at % p.n), sum);
}

// |d - its value in double| over its bound: rounding of operands (`unit`), of sums, of what is stored.
// Samples are elements at random, and of the last row and column; all elements where there are few.
extern "C" __global__ void find_errors(double* __restrict__ errors, const Out* __restrict__ d,
                                       const T* __restrict__ a, const T* __restrict__ b,
                                       const Out* __restrict__ c, int samples, double unit,
                                       double sum_epsilon, double out_epsilon, const Params p) {
  const int s = int(kiln::global_index_x());
  if (s >= samples) return;
  const long long all = (long long)p.m * p.n;
  const unsigned long long bits = kiln::random_bits((unsigned long long)p.seed, (unsigned long long)s);
  const long long at = all == samples ? s : (long long)(bits % (unsigned long long)all);
  const int row = all != samples && s % 4 == 1 ? p.m - 1 : int(at / p.n);
  const int column = all != samples && s % 4 == 2 ? p.n - 1 : int(at % p.n);
  double sum = 0;
  double squares = 0;
  for (int k = 0; k < p.k; ++k) {
    const double left =
        double(float_or_double(a[k_of_a ? (long long)row * p.k + k : (long long)k * p.m + row]));
    const double right =
        double(float_or_double(b[k_of_b ? (long long)column * p.k + k : (long long)k * p.n + column]));
    sum += left * right;
    squares += left * right * left * right;
  }
  const double old = p.beta * double(float_or_double(c[(long long)row * p.n + column]));
  const double value = p.alpha * sum + old;
  const double difference = fabs(double(float_or_double(d[(long long)row * p.n + column])) - value);
  const double bound = fabs(p.alpha) * sqrt(squares) * (8 * unit + 4 * sum_epsilon * sqrt(double(p.k))) +
                       (out_epsilon + sum_epsilon) * (fabs(value) + fabs(old));
  errors[s] = difference == 0 ? 0 : difference / bound;
}
