// CloverLeaf as published: a kernel for each of its loops, constant volumes and areas in memory, halos of
// their own.
#include "grid.h"
#include "remap.h"

using namespace clover;

#define CELL_INDICES(first, end_i, end_k)              \
  const int i = int(kiln::global_index_x()) + (first); \
  const int k = int(kiln::global_index_y()) + (first); \
  if (i >= (end_i) || k >= (end_k)) return;            \
  const int pitch = p.pitch;                           \
  const int c = place(p, i, k)

// Constant volumes and areas of the uniform grid, also of the cells outside.
extern "C" __global__ void KILN_LAUNCH_BOUNDS_initialise_grid initialise_grid(double* __restrict__ volume,
                                                                              double* __restrict__ xarea,
                                                                              double* __restrict__ yarea,
                                                                              const Params p) {
  CELL_INDICES(-2, p.nx + 3, p.ny + 3);
  (void)pitch;
  volume[c] = p.dx * p.dy;
  xarea[c] = p.dy;
  yarea[c] = p.dx;
}

// p = (gamma - 1) rho e, c^2 = gamma p / rho in CloverLeaf's form, gamma = 1.4.
extern "C" __global__ void KILN_LAUNCH_BOUNDS_ideal_gas
ideal_gas(double* __restrict__ pressure, double* __restrict__ soundspeed, const double* __restrict__ density,
          const double* __restrict__ energy, const double* __restrict__ clock, const Params p) {
  if (finished(p, clock)) return;
  CELL_INDICES(0, p.nx, p.ny);
  (void)pitch;
  const double v = 1.0 / density[c];
  const double by_energy = (1.4 - 1.0) * density[c];
  const double value = by_energy * energy[c];
  const double by_volume = -density[c] * value;
  pressure[c] = value;
  soundspeed[c] = sqrt(v * v * (value * by_energy - by_volume));
}

// Wilkins's artificial viscosity, of cells that are compressed.
extern "C" __global__ void KILN_LAUNCH_BOUNDS_viscosity
viscosity(double* __restrict__ q, const double* __restrict__ density0, const double* __restrict__ pressure,
          const double* __restrict__ xvel0, const double* __restrict__ yvel0,
          const double* __restrict__ clock, const Params p) {
  if (finished(p, clock)) return;
  CELL_INDICES(0, p.nx, p.ny);
  const double* u = xvel0 + c;
  const double* v = yvel0 + c;
  const double u_gradient = (u[1] + u[pitch + 1]) - (u[0] + u[pitch]);
  const double v_gradient = (v[pitch] + v[pitch + 1]) - (v[0] + v[1]);
  const double divergence = p.dx * u_gradient + p.dy * v_gradient;
  const double strain = 0.5 * (u[pitch] + u[pitch + 1] - u[0] - u[1]) / p.dy +
                        0.5 * (v[1] + v[pitch + 1] - v[0] - v[pitch]) / p.dx;
  double gx = (pressure[c + 1] - pressure[c - 1]) / (p.dx + p.dx);
  double gy = (pressure[c + pitch] - pressure[c - pitch]) / (p.dy + p.dy);
  const double limiter =
      ((0.5 * u_gradient / p.dx) * (gx * gx) + (0.5 * v_gradient / p.dy) * (gy * gy) + strain * gx * gy) /
      fmax(gx * gx + gy * gy, kSmall);
  double value = 0;
  if (!(limiter > 0.0 || divergence >= 0.0)) {
    gx = fmax(1e-16, fabs(gx));
    gy = fmax(1e-16, fabs(gy));
    const double gradient = sqrt(gx * gx + gy * gy);
    const double length = fmin(p.dx * gradient / gx, p.dy * gradient / gy);
    value = 2.0 * density0[c] * (length * length) * limiter * limiter;
  }
  q[c] = value;
}

// The largest stable time step of each block's cells: sound with viscosity, fluxes through faces,
// compression.
extern "C" __global__ void KILN_LAUNCH_BOUNDS_calc_dt
calc_dt(double* __restrict__ partials, const double* __restrict__ density0, const double* __restrict__ q,
        const double* __restrict__ soundspeed, const double* __restrict__ xvel0,
        const double* __restrict__ yvel0, const double* __restrict__ volume, const double* __restrict__ xarea,
        const double* __restrict__ yarea, const Params p) {
  constexpr int width = Params::reduce_block;
  const int item = int(threadIdx.x);
  const int pitch = p.pitch;
  const double shorter = fmin(p.dx, p.dy);
  double least = 1e21;
  for (int k = int(blockIdx.x); k < p.ny; k += int(gridDim.x)) {
    for (int i = item; i < p.nx; i += width) {
      const int c = place(p, i, k);
      const double cc = sqrt(soundspeed[c] * soundspeed[c] + 2.0 * q[c] / density0[c]);
      const double by_sound = 0.7 * shorter / fmax(cc, kSmall);
      const double left = (xvel0[c] + xvel0[c + pitch]) * xarea[c];
      const double right = (xvel0[c + 1] + xvel0[c + pitch + 1]) * xarea[c + 1];
      const double by_x = volume[c] / fmax(fmax(fabs(left), fabs(right)), kSmall * volume[c]);
      const double bottom = (yvel0[c] + yvel0[c + 1]) * yarea[c];
      const double top = (yvel0[c + pitch] + yvel0[c + pitch + 1]) * yarea[c + pitch];
      const double by_y = volume[c] / fmax(fmax(fabs(bottom), fabs(top)), kSmall * volume[c]);
      const double divergence = (right - left + top - bottom) / (2.0 * volume[c]);
      const double by_compression = divergence < -kSmall ? 0.7 * (-1.0 / divergence) : 1e21;
      least = fmin(least, fmin(fmin(by_sound, by_x), fmin(by_y, by_compression)));
    }
  }
  least = block_least<width>(least, item);
  if (item == 0) partials[blockIdx.x] = least;
}

// The time step, from the blocks' shares; one block. It also counts steps and finds the end.
extern "C" __global__ void KILN_LAUNCH_BOUNDS_choose_dt choose_dt(double* __restrict__ clock,
                                                                  const double* __restrict__ partials,
                                                                  const Params p) {
  constexpr int width = Params::reduce_block;
  const int item = int(threadIdx.x);
  double least = 1e21;
  for (int block = item; block < p.reduce_blocks; block += width) least = fmin(least, partials[block]);
  least = block_least<width>(least, item);
  if (item == 0) advance_clock(p, clock, least);
}

// Work of pressure and viscosity: the new volume from the fluxes through the faces, by the velocities before
// the step over half of it (predict), or by their mean with those after it.
extern "C" __global__ void KILN_LAUNCH_BOUNDS_pdv
pdv(double* __restrict__ density1, double* __restrict__ energy1, const double* __restrict__ density0,
    const double* __restrict__ energy0, const double* __restrict__ pressure, const double* __restrict__ q,
    const double* xvel0, const double* yvel0, const double* xvel1, const double* yvel1,
    const double* __restrict__ volume, const double* __restrict__ xarea, const double* __restrict__ yarea,
    double fraction, const double* __restrict__ clock, const Params p) {
  if (finished(p, clock)) return;
  CELL_INDICES(0, p.nx, p.ny);
  const double dt = clock[kStep];
  const double left =
      xarea[c] * (xvel0[c] + xvel0[c + pitch] + xvel1[c] + xvel1[c + pitch]) * 0.25 * dt * fraction;
  const double right = xarea[c + 1] *
                       (xvel0[c + 1] + xvel0[c + pitch + 1] + xvel1[c + 1] + xvel1[c + pitch + 1]) * 0.25 *
                       dt * fraction;
  const double bottom = yarea[c] * (yvel0[c] + yvel0[c + 1] + yvel1[c] + yvel1[c + 1]) * 0.25 * dt * fraction;
  const double top = yarea[c + pitch] *
                     (yvel0[c + pitch] + yvel0[c + pitch + 1] + yvel1[c + pitch] + yvel1[c + pitch + 1]) *
                     0.25 * dt * fraction;
  const double growth = right - left + top - bottom;
  const double work = (pressure[c] / density0[c] + q[c] / density0[c]) * growth * (1.0 / volume[c]);
  energy1[c] = energy0[c] - work;
  density1[c] = density0[c] * (volume[c] / (volume[c] + growth));
}

extern "C" __global__ void KILN_LAUNCH_BOUNDS_revert
revert(double* __restrict__ density1, double* __restrict__ energy1, const double* __restrict__ density0,
       const double* __restrict__ energy0, const double* __restrict__ clock, const Params p) {
  if (finished(p, clock)) return;
  CELL_INDICES(0, p.nx, p.ny);
  (void)pitch;
  density1[c] = density0[c];
  energy1[c] = energy0[c];
}

// Pressure and viscosity gradients accelerate the nodes.
extern "C" __global__ void KILN_LAUNCH_BOUNDS_accelerate
accelerate(double* __restrict__ xvel1, double* __restrict__ yvel1, const double* __restrict__ xvel0,
           const double* __restrict__ yvel0, const double* __restrict__ density0,
           const double* __restrict__ pressure, const double* __restrict__ q,
           const double* __restrict__ volume, const double* __restrict__ xarea,
           const double* __restrict__ yarea, const double* __restrict__ clock, const Params p) {
  if (finished(p, clock)) return;
  CELL_INDICES(0, p.nx + 1, p.ny + 1);
  const double mass =
      0.25 * (density0[c - pitch - 1] * volume[c - pitch - 1] + density0[c - 1] * volume[c - 1] +
              density0[c] * volume[c] + density0[c - pitch] * volume[c - pitch]);
  const double by_mass = 0.5 * clock[kStep] / mass;
  double u = xvel0[c] - by_mass * (xarea[c] * (pressure[c] - pressure[c - 1]) +
                                   xarea[c - pitch] * (pressure[c - pitch] - pressure[c - pitch - 1]));
  double v = yvel0[c] - by_mass * (yarea[c] * (pressure[c] - pressure[c - pitch]) +
                                   yarea[c - 1] * (pressure[c - 1] - pressure[c - pitch - 1]));
  u -= by_mass * (xarea[c] * (q[c] - q[c - 1]) + xarea[c - pitch] * (q[c - pitch] - q[c - pitch - 1]));
  v -= by_mass * (yarea[c] * (q[c] - q[c - pitch]) + yarea[c - 1] * (q[c - 1] - q[c - pitch - 1]));
  xvel1[c] = u;
  yvel1[c] = v;
}

extern "C" __global__ void KILN_LAUNCH_BOUNDS_flux_calc
flux_calc(double* __restrict__ vol_flux_x, double* __restrict__ vol_flux_y, const double* __restrict__ xvel0,
          const double* __restrict__ yvel0, const double* __restrict__ xvel1,
          const double* __restrict__ yvel1, const double* __restrict__ xarea,
          const double* __restrict__ yarea, const double* __restrict__ clock, const Params p) {
  if (finished(p, clock)) return;
  CELL_INDICES(0, p.nx + 1, p.ny + 1);
  const double dt = clock[kStep];
  vol_flux_x[c] = 0.25 * dt * xarea[c] * (xvel0[c] + xvel0[c + pitch] + xvel1[c] + xvel1[c + pitch]);
  vol_flux_y[c] = 0.25 * dt * yarea[c] * (yvel0[c] + yvel0[c + 1] + yvel1[c] + yvel1[c + 1]);
}

// advec_cell, the loops of one sweep along `axis` (0: x, 1: y); the first sweep of a step undoes the other
// axis's fluxes, too.
extern "C" __global__ void KILN_LAUNCH_BOUNDS_advec_cell_volumes advec_cell_volumes(
    double* __restrict__ pre_vol, double* __restrict__ post_vol, const double* __restrict__ volume,
    const double* __restrict__ vol_flux_x, const double* __restrict__ vol_flux_y, int axis, int first,
    const double* __restrict__ clock, const Params p) {
  if (finished(p, clock)) return;
  CELL_INDICES(-2, p.nx + 2, p.ny + 2);
  const double along_x = vol_flux_x[c + 1] - vol_flux_x[c];
  const double along_y = vol_flux_y[c + pitch] - vol_flux_y[c];
  const double along = axis == 0 ? along_x : along_y;
  const double across = axis == 0 ? along_y : along_x;
  const double after = first ? volume[c] + across : volume[c];
  pre_vol[c] = after + along;
  post_vol[c] = after;
}

extern "C" __global__ void KILN_LAUNCH_BOUNDS_advec_cell_fluxes advec_cell_fluxes(
    double* __restrict__ mass_flux, double* __restrict__ ener_flux, const double* __restrict__ vol_flux,
    const double* __restrict__ density1, const double* __restrict__ energy1,
    const double* __restrict__ pre_vol, int axis, const double* __restrict__ clock, const Params p) {
  if (finished(p, clock)) return;
  CELL_INDICES(0, axis == 0 ? p.nx + 2 : p.nx, axis == 0 ? p.ny : p.ny + 2);
  const int next = axis == 0 ? 1 : pitch;
  const bool outmost = axis == 0 ? i == p.nx + 1 : k == p.ny + 1;
  const double flux = vol_flux[c];
  const int donor = flux > 0.0 ? c - next : c;
  const int upwind = flux > 0.0 ? c - 2 * next : outmost ? c : c + next;
  const int downwind = flux > 0.0 ? c : c - next;
  const double sigma = fabs(flux) / pre_vol[donor];
  const double mass =
      flux * (density1[donor] + (1.0 - sigma) * limited(density1[donor] - density1[upwind],
                                                        density1[downwind] - density1[donor], sigma));
  const double sigma_mass = fabs(mass) / (density1[donor] * pre_vol[donor]);
  mass_flux[c] = mass;
  ener_flux[c] =
      mass * (energy1[donor] + (1.0 - sigma_mass) * limited(energy1[donor] - energy1[upwind],
                                                            energy1[downwind] - energy1[donor], sigma));
}

extern "C" __global__ void KILN_LAUNCH_BOUNDS_advec_cell_update advec_cell_update(
    double* __restrict__ density1, double* __restrict__ energy1, const double* __restrict__ mass_flux,
    const double* __restrict__ ener_flux, const double* __restrict__ vol_flux,
    const double* __restrict__ pre_vol, int axis, const double* __restrict__ clock, const Params p) {
  if (finished(p, clock)) return;
  CELL_INDICES(0, p.nx, p.ny);
  const int next = axis == 0 ? 1 : pitch;
  const double pre_mass = density1[c] * pre_vol[c];
  const double post_mass = pre_mass + mass_flux[c] - mass_flux[c + next];
  const double post_energy = (energy1[c] * pre_mass + ener_flux[c] - ener_flux[c + next]) / post_mass;
  density1[c] = post_mass / (pre_vol[c] + vol_flux[c] - vol_flux[c + next]);
  energy1[c] = post_energy;
}

// advec_mom, the loops of one sweep; the first three kernels' results serve both velocities.
extern "C" __global__ void KILN_LAUNCH_BOUNDS_advec_mom_volumes advec_mom_volumes(
    double* __restrict__ post_vol, double* __restrict__ pre_vol, const double* __restrict__ volume,
    const double* __restrict__ vol_flux_x, const double* __restrict__ vol_flux_y, int axis, int first,
    const double* __restrict__ clock, const Params p) {
  if (finished(p, clock)) return;
  CELL_INDICES(-2, p.nx + 2, p.ny + 2);
  const double along_x = vol_flux_x[c + 1] - vol_flux_x[c];
  const double along_y = vol_flux_y[c + pitch] - vol_flux_y[c];
  const double along = axis == 0 ? along_x : along_y;
  const double across = axis == 0 ? along_y : along_x;
  const double after = first ? volume[c] + across : volume[c];
  post_vol[c] = after;
  pre_vol[c] = after + (first ? along : across);  // nothing reads it, as in CloverLeaf
}

extern "C" __global__ void KILN_LAUNCH_BOUNDS_advec_mom_node_flux
advec_mom_node_flux(double* __restrict__ node_flux, const double* __restrict__ mass_flux, int axis,
                    const double* __restrict__ clock, const Params p) {
  if (finished(p, clock)) return;
  const int before_x = axis == 0 ? 2 : 0;
  const int before_y = 2 - before_x;
  const int i = int(kiln::global_index_x()) - before_x;
  const int k = int(kiln::global_index_y()) - before_y;
  if (i > p.nx + (axis == 0 ? 1 : 0) || k > p.ny + (axis == 0 ? 0 : 1)) return;
  const int c = place(p, i, k);
  const int next = axis == 0 ? 1 : p.pitch;
  const int other = axis == 0 ? p.pitch : 1;
  node_flux[c] =
      0.25 * (mass_flux[c - other] + mass_flux[c] + mass_flux[c - other + next] + mass_flux[c + next]);
}

extern "C" __global__ void KILN_LAUNCH_BOUNDS_advec_mom_node_mass advec_mom_node_mass(
    double* __restrict__ node_mass_post, double* __restrict__ node_mass_pre,
    const double* __restrict__ node_flux, const double* __restrict__ density1,
    const double* __restrict__ post_vol, int axis, const double* __restrict__ clock, const Params p) {
  if (finished(p, clock)) return;
  const int before_x = axis == 0 ? 1 : 0;
  const int before_y = 1 - before_x;
  const int i = int(kiln::global_index_x()) - before_x;
  const int k = int(kiln::global_index_y()) - before_y;
  if (i > p.nx + before_x || k > p.ny + before_y) return;
  const int pitch = p.pitch;
  const int c = place(p, i, k);
  const int next = axis == 0 ? 1 : pitch;
  const double post =
      0.25 * (density1[c - pitch] * post_vol[c - pitch] + density1[c] * post_vol[c] +
              density1[c - pitch - 1] * post_vol[c - pitch - 1] + density1[c - 1] * post_vol[c - 1]);
  node_mass_post[c] = post;
  node_mass_pre[c] = post - node_flux[c - next] + node_flux[c];
}

extern "C" __global__ void KILN_LAUNCH_BOUNDS_advec_mom_flux advec_mom_flux(
    double* __restrict__ mom_flux, const double* __restrict__ velocity, const double* __restrict__ node_flux,
    const double* __restrict__ node_mass_pre, int axis, const double* __restrict__ clock, const Params p) {
  if (finished(p, clock)) return;
  const int before_x = axis == 0 ? 1 : 0;
  const int before_y = 1 - before_x;
  const int i = int(kiln::global_index_x()) - before_x;
  const int k = int(kiln::global_index_y()) - before_y;
  if (i > p.nx || k > p.ny) return;
  const int c = place(p, i, k);
  const int next = axis == 0 ? 1 : p.pitch;
  const double flux = node_flux[c];
  const int donor = flux < 0.0 ? c + next : c;
  const int upwind = flux < 0.0 ? c + 2 * next : c - next;
  const int downwind = flux < 0.0 ? c : c + next;
  const double sigma = fabs(flux) / node_mass_pre[donor];
  mom_flux[c] =
      flux * (velocity[donor] + (1.0 - sigma) * limited(velocity[donor] - velocity[upwind],
                                                        velocity[downwind] - velocity[donor], sigma));
}

extern "C" __global__ void KILN_LAUNCH_BOUNDS_advec_mom_velocity
advec_mom_velocity(double* __restrict__ velocity, const double* __restrict__ mom_flux,
                   const double* __restrict__ node_mass_post, const double* __restrict__ node_mass_pre,
                   int axis, const double* __restrict__ clock, const Params p) {
  if (finished(p, clock)) return;
  CELL_INDICES(0, p.nx + 1, p.ny + 1);
  const int next = axis == 0 ? 1 : pitch;
  velocity[c] = (velocity[c] * node_mass_pre[c] + mom_flux[c - next] - mom_flux[c]) / node_mass_post[c];
}

extern "C" __global__ void KILN_LAUNCH_BOUNDS_reset_cells
reset_cells(double* __restrict__ density0, double* __restrict__ energy0, const double* __restrict__ density1,
            const double* __restrict__ energy1, const double* __restrict__ clock, const Params p) {
  if (finished(p, clock)) return;
  CELL_INDICES(0, p.nx, p.ny);
  (void)pitch;
  density0[c] = density1[c];
  energy0[c] = energy1[c];
}

extern "C" __global__ void KILN_LAUNCH_BOUNDS_reset_nodes
reset_nodes(double* __restrict__ xvel0, double* __restrict__ yvel0, const double* __restrict__ xvel1,
            const double* __restrict__ yvel1, const double* __restrict__ clock, const Params p) {
  if (finished(p, clock)) return;
  CELL_INDICES(0, p.nx + 1, p.ny + 1);
  (void)pitch;
  xvel0[c] = xvel1[c];
  yvel0[c] = yvel1[c];
}
