// What the kernels of both implementations compute alike: the limiter of the remap, the time step and the
// clock.
#pragma once

#include "grid.h"

namespace clover {

/// As comparisons, which become vector code where fmin and fmax, with their rules for NaN, are calls.
KILN_DEVICE double smaller(double a, double b) {
  return a < b ? a : b;
}
KILN_DEVICE double larger(double a, double b) {
  return a > b ? a : b;
}

/// Van Leer's limited difference, third order where the field is smooth: 0 at an extremum. `up` is donor -
/// upwind, `down` is downwind - donor, `sigma` the share of the donor that leaves it.
KILN_DEVICE double limited(double up, double down, double sigma) {
  const double size = smaller(smaller(fabs(up), fabs(down)),
                              ((1.0 + sigma) * fabs(up) + (2.0 - sigma) * fabs(down)) * (1.0 / 6.0));
  return up * down > 0.0 ? (down > 0.0 ? size : -size) : 0.0;
}

/// The least of a block's values, valid in its first work-item; `Size` is a power of two. Once in a kernel.
template <int Size>
KILN_DEVICE double block_least(double value, int rank) {
  __shared__ double shared[Size];
  shared[rank] = value;
  for (int half = Size / 2; half > 0; half /= 2) {
    __syncthreads();
    if (rank < half) shared[rank] = value = smaller(value, shared[rank + half]);
  }
  return value;
}

/// Begins a step with the largest time step that the cells allow, or finds that the last one has been made.
KILN_DEVICE void advance_clock(const Params& p, double* clock, double least) {
  if (clock[kLast] != 0) {
    clock[kFinished] = 1;
    return;
  }
  const double step = smaller(smaller(least, clock[kStep] * p.timestep_rise), p.max_timestep);
  const double time = clock[kTime] + step;
  const double steps = clock[kSteps] + 1;
  clock[kStep] = step;
  clock[kTime] = time;
  clock[kSteps] = steps;
  if (time + kSmall > p.end_time || steps >= p.end_step) clock[kLast] = 1;
}

}  // namespace clover
