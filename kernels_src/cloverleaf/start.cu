// The fields at time 0 from the deck's states, the clock, and the summary of the fields.
#include "remap.h"

using namespace clover;

namespace {

/// The columns of the buffer `states`.
enum State {
  kDensity,
  kEnergy,
  kXVelocity,
  kYVelocity,
  kGeometry,
  kXMin,
  kYMin,
  kXMax,
  kYMax,
  kRadius,
  kStateColumns
};
enum Geometry { kRectangle = 1, kCircle = 2, kPoint = 3 };

/// Whether a cell, which may be outside of the walls, is in a state. Ends of a state are pulled in by a
/// hundredth of a cell, so that one on a face does not depend on rounding; CloverLeaf moves a circle's centre
/// with them.
KILN_DEVICE bool is_in(const Params& p, const double* state, int i, int k) {
  const double left = p.xmin + p.dx * i;
  const double bottom = p.ymin + p.dy * k;
  const double x = state[kXMin] + p.dx / 100.0;
  const double y = state[kYMin] + p.dy / 100.0;
  if (state[kGeometry] == kCircle) {
    const double from_x = left + 0.5 * p.dx - x;
    const double from_y = bottom + 0.5 * p.dy - y;
    return sqrt(from_x * from_x + from_y * from_y) <= state[kRadius];
  }
  if (state[kGeometry] == kPoint) {  // the cell whose lower left node is there
    return fabs(left - state[kXMin]) <= p.dx / 100.0 && fabs(bottom - state[kYMin]) <= p.dy / 100.0;
  }
  return left + p.dx >= x && left < state[kXMax] - p.dx / 100.0 && bottom + p.dy >= y &&
         bottom < state[kYMax] - p.dy / 100.0;
}

/// The last state that a cell is in; the first one is everywhere.
KILN_DEVICE int state_of(const Params& p, const double* states, int i, int k) {
  int last = 0;
  for (int state = 1; state < p.states; ++state) {
    if (is_in(p, states + state * kStateColumns, i, k)) last = state;
  }
  return last;
}

}  // namespace

// The states of CloverLeaf's benchmark decks: dense gas of high energy in the lower left corner.
extern "C" __global__ void make_states(double* __restrict__ states, const Params p) {
  if (kiln::global_index_x() != 0) return;
  for (int item = 0; item < p.states * kStateColumns; ++item) states[item] = 0;
  states[kDensity] = 0.2;
  states[kEnergy] = 1.0;
  if (p.states < 2) return;
  double* dense = states + kStateColumns;
  dense[kDensity] = 1.0;
  dense[kEnergy] = 2.5;
  dense[kGeometry] = kRectangle;
  dense[kXMax] = 5.0;
  dense[kYMax] = 2.0;
}

// Cells get their state; a node that of the last state among the four cells around it. The images outside of
// the walls are made of the values inside.
extern "C" __global__ void KILN_LAUNCH_BOUNDS_generate
generate(double* __restrict__ density0, double* __restrict__ energy0, double* __restrict__ xvel0,
         double* __restrict__ yvel0, const double* __restrict__ states, const Params p) {
  const int i = int(kiln::global_index_x()) - 2;
  const int k = int(kiln::global_index_y()) - 2;
  if (i > p.nx + 2 || k > p.ny + 2) return;
  const int c = place(p, i, k);
  const double* cell =
      states + kStateColumns * state_of(p, states, source_of(cells(p.nx), i), source_of(cells(p.ny), k));
  density0[c] = cell[kDensity];
  energy0[c] = cell[kEnergy];
  const int node_i = source_of(nodes(p.nx, -1.0), i);
  const int node_k = source_of(nodes(p.ny, -1.0), k);
  int last = 0;
  for (int across = -1; across <= 0; ++across) {
    for (int along = -1; along <= 0; ++along) {
      const int around = state_of(p, states, node_i + along, node_k + across);
      if (around > last) last = around;
    }
  }
  const double* node = states + kStateColumns * last;
  xvel0[c] = i < 0 || i > p.nx ? -node[kXVelocity] : node[kXVelocity];
  yvel0[c] = k < 0 || k > p.ny ? -node[kYVelocity] : node[kYVelocity];
}

extern "C" __global__ void start_clock(double* __restrict__ clock, const Params p) {
  if (kiln::global_index_x() != 0) return;
  clock[kTime] = 0;
  clock[kStep] = p.initial_timestep;
  clock[kSteps] = 0;
  clock[kLast] = 0;
  clock[kFinished] = 0;
}

// Sums over a block's rows of cells: mass, internal energy, kinetic energy, pressure times volume.
extern "C" __global__ void KILN_LAUNCH_BOUNDS_sum_fields
sum_fields(double* __restrict__ sums, const double* __restrict__ density0, const double* __restrict__ energy0,
           const double* __restrict__ xvel0, const double* __restrict__ yvel0, const Params p) {
  constexpr int width = Params::reduce_block;
  const int item = int(threadIdx.x);
  const double volume = p.dx * p.dy;
  double mass = 0, internal = 0, kinetic = 0, pressure = 0;
  for (int k = int(blockIdx.x); k < p.ny; k += int(gridDim.x)) {
    double row_mass = 0, row_internal = 0, row_kinetic = 0, row_pressure = 0;
    for (int i = item; i < p.nx; i += width) {
      const int c = place(p, i, k);
      const double* u = xvel0 + c;
      const double* v = yvel0 + c;
      const double square = 0.25 * (u[0] * u[0] + v[0] * v[0] + u[1] * u[1] + v[1] * v[1] +
                                    u[p.pitch] * u[p.pitch] + v[p.pitch] * v[p.pitch] +
                                    u[p.pitch + 1] * u[p.pitch + 1] + v[p.pitch + 1] * v[p.pitch + 1]);
      const double cell_mass = volume * density0[c];
      row_mass += cell_mass;
      row_internal += cell_mass * energy0[c];
      row_kinetic += cell_mass * 0.5 * square;
      row_pressure += volume * ((1.4 - 1.0) * density0[c] * energy0[c]);
    }
    mass += row_mass;
    internal += row_internal;
    kinetic += row_kinetic;
    pressure += row_pressure;
  }
  mass = kiln::block_reduce_sum<width>(mass, item);
  internal = kiln::block_reduce_sum<width>(internal, item);
  kinetic = kiln::block_reduce_sum<width>(kinetic, item);
  pressure = kiln::block_reduce_sum<width>(pressure, item);
  if (item == 0) {
    double* own = sums + 4 * blockIdx.x;
    own[0] = mass;
    own[1] = internal;
    own[2] = kinetic;
    own[3] = pressure;
  }
}

// A row of the buffer `summary`: step, time, volume, mass, pressure, internal and kinetic energy, and by how
// much the mass differs from that of row 0, relative to it.
extern "C" __global__ void KILN_LAUNCH_BOUNDS_write_summary write_summary(double* __restrict__ summary,
                                                                          const double* __restrict__ sums,
                                                                          int row,
                                                                          const double* __restrict__ clock,
                                                                          const Params p) {
  constexpr int width = Params::reduce_block;
  if (row != p.summary_rows - 1 && finished(p, clock)) return;
  const int item = int(threadIdx.x);
  double totals[4] = {};
  for (int block = item; block < p.reduce_blocks; block += width) {
    for (int sum = 0; sum < 4; ++sum) totals[sum] += sums[4 * block + sum];
  }
  for (int sum = 0; sum < 4; ++sum) totals[sum] = kiln::block_reduce_sum<width>(totals[sum], item);
  if (item != 0) return;
  const double volume = p.dx * p.nx * (p.dy * p.ny);
  double* own = summary + 8 * row;
  own[0] = clock[kSteps];
  own[1] = clock[kTime];
  own[2] = volume;
  own[3] = totals[0];
  own[4] = totals[3] / volume;
  own[5] = totals[1];
  own[6] = totals[2];
  own[7] = row == 0 ? 0.0 : totals[0] / summary[3] - 1.0;
}

// The fields without what surrounds them: density alone, and all four, each in (ny + 1) rows of nx + 1
// numbers.
extern "C" __global__ void gather(double* __restrict__ density, double* __restrict__ fields,
                                  const double* __restrict__ density0, const double* __restrict__ energy0,
                                  const double* __restrict__ xvel0, const double* __restrict__ yvel0,
                                  const Params p) {
  const int i = int(kiln::global_index_x());
  const int k = int(kiln::global_index_y());
  if (i > p.nx || k > p.ny) return;
  const int c = place(p, i, k);
  const bool cell = i < p.nx && k < p.ny;
  const long long all = (long long)(p.nx + 1) * (p.ny + 1);
  const long long to = (long long)k * (p.nx + 1) + i;
  if (cell) density[(long long)k * p.nx + i] = density0[c];
  fields[to] = cell ? density0[c] : 0.0;
  fields[to + all] = cell ? energy0[c] : 0.0;
  fields[to + 2 * all] = xvel0[c];
  fields[to + 3 * all] = yvel0[c];
}
