#pragma once

#include "../conv2d/conv2d.h"

// y = act(convolution of x + bias + residual), all nhwc; act is relu, or nothing. A fully connected layer is
// a convolution of one pixel.
template <bool Add>
struct FinishWith {
  using Out = T;
  T* y;
  const T* residual;  // null: none
  const float* bias;
  int rows, columns;  // pixels, filters

  KILN_DEVICE bool inside(int row, int column) const { return row < rows && column < columns; }
  KILN_DEVICE T* address(int row, int column) const { return y + (long long)row * columns + column; }
  KILN_DEVICE bool wide(int count) const { return columns % count == 0; }
  KILN_DEVICE T value(int row, int column, float sum) const {
    float value = sum + bias[column];
    if (Add) value += float(residual[(long long)row * columns + column]);
    if (Params::relu && value < 0) value = 0;
    return T(value);
  }
};

using Finish = FinishWith<Params::add>;

__device__ inline Finish finish(T* y, const T* residual, const float* bias, const Params& p) {
  return {y, residual, bias, p.batch * p.out_h * p.out_w, p.filters};
}
