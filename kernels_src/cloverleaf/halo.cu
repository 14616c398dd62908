// Halos by a kernel of their own.
#include "grid.h"

using namespace clover;

// The images of one field outside of the walls, up to `depth` places deep; a work-item for each of them.
extern "C" __global__ void KILN_LAUNCH_BOUNDS_update_halo update_halo(double* field, int more_x, int skip_x,
                                                                      double sign_x, int more_y, int skip_y,
                                                                      double sign_y, int depth,
                                                                      const double* clock, const Params p) {
  if (finished(p, clock)) return;
  const Mirror x{p.nx + more_x, skip_x, sign_x};
  const Mirror y{p.ny + more_y, skip_y, sign_y};
  const int width = x.extent + 2 * depth;
  int item = int(kiln::global_index_x());
  int i, k;
  if (item < 2 * depth * width) {  // rows below and above
    i = item % width - depth;
    k = item / width - depth;
    if (k >= 0) k += y.extent;
  } else {
    item -= 2 * depth * width;
    if (item >= 2 * depth * y.extent) return;
    i = item % (2 * depth) - depth;
    k = item / (2 * depth);
    if (i >= 0) i += x.extent;
  }
  const double sign = (i < 0 || i >= x.extent ? x.sign : 1.0) * (k < 0 || k >= y.extent ? y.sign : 1.0);
  field[place(p, i, k)] = sign * field[place(p, source_of(x, i), source_of(y, k))];
}
