#include "kiln/params.h"

// The same layers in double, one work-item for each number of y, on numbers in double.

using Index = long long;

template <class X>
__device__ inline double convolved(const X* x, const T* w, int image, int o, int q, int filter,
                                   const Params& p) {
  double sum = 0;
  for (int r = 0; r < p.filter_h; ++r) {
    const int i = o * p.stride + r * p.dilation - p.padding;
    if (i < 0 || i >= p.h) continue;
    for (int s = 0; s < p.filter_w; ++s) {
      const int j = q * p.stride + s * p.dilation - p.padding;
      if (j < 0 || j >= p.w) continue;
      const X* from = x + (((Index)image * p.h + i) * p.w + j) * p.c;
      const T* by = w + (((Index)filter * p.filter_h + r) * p.filter_w + s) * p.c;
      for (int c = 0; c < p.c; ++c) sum += double(from[c]) * double(float(by[c]));
    }
  }
  return sum;
}

extern "C" __global__ void arrange_in_double(double* __restrict__ y, const T* __restrict__ x,
                                             const Params p) {
  const Index i = kiln::global_index_x();
  if (i < (Index)p.batch * p.h * p.w * p.c) y[i] = double(float(x[i]));
}

/// As `arrange`.
extern "C" __global__ void arrange_images_in_double(double* __restrict__ y, const float* __restrict__ x,
                                                    const Params p) {
  const Index i = kiln::global_index_x();
  if (i >= (Index)p.batch * p.h * p.w) return;
  const int row = int(i / p.w % p.h) - p.border_h;
  const int column = int(i % p.w) - p.border_w;
  const Index image = i / p.w / p.h;
  for (int c = 0; c < p.c; ++c) {
    const bool inside = row >= 0 && row < p.image_h && column >= 0 && column < p.image_w && c < p.image_c;
    y[i * p.c + c] =
        inside ? double(float(T(x[((image * p.image_c + c) * p.image_h + row) * p.image_w + column]))) : 0.0;
  }
}

extern "C" __global__ void convolve_in_double(double* __restrict__ y, const double* __restrict__ x,
                                              const T* __restrict__ w, const float* __restrict__ bias,
                                              const double* __restrict__ residual, const Params p) {
  const Index i = kiln::global_index_x();
  const Index pixels = (Index)p.out_h * p.out_w;
  if (i >= p.batch * pixels * p.filters) return;
  const int filter = int(i % p.filters);
  const Index pixel = i / p.filters;
  const int at = int(pixel % pixels);
  double value =
      double(bias[filter]) + convolved(x, w, int(pixel / pixels), at / p.out_w, at % p.out_w, filter, p);
  if (p.add) value += residual[i];
  y[i] = p.relu && value < 0 ? 0 : value;
}

extern "C" __global__ void pool_in_double(double* __restrict__ y, const double* __restrict__ x,
                                          const int average, const Params p) {
  const Index i = kiln::global_index_x();
  if (i >= (Index)p.batch * p.out_h * p.out_w * p.c) return;
  const int channel = int(i % p.c);
  const int q = int(i / p.c % p.out_w);
  const int o = int(i / p.c / p.out_w % p.out_h);
  const Index image = i / p.c / p.out_w / p.out_h;
  double best = average != 0 ? 0 : double(__uint_as_float(0xff800000u));
  int taken = 0;
  for (int r = 0; r < p.filter_h; ++r) {
    for (int s = 0; s < p.filter_w; ++s) {
      const int row = o * p.stride + r - p.padding;
      const int column = q * p.stride + s - p.padding;
      if (row < 0 || row >= p.h || column < 0 || column >= p.w) continue;
      ++taken;
      const double value = x[((image * p.h + row) * p.w + column) * p.c + channel];
      best = average != 0 ? best + value : value > best || value != value ? value : best;
    }
  }
  if (p.count_padding) taken = p.filter_h * p.filter_w;
  y[i] = average != 0 ? best / taken : best;
}

extern "C" __global__ void pointwise_in_double(double* __restrict__ y, const double* __restrict__ x,
                                               const double* __restrict__ other, const Params p) {
  const Index i = kiln::global_index_x();
  if (i >= (Index)p.batch * p.h * p.w * p.c) return;
  double value = x[i] + (p.add ? other[i] : 0.0);
  if (p.function == 1) value = value > 0 ? value : 0;
  if (p.function == 2) value = 1 / (1 + exp(-value));
  if (p.function == 3) value = tanh(value);
  y[i] = value;
}

/// For each image |y - reference| / |reference|, as vectors of p.filters numbers.
extern "C" __global__ void find_errors(double* __restrict__ errors, const T* __restrict__ y,
                                       const double* __restrict__ reference, const int numbers,
                                       const Params p) {
  const Index image = kiln::global_index_x();
  if (image >= p.batch) return;
  double difference = 0;
  double length = 0;
  for (int i = 0; i < numbers; ++i) {
    const double expected = reference[image * numbers + i];
    const double d = double(float(y[image * numbers + i])) - expected;
    difference += d * d;
    length += expected * expected;
  }
  errors[image] = difference == 0 ? 0 : sqrt(difference / length);
}
