#pragma once

#include "kiln/params.h"

#include "../tiles/epilogue.h"
#include "../tiles/matrix.h"

#include "im2col.h"

// y[n, p, q, f] = relu(sum over r, s, c of x[n, p stride + r dilation - padding, ..., c] w[f, r, s, c] +
// bias[f]).
using Sum = Accumulator;

__device__ inline Im2col source_a(const T* x, int group, const Params& p) {
  const int channels = p.c / p.groups;
  const long long plane = Params::layout == 0 ? 1 : (long long)p.h * p.w;
  return {x + group * channels * plane, p, p.batch * p.out_h * p.out_w, channels * p.filter_h * p.filter_w};
}
__device__ inline tiles::Matrix<T, true> source_b(const T* w, int group, const Params& p) {
  const int depth = p.c / p.groups * p.filter_h * p.filter_w;
  const int filters = p.filters / p.groups;
  return {w + (long long)group * filters * depth, depth, filters, depth};
}

// Pixels are the rows of y, filters its columns; in the layout nchw filters come first.
struct Store {
  using Out = T;
  T* y;
  const Sum* bias;
  int group;
  Params p;

  KILN_DEVICE bool inside(int row, int column) const {
    return row < p.batch * p.out_h * p.out_w && column < p.filters / p.groups;
  }
  KILN_DEVICE T* address(int row, int column) const {
    const int filter = group * (p.filters / p.groups) + column;
    const long long pixels = (long long)p.out_h * p.out_w;
    return y + (Params::layout == 0 ? (long long)row * p.filters + filter
                                    : (row / pixels * p.filters + filter) * pixels + row % pixels);
  }
  KILN_DEVICE bool wide(int count) const { return Params::layout == 0 && p.filters / p.groups % count == 0; }
  KILN_DEVICE T value(int, int column, Sum sum) const {
    const int filter = group * (p.filters / p.groups) + column;
    const Sum result = sum + (bias != nullptr ? bias[filter] : Sum(0));
    return T(Params::relu && result < 0 ? Sum(0) : result);
  }
};
