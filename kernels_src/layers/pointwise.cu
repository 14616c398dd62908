#include "kiln/params.h"

using Index = long long;

/// y = f(x [+ other]), element by element: 0 nothing, 1 relu, 2 sigmoid, 3 tanh.
extern "C" __global__ void pointwise(T* __restrict__ y, const T* __restrict__ x, const T* __restrict__ other,
                                     const Params p) {
  const Index i = kiln::global_index_x();
  if (i >= (Index)p.batch * p.h * p.w * p.c) return;
  float value = float(x[i]) + (p.add ? float(other[i]) : 0.0f);
  if (p.function == 1) value = value > 0 ? value : value != value ? value : 0.0f;
  if (p.function == 2) value = 1 / (1 + expf(-value));
  if (p.function == 3) value = tanhf(value);
  y[i] = T(value);
}
