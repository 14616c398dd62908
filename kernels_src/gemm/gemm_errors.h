#pragma once

#include "gemm.h"

/// |d - its value in double| over its bound: rounding of operands (`unit`), of sums, of what is stored.
/// Samples are elements at random, and of the last row and column; all elements where there are few. A
/// product of (row, column, k) counts factor(row, column, k) times.
template <class Factor>
__device__ double error_of_sample(int s, const Out* d, const T* a, const T* b, const Out* c, int samples,
                                  double unit, double sum_epsilon, double out_epsilon, double smallest,
                                  const Params& p, const Factor& factor) {
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
    const double product = left * right * factor(row, column, k);
    sum += product;
    squares += product * product;
  }
  const double old = p.beta * double(float_or_double(c[(long long)row * p.n + column]));
  const double value = p.alpha * sum + old;
  const double difference = fabs(double(float_or_double(d[(long long)row * p.n + column])) - value);
  const double bound = fabs(p.alpha) * sqrt(squares) * (8 * unit + 4 * sum_epsilon * sqrt(double(p.k))) +
                       (out_epsilon + sum_epsilon) * (fabs(value) + fabs(old)) + smallest;
  return difference == 0 ? 0 : difference / bound;
}
