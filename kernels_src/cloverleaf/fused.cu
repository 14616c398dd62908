// For GPUs: a pass in which lanes of a warp hand on what their neighbours need, so that nothing of it goes
// through memory. A lane takes one column and marches up the rows; the outermost lanes of a warp only help,
// so that warps overlap.
#include "passes.h"

using namespace clover;

namespace {

constexpr int kHelpers = 4;                          // lanes of a warp that write nothing
constexpr int kOwners = kiln::warp_size - kHelpers;  // columns of a warp, whole sectors of memory

/// The number of the warp in the row of blocks.
KILN_DEVICE int warp_of_row() {
  return int(kiln::global_index_x()) / kiln::warp_size;
}
KILN_DEVICE int lane_of_warp() {
  return int(threadIdx.x) % kiln::warp_size;
}

}  // namespace

// accelerate_nodes and correct in one: rho e u v q -> u1 v1 rho1 e1, volume fluxes. The lane of column a
// computes the stress of cell a, the velocities of node a + 1 from it and from the next lane's, and cell a +
// 1 from these and from the next lane's.
extern "C" __global__ void KILN_LAUNCH_BOUNDS_move_grid
move_grid(double* __restrict__ xvel1, double* __restrict__ yvel1, double* __restrict__ density1,
          double* __restrict__ energy1, double* __restrict__ vol_flux_x, double* __restrict__ vol_flux_y,
          const double* __restrict__ density, const double* __restrict__ energy,
          const double* __restrict__ xvel, const double* __restrict__ yvel, const double* __restrict__ q,
          const double* __restrict__ clock, const Params p) {
  if (finished(p, clock)) return;
  const int warp = warp_of_row();
  const int lane = lane_of_warp();
  if (warp * kOwners > p.nx) return;  // the whole warp
  const int a = warp * kOwners - 1 + lane;
  const int n = a + 1;
  // Lanes beyond the right wall read the last column.
  const int column = a > p.nx ? p.nx : a;
  const bool own = lane < kOwners && n <= p.nx;
  const int first_k = int(kiln::global_index_y()) * p.move_rows;
  const int end_k = first_k + p.move_rows;
  const int pitch = p.pitch;
  const double dt = clock[kStep];
  const double by_dx = 1.0 / p.dx;
  const double by_dy = 1.0 / p.dy;
  int c = place(p, column, first_k - 1);
  // Of the row below: velocities before the step in columns a, a + 1; stress left and right of node a + 1,
  // and masses.
  double u = xvel[c], u_next = xvel[c + 1], v = yvel[c], v_next = yvel[c + 1];
  double below_left = 0, below_right = 0, below_mass = 0;
  // Of the node line below: velocities before and after the step, added, at nodes n and n + 1, and the cells
  // between.
  double u_sum = 0, u_sum_next = 0, v_sum = 0, v_sum_next = 0;
  double cell_density = 0, cell_energy = 0, cell_stress = 0;
  KILN_UNROLL(2)
  for (int k = first_k - 1; k <= end_k && k <= p.ny; ++k, c += pitch) {
    const double rho = density[c];
    const double e = energy[c];
    const double viscosity = q[c];
    const double u_up = xvel[c + pitch], u_up_next = xvel[c + pitch + 1];
    const double v_up = yvel[c + pitch], v_up_next = yvel[c + pitch + 1];
    const double half =
        0.25 * dt *
        (by_dx * ((u_next + u_up_next) - (u + u_up)) + by_dy * ((v_up + v_up_next) - (v + v_next)));
    const double stress = half_pressure_up(rho * e, viscosity, half) / (1.0 + half) + viscosity;
    const double rho_next = kiln::shuffle_down(rho, 1);
    const double e_next = kiln::shuffle_down(e, 1);
    const double stress_next = kiln::shuffle_down(stress, 1);
    double left = n == 0 ? stress_next : stress;
    double right = n == p.nx ? stress : stress_next;
    if (k == p.ny) {  // outside of a wall it is that inside
      left = below_left;
      right = below_right;
    }
    if (k == 0) {
      below_left = left;
      below_right = right;
    }
    const double mass = rho + rho_next;
    const double by_mass = 2.0 * dt / (mass + below_mass);
    const double u1 = u_next - by_mass * by_dx * ((right - left) + (below_right - below_left));
    const double v1 = v_next - by_mass * by_dy * ((right - below_right) + (left - below_left));
    const bool write = own && k >= first_k;
    if (write && k < end_k) {
      store_xvel(p, xvel1, n, k, u1);
      store_yvel(p, yvel1, n, k, v1);
    }
    // Node line k is complete: cells k - 1 lie below it.
    const double line_u = u_next + u1;
    const double line_v = v_next + v1;
    const double line_u_next = kiln::shuffle_down(line_u, 1);
    const double line_v_next = kiln::shuffle_down(line_v, 1);
    if (write && k < end_k && n < p.nx)
      store_yflux(p, vol_flux_y, n, k, 0.25 * dt * p.dx * (line_v + line_v_next));
    if (own && k > first_k) {
      store_xflux(p, vol_flux_x, n, k - 1, 0.25 * dt * p.dy * (u_sum + line_u));
      if (n < p.nx) {
        const double growth = 0.25 * dt *
                              (by_dx * ((u_sum_next + line_u_next) - (u_sum + line_u)) +
                               by_dy * ((line_v + line_v_next) - (v_sum + v_sum_next)));
        const double by_both = 1.0 / ((1.0 + growth) * cell_density);
        store_cell(p, energy1, n, k - 1, cell_energy - cell_stress * growth * ((1.0 + growth) * by_both));
        store_cell(p, density1, n, k - 1, cell_density * cell_density * by_both);
      }
    }
    u = u_up;
    u_next = u_up_next;
    v = v_up;
    v_next = v_up_next;
    below_left = left;
    below_right = right;
    below_mass = mass;
    u_sum = line_u;
    u_sum_next = line_u_next;
    v_sum = line_v;
    v_sum_next = line_v_next;
    cell_density = rho_next;
    cell_energy = e_next;
    cell_stress = stress_next;
  }
}
