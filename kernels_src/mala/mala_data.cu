#include "dense_order.h"
#include "mma_order.h"

extern "C" __global__ void pack_weights(unsigned* __restrict__ packed, const T* __restrict__ w1,
                                        const float* __restrict__ b1, const T* __restrict__ w2,
                                        const float* __restrict__ b2, int words, const Params p) {
  const int i = int(kiln::global_index_x());
  if (i >= words) return;
  const Weights w{w1, b1, w2, b2};
  if constexpr (Params::operation == op_fma) {
    packed[i] = MmaOrder::bits_of(FmaOrder::value(w, i));
  } else if constexpr (Params::operation == op_vectors) {
    packed[i] = MmaOrder::bits_of(VectorOrder::value(w, i));
  } else {
    packed[i] = MmaOrder::word(w, i);
  }
}

// Descriptors are standardised: numbers of mean 0 and deviation 1, here uniform.
extern "C" __global__ void fill_rows(T* __restrict__ x, const Params p) {
  const long long i = kiln::global_index_x();
  if (i >= p.rows * inputs) return;
  const double uniform = kiln::uniform01((unsigned long long)p.seed, (unsigned long long)i);
  x[i] = T(float((2 * uniform - 1) * 1.7320508075688772));
}

// |y - the network in double|, for rows at random and the last ones; all rows where there are few.
extern "C" __global__ void find_errors(double* __restrict__ errors, const T* __restrict__ y,
                                       const T* __restrict__ x, const T* __restrict__ w1,
                                       const float* __restrict__ b1, const T* __restrict__ w2,
                                       const float* __restrict__ b2, int samples, const Params p) {
  const int s = int(kiln::global_index_x());
  if (s >= samples) return;
  const unsigned long long bits = kiln::random_bits((unsigned long long)p.seed, (unsigned long long)s);
  long long row = s;
  if (p.rows != samples) {
    row = s % 4 == 0 ? p.rows - 1 - s / 4 : (long long)(bits % (unsigned long long)p.rows);
  }
  const Weights w{w1, b1, w2, b2};
  double units[hidden];
  for (int unit = 0; unit < hidden; ++unit) {
    double sum = double(b1[unit]);
    for (int i = 0; i < inputs; ++i) sum += double(w.first(unit, i)) * double(float(x[row * inputs + i]));
    units[unit] = sum < 0 ? 0 : sum;  // NaN stays
  }
  for (int output = 0; output < outputs; ++output) {
    double sum = double(b2[output]);
    for (int unit = 0; unit < hidden; ++unit) sum += double(w.second(output, unit)) * units[unit];
    const double value = sum < 0 ? 0 : sum;
    errors[s * outputs + output] = fabs(double(float(y[row * outputs + output])) - value);
  }
}
