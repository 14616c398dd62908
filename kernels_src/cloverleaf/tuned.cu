// CloverLeaf in seven passes a step over the fields, without work arrays: what a pass needs of its neighbours
// it computes again.
//
//   stress          rho e u v          -> q, time step
//   accelerate      rho e u v q        -> u1 v1             pressure at half the step from the predictor,
//   cell by cell correct         rho e u v q u1 v1  -> rho1 e1, volume fluxes advect_cells    rho1 e1, fluxes
//   -> rho2 e2, mass flux      first sweep advect_nodes    rho2, fluxes u1 v1 -> u2 v2 advect_cells    rho2
//   e2, flux      -> rho e, mass flux        second sweep advect_nodes    rho, flux u2 v2    -> u v
//
// 49 numbers a cell and step. Volumes and areas are constants. Who writes a value near a wall also writes its
// images (`images`), or the kernel update_halo does.
#include "passes.h"

using namespace clover;

namespace {

/// Viscosity over density of a cell, and the square of the rate (1 / time step) that the cell asks for.
struct Stress {
  double q_by_density, rate_squared;
};

KILN_DEVICE Stress stress_of(const Params& p, const double* density, const double* energy, const double* u,
                             const double* v, int pitch) {
  const double by_dx = 1.0 / p.dx;
  const double by_dy = 1.0 / p.dy;
  const double left = u[0] + u[pitch];
  const double right = u[1] + u[pitch + 1];
  const double bottom = v[0] + v[1];
  const double top = v[pitch] + v[pitch + 1];
  const double u_gradient = right - left;
  const double v_gradient = top - bottom;
  const double strain = (0.5 * by_dy) * ((u[pitch] + u[pitch + 1]) - (u[0] + u[1])) +
                        (0.5 * by_dx) * ((v[1] + v[pitch + 1]) - (v[0] + v[pitch]));
  const double gx = (0.2 * by_dx) * (density[1] * energy[1] - density[-1] * energy[-1]);
  const double gy = (0.2 * by_dy) * (density[pitch] * energy[pitch] - density[-pitch] * energy[-pitch]);
  const double gx2 = gx * gx;
  const double gy2 = gy * gy;
  const double limiter_up =
      (0.5 * by_dx) * u_gradient * gx2 + (0.5 * by_dy) * v_gradient * gy2 + strain * gx * gy;
  double h = 0;
  if (limiter_up <= 0.0 && p.dx * u_gradient + p.dy * v_gradient < 0.0) {
    const double limiter = limiter_up / larger(gx2 + gy2, kSmall);
    const double ax = larger(1e-16, fabs(gx));
    const double ay = larger(1e-16, fabs(gy));
    const double ratio = smaller(p.dx * ay, p.dy * ax) / (ax * ay);  // the shorter of dx / ax, dy / ay
    h = 2.0 * (ax * ax + ay * ay) * (ratio * ratio) * (limiter * limiter);
  }
  const double shorter = smaller(p.dx, p.dy);
  const double by_sound = (1.4 * 0.4 * energy[0] + 2.0 * h) * (1.0 / (0.49 * shorter * shorter));
  const double by_x = larger(fabs(left), fabs(right)) * by_dx;
  const double by_y = larger(fabs(bottom), fabs(top)) * by_dy;
  const double compression = larger(-(u_gradient * by_dx + v_gradient * by_dy) * (0.5 / 0.7), 0.0);
  return {h, larger(larger(by_sound, compression * compression), larger(by_x * by_x, by_y * by_y))};
}

}  // namespace

// A work-item takes `stress_width` neighbouring cells of `stress_rows` rows: one on a GPU, so that neighbours
// are neighbours; a long piece of a row on a CPU, so that barriers are few. The last block to finish begins
// the step.
extern "C" __global__ void KILN_LAUNCH_BOUNDS_stress
stress(double* __restrict__ q, double* __restrict__ clock, unsigned long long* __restrict__ race,
       const double* __restrict__ density, const double* __restrict__ energy, const double* __restrict__ xvel,
       const double* __restrict__ yvel, const Params p) {
  constexpr int block = Params::stress_block;
  constexpr int width = Params::stress_width;
  if (finished(p, clock)) return;
  const int pitch = p.pitch;
  const int first_i = int(kiln::global_index_x()) * width;
  const int first_k = int(blockIdx.y) * p.stress_rows;
  double most = 0;
  KILN_UNROLL_ALL
  for (int row = 0; row < p.stress_rows; ++row) {
    const int k = first_k + row;
    if (k >= p.ny) continue;
    const int count = p.nx - first_i < width ? p.nx - first_i : width;
    const int c = place(p, first_i, k);
    if constexpr (width == 1) {
      if (count >= 1) {
        const Stress own = stress_of(p, density + c, energy + c, xvel + c, yvel + c, pitch);
        q[c] = own.q_by_density * density[c];
        most = larger(most, own.rate_squared);
      }
    } else {
      double rates[width];
      KILN_SIMD
      for (int n = 0; n < count; ++n) {
        const Stress own = stress_of(p, density + c + n, energy + c + n, xvel + c + n, yvel + c + n, pitch);
        q[c + n] = own.q_by_density * density[c + n];
        rates[n] = own.rate_squared;
      }
      for (int n = 0; n < count; ++n) most = most > rates[n] ? most : rates[n];
    }
  }
  const int item = int(threadIdx.x);
  most = -block_least<block>(-most, item);
  if (item != 0) return;
  // Numbers that are not negative are in the order of their bits.
  atomicMax(race, (unsigned long long)__double_as_longlong(most));
  __threadfence();
  if (atomicAdd(race + 1, 1ull) + 1 < (unsigned long long)gridDim.x * gridDim.y) return;
  const double rate = __longlong_as_double((long long)atomicExch(race, 0ull));
  race[1] = 0;
  advance_clock(p, clock, 1.0 / sqrt(rate));
}

// A work-item takes the nodes of `node_rows` rows in one column, and the pressures of the cells left and
// right of them.
extern "C" __global__ void KILN_LAUNCH_BOUNDS_accelerate_nodes accelerate_nodes(
    double* __restrict__ xvel1, double* __restrict__ yvel1, const double* __restrict__ density,
    const double* __restrict__ energy, const double* __restrict__ xvel, const double* __restrict__ yvel,
    const double* __restrict__ q, const double* __restrict__ clock, const Params p) {
  const int column = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int first_k = static_cast<int>(kiln::global_index_y()) * p.node_rows;
  if (column > p.nx || first_k > p.ny) return;
  if (finished(p, clock)) return;
  // The same number: by way of 64 bits it takes 56 registers on sm_90, not 64; a CPU's rows need an int.
  const int i = p.images ? static_cast<int>(kiln::global_index_x()) : column;
  const int pitch = p.pitch;
  const double dt = clock[kStep];
  double below_left = 0, below_right = 0, below_mass = 0;
  KILN_UNROLL_ALL
  for (int row = -1; row < p.node_rows; ++row) {
    const int k = first_k + row;
    const int c = place(p, i, k);
    const double t_right = half_growth(p, dt, xvel + c, yvel + c, pitch);
    const double t_left = half_growth(p, dt, xvel + c - 1, yvel + c - 1, pitch);
    const double up_right = half_pressure_up(density[c] * energy[c], q[c], t_right);
    const double up_left = half_pressure_up(density[c - 1] * energy[c - 1], q[c - 1], t_left);
    const double by_both = 1.0 / ((1.0 + t_right) * (1.0 + t_left));
    double here_right = up_right * (1.0 + t_left) * by_both + q[c];
    double here_left = up_left * (1.0 + t_right) * by_both + q[c - 1];
    // Outside of a wall pressure and viscosity are those inside.
    const double inside_right = here_right;
    here_right = i == p.nx ? here_left : here_right;
    here_left = i == 0 ? inside_right : here_left;
    if (k == p.ny) {
      here_right = below_right;
      here_left = below_left;
    }
    const double mass = density[c] + density[c - 1];
    if (row >= 0) {
      if (k == 0) {
        below_right = here_right;
        below_left = here_left;
      }
      if (k <= p.ny) {
        const double by_mass = 2.0 * dt / (mass + below_mass);
        const double u =
            xvel[c] - by_mass * (1.0 / p.dx) * ((here_right - here_left) + (below_right - below_left));
        const double v =
            yvel[c] - by_mass * (1.0 / p.dy) * ((here_right - below_right) + (here_left - below_left));
        store_xvel(p, xvel1, i, k, u);
        store_yvel(p, yvel1, i, k, v);
      }
    }
    below_left = here_left;
    below_right = here_right;
    below_mass = mass;
  }
}

// The corrector with the velocities before and after the step, and the volumes that pass the faces in it.
extern "C" __global__ void KILN_LAUNCH_BOUNDS_correct
correct(double* __restrict__ density1, double* __restrict__ energy1, double* __restrict__ vol_flux_x,
        double* __restrict__ vol_flux_y, const double* __restrict__ density,
        const double* __restrict__ energy, const double* __restrict__ xvel, const double* __restrict__ yvel,
        const double* __restrict__ q, const double* __restrict__ xvel1, const double* __restrict__ yvel1,
        const double* __restrict__ clock, const Params p) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int first_k = static_cast<int>(kiln::global_index_y()) * p.cell_rows;
  if (i > p.nx || first_k > p.ny) return;
  if (finished(p, clock)) return;
  const int pitch = p.pitch;
  const double dt = clock[kStep];
  KILN_UNROLL_ALL
  for (int row = 0; row < p.cell_rows; ++row) {
    const int k = first_k + row;
    if (row > 0 && k > p.ny) break;
    const int c = place(p, i, k);
    const double* u = xvel + c;
    const double* v = yvel + c;
    const double* u1 = xvel1 + c;
    const double* v1 = yvel1 + c;
    const double left = u[0] + u[pitch] + u1[0] + u1[pitch];
    const double right = u[1] + u[pitch + 1] + u1[1] + u1[pitch + 1];
    const double bottom = v[0] + v[1] + v1[0] + v1[1];
    const double top = v[pitch] + v[pitch + 1] + v1[pitch] + v1[pitch + 1];
    const double half = half_growth(p, dt, u, v, pitch);
    const double growth = 0.25 * dt * ((1.0 / p.dx) * (right - left) + (1.0 / p.dy) * (top - bottom));
    const double up = half_pressure_up(density[c] * energy[c], q[c], half);
    // One division for 1 / (1 + half), 1 / (1 + growth) and 1 / density.
    const double all = 1.0 / ((1.0 + half) * (1.0 + growth) * density[c]);
    const double pressure = up * density[c] * (1.0 + growth) * all + q[c];
    if (!p.images || (i < p.nx && k < p.ny)) {  // else update_halo writes what is outside, afterwards
      store_cell(p, energy1, i, k, energy[c] - pressure * growth * ((1.0 + half) * (1.0 + growth) * all));
      store_cell(p, density1, i, k, density[c] * (1.0 + half) * density[c] * all);
    }
    if (!p.images || k < p.ny) store_xflux(p, vol_flux_x, i, k, 0.25 * dt * p.dy * left);
    if (!p.images || i < p.nx) store_yflux(p, vol_flux_y, i, k, 0.25 * dt * p.dx * bottom);
  }
}

namespace {

/// Remaps `Length` cells that follow each other along the axis (0: x, 1: y) from (i, k) on.
template <int Axis, bool First, int Length>
KILN_DEVICE void sweep_cells(double* density_out, double* energy_out, double* mass_flux,
                             const double* density, const double* energy, const double* vol_flux_x,
                             const double* vol_flux_y, int i, int k, const Params& p) {
  const int pitch = p.pitch;
  const int next = Axis == 0 ? 1 : pitch;
  const int other = Axis == 0 ? pitch : 1;
  const double* along = Axis == 0 ? vol_flux_x : vol_flux_y;
  const double* across = Axis == 0 ? vol_flux_y : vol_flux_x;
  const int c = place(p, i, k);
  const int end = Axis == 0 ? p.nx - i : p.ny - k;  // cells that are left
  double rho[Length + 4], e[Length + 4], flux[Length + 3], volume[Length + 2];
  KILN_UNROLL_ALL
  for (int n = 0; n < Length + 4; ++n) {
    rho[n] = density[c + (n - 2) * next];
    e[n] = energy[c + (n - 2) * next];
  }
  KILN_UNROLL_ALL
  for (int n = 0; n < Length + 3; ++n) flux[n] = along[c + (n - 1) * next];
  KILN_UNROLL_ALL
  for (int n = 0; n < Length + 2; ++n) {
    volume[n] = p.dx * p.dy + (flux[n + 1] - flux[n]);
    if (First) volume[n] += across[c + (n - 1) * next + other] - across[c + (n - 1) * next];
  }
  Passing before = pass_face(flux[1], rho, e, volume);
  KILN_UNROLL_ALL
  for (int n = 0; n < Length; ++n) {
    if (n > 0 && n > end) break;
    const int at_i = Axis == 0 ? i + n : i;
    const int at_k = Axis == 0 ? k : k + n;
    if (Axis == 0)
      store_xflux(p, mass_flux, at_i, at_k, before.mass);
    else
      store_yflux(p, mass_flux, at_i, at_k, before.mass);
    const Passing behind = pass_face(flux[n + 2], rho + n + 1, e + n + 1, volume + n + 1);
    const double mass = rho[n + 2] * volume[n + 1];
    const double after = mass + before.mass - behind.mass;
    const double space = volume[n + 1] + flux[n + 1] - flux[n + 2];
    const double by_both = 1.0 / (after * space);
    if (!p.images || n < end) {
      store_cell(p, density_out, at_i, at_k, after * after * by_both);
      store_cell(p, energy_out, at_i, at_k,
                 (e[n + 2] * mass + before.energy - behind.energy) * space * by_both);
    }
    before = behind;
  }
}

/// Remaps the velocities of `Length` nodes that follow each other along the axis from (i, k) on.
template <int Axis, bool First, int Length>
KILN_DEVICE void sweep_nodes(double* xvel_out, double* yvel_out, const double* xvel, const double* yvel,
                             const double* density, const double* mass_flux, const double* vol_flux_across,
                             int i, int k, const Params& p) {
  const int pitch = p.pitch;
  const int next = Axis == 0 ? 1 : pitch;
  const int other = Axis == 0 ? pitch : 1;
  const int c = place(p, i, k);
  const int end = Axis == 0 ? p.nx - i : p.ny - k;  // the last node, counted from here
  double face[Length + 4], flux[Length + 3], cell[Length + 3], post[Length + 2], by_pre[Length + 2],
      u[Length + 4], v[Length + 4];
  // Faces from 2 before the node on; cells, of which 2 meet between node lines, from 2 before it on.
  KILN_UNROLL_ALL
  for (int n = 0; n < Length + 4; ++n) {
    const int at = c + (n - 2) * next;
    face[n] = mass_flux[at] + mass_flux[at - other];
    u[n] = xvel[at];
    v[n] = yvel[at];
  }
  KILN_UNROLL_ALL
  for (int n = 0; n < Length + 3; ++n) {
    const int at = c + (n - 2) * next;
    flux[n] = 0.25 * (face[n] + face[n + 1]);  // behind the node n - 2
    const double volume = p.dx * p.dy;
    const double here = First ? volume + vol_flux_across[at + other] - vol_flux_across[at] : volume;
    const double beside = First ? volume + vol_flux_across[at] - vol_flux_across[at - other] : volume;
    cell[n] = density[at] * here + density[at - other] * beside;
  }
  KILN_UNROLL_ALL
  for (int n = 0; n < Length + 2; ++n) {  // of the node n - 1
    post[n] = 0.25 * (cell[n] + cell[n + 1]);
    by_pre[n] = post[n] - flux[n] + flux[n + 1];
  }
  const double sigma = fabs(flux[1]) / (flux[1] < 0.0 ? by_pre[1] : by_pre[0]);
  double u_before = pass_middle(flux[1], sigma, u);
  double v_before = pass_middle(flux[1], sigma, v);
  KILN_UNROLL_ALL
  for (int n = 0; n < Length; ++n) {
    if (Length > 1 && n > end) break;
    const double flux_behind = flux[n + 2];
    const double sigma_behind = fabs(flux_behind) / (flux_behind < 0.0 ? by_pre[n + 2] : by_pre[n + 1]);
    const double u_behind = pass_middle(flux_behind, sigma_behind, u + n + 1);
    const double v_behind = pass_middle(flux_behind, sigma_behind, v + n + 1);
    const double by_post = 1.0 / post[n + 1];
    const int at_i = Axis == 0 ? i + n : i;
    const int at_k = Axis == 0 ? k : k + n;
    store_xvel(p, xvel_out, at_i, at_k, (u[n + 2] * by_pre[n + 1] + u_before - u_behind) * by_post);
    store_yvel(p, yvel_out, at_i, at_k, (v[n + 2] * by_pre[n + 1] + v_before - v_behind) * by_post);
    u_before = u_behind;
    v_before = v_behind;
  }
}

}  // namespace

// The kernels of a sweep: template arguments are the axis, whether it is the step's first, and how many cells
// or nodes along the axis a work-item takes.
template <int Axis, bool First, int Length>
__global__ void KILN_LAUNCH_BOUNDS_advect_cells
advect_cells(double* __restrict__ density_out, double* __restrict__ energy_out,
             double* __restrict__ mass_flux, const double* __restrict__ density,
             const double* __restrict__ energy, const double* __restrict__ vol_flux_x,
             const double* __restrict__ vol_flux_y, const double* __restrict__ clock, const Params p) {
  const int column = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int row = static_cast<int>(kiln::global_index_y());
  const int last_column = Axis == 0 ? p.nx / Length : p.nx - 1;
  const int last_row = Axis == 1 ? p.ny / Length : p.ny - 1;
  if (column > last_column || row > last_row) return;
  if (finished(p, clock)) return;
  sweep_cells<Axis, First, Length>(density_out, energy_out, mass_flux, density, energy, vol_flux_x,
                                   vol_flux_y, Axis == 0 ? column * Length : column,
                                   Axis == 1 ? row * Length : row, p);
}

template <int Axis, bool First, int Length>
__global__ void KILN_LAUNCH_BOUNDS_advect_nodes advect_nodes(
    double* __restrict__ xvel_out, double* __restrict__ yvel_out, const double* __restrict__ xvel,
    const double* __restrict__ yvel, const double* __restrict__ density, const double* __restrict__ mass_flux,
    const double* __restrict__ vol_flux_across, const double* __restrict__ clock, const Params p) {
  const int column = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int row = static_cast<int>(kiln::global_index_y());
  const int last_column = Axis == 0 ? p.nx / Length : p.nx;
  const int last_row = Axis == 1 ? p.ny / Length : p.ny;
  if (column > last_column || row > last_row) return;
  if (finished(p, clock)) return;
  sweep_nodes<Axis, First, Length>(xvel_out, yvel_out, xvel, yvel, density, mass_flux, vol_flux_across,
                                   Axis == 0 ? column * Length : column, Axis == 1 ? row * Length : row, p);
}
