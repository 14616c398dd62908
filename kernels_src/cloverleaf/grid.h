// Where values of the staggered grid stand, and the clock that the kernels share.
//
// Cells have the indices i = 0 .. nx - 1, k = 0 .. ny - 1; nodes, and faces across their axis, one more. Each
// field is an array of ny + 5 rows of `pitch` numbers, in which 2 rows below and `margin` columns left of
// cell (0, 0) hold images of the interior.
#pragma once

#include "kiln/params.h"

namespace clover {

constexpr double kSmall = 1e-16;  // CloverLeaf's g_small

/// Elements of the buffer `clock`.
enum Clock { kTime, kStep, kSteps, kLast, kFinished };

KILN_DEVICE int place(const Params& p, int i, int k) {
  return (k + 2) * p.pitch + i + p.margin;
}

/// Whether the end was reached before this step, which then must change nothing. Without `guard` the program
/// stops there.
KILN_DEVICE bool finished(const Params& p, const double* clock) {
  return p.guard && clock[kFinished] != 0;
}

/// Along one axis: `extent` values stand inside of the walls, and those outside are their images: the first
/// one outside is that of the value `skip` places from the wall's. Velocities and fluxes across the wall
/// change their sign.
struct Mirror {
  int extent, skip;
  double sign;
};

KILN_DEVICE Mirror cells(int n) {
  return {n, 0, 1.0};
}
KILN_DEVICE Mirror nodes(int n, double sign) {
  return {n + 1, 1, sign};
}
/// Of fluxes along the wall. The wall's own cells have no image: a peculiarity of CloverLeaf's that its
/// results depend on.
KILN_DEVICE Mirror along_wall(int n) {
  return {n, 1, 1.0};
}

/// The place inside that `at`, up to two places outside, is the image of.
KILN_DEVICE int source_of(Mirror mirror, int at) {
  int source = at;
  if (at < 0) source = mirror.skip - 1 - at;
  if (at >= mirror.extent) source = 2 * mirror.extent - 1 - mirror.skip - at;
  if (source < 0) source = 0;  // of grids of two or three cells
  return source < mirror.extent ? source : mirror.extent - 1;
}

}  // namespace clover
