// For GPUs: passes in which lanes of a warp hand on what their neighbours need, so that nothing of it goes through memory. A lane
// takes one column and marches up the rows; the outermost lanes of a warp only help, so that warps overlap.
#include "passes.h"

using namespace clover;

namespace {

constexpr int kHelpers = 4;                              // lanes of a warp that write nothing
constexpr int kOwners = kiln::warp_size - kHelpers;      // columns of a warp, whole sectors of memory

/// The number of the warp in the row of blocks.
KILN_DEVICE int warp_of_row() {
  return int(kiln::global_index_x()) / kiln::warp_size;
}
KILN_DEVICE int lane_of_warp() {
  return int(threadIdx.x) % kiln::warp_size;
}

}  // namespace

// accelerate_nodes and correct in one: rho e u v q -> u1 v1 rho1 e1, volume fluxes. The lane of column a computes the stress of cell
// a, the velocities of node a + 1 from it and from the next lane's, and cell a + 1 from these and from the next lane's.
extern "C" __global__ void KILN_LAUNCH_BOUNDS_move_grid move_grid(
    double* __restrict__ xvel1, double* __restrict__ yvel1, double* __restrict__ density1, double* __restrict__ energy1,
    double* __restrict__ vol_flux_x, double* __restrict__ vol_flux_y, const double* __restrict__ density,
    const double* __restrict__ energy, const double* __restrict__ xvel, const double* __restrict__ yvel,
    const double* __restrict__ q, const double* __restrict__ clock, const Params p) {
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
  // Of the row below: velocities before the step in columns a, a + 1; stress left and right of node a + 1, and masses.
  double u = xvel[c], u_next = xvel[c + 1], v = yvel[c], v_next = yvel[c + 1];
  double below_left = 0, below_right = 0, below_mass = 0;
  // Of the node line below: velocities before and after the step, added, at nodes n and n + 1, and the cells between.
  double u_sum = 0, u_sum_next = 0, v_sum = 0, v_sum_next = 0;
  double cell_density = 0, cell_energy = 0, cell_stress = 0;
  KILN_UNROLL(2)
  for (int k = first_k - 1; k <= end_k && k <= p.ny; ++k, c += pitch) {
    const double rho = density[c];
    const double e = energy[c];
    const double viscosity = q[c];
    const double u_up = xvel[c + pitch], u_up_next = xvel[c + pitch + 1];
    const double v_up = yvel[c + pitch], v_up_next = yvel[c + pitch + 1];
    const double half = 0.25 * dt * (by_dx * ((u_next + u_up_next) - (u + u_up)) + by_dy * ((v_up + v_up_next) - (v + v_next)));
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
    if (write && k < end_k && n < p.nx) store_yflux(p, vol_flux_y, n, k, 0.25 * dt * p.dx * (line_v + line_v_next));
    if (own && k > first_k) {
      store_xflux(p, vol_flux_x, n, k - 1, 0.25 * dt * p.dy * (u_sum + line_u));
      if (n < p.nx) {
        const double growth = 0.25 * dt * (by_dx * ((u_sum_next + line_u_next) - (u_sum + line_u)) +
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

namespace {

/// A place outside of the walls is that of its image inside, for which a flux across the wall turns around.
KILN_DEVICE int image_of_face(int n, int at) {
  const int image = at < 0 ? -at : at > n ? 2 * n - at : at;
  return image < 0 ? 0 : image > n ? n : image;  // of lanes that help nobody
}
KILN_DEVICE int image_of_cell(int n, int at) {
  const int image = at < 0 ? -1 - at : at >= n ? 2 * n - 1 - at : at;
  return image < 0 ? 0 : image >= n ? n - 1 : image;
}

/// What a sweep reads.
struct Source {
  const double *density, *energy, *along, *across;
  int next, other;  // steps in memory along the axis and across it
  double volume;    // of a cell of the fixed grid
};

/// The volume of the cell at `c` after the sweep; before it the fluxes along the axis are added.
template <bool First>
KILN_DEVICE double volume_after(const Source& from, int c) {
  return First ? from.volume + (from.across[c + from.other] - from.across[c]) : from.volume;
}

/// A face with what passes it, and the cells on both sides of it.
struct Face {
  Passing passing;
  double density[2], energy[2], volume[2], flux[3];
};

template <bool First>
KILN_DEVICE Face face_at(const Source& from, int c) {
  double rho[4], e[4];
  KILN_UNROLL_ALL
  for (int n = 0; n < 4; ++n) {
    rho[n] = from.density[c + (n - 2) * from.next];
    e[n] = from.energy[c + (n - 2) * from.next];
  }
  Face face;
  KILN_UNROLL_ALL
  for (int n = 0; n < 3; ++n) face.flux[n] = from.along[c + (n - 1) * from.next];
  KILN_UNROLL_ALL
  for (int n = 0; n < 2; ++n) {
    face.density[n] = rho[n + 1];
    face.energy[n] = e[n + 1];
    face.volume[n] = volume_after<First>(from, c + (n - 1) * from.next) + (face.flux[n + 1] - face.flux[n]);
  }
  face.passing = pass_face(face.flux[1], rho, e, face.volume);
  return face;
}

/// A cell before the sweep, and its volume after it by the fluxes along the axis.
struct Cell {
  double density, energy, volume, space;
};

template <bool First>
KILN_DEVICE Cell cell_at(const Source& from, int c) {
  const double flux = from.along[c];
  const double flux_behind = from.along[c + from.next];
  const double volume = volume_after<First>(from, c) + (flux_behind - flux);
  return {from.density[c], from.energy[c], volume, volume + flux - flux_behind};
}

}  // namespace

// The whole sweep along x, cells and nodes. The lane of column a takes the face and the cell there, and the node a + 2.
template <bool First>
__global__ void KILN_LAUNCH_BOUNDS_sweep_x sweep_x(double* __restrict__ density_out, double* __restrict__ energy_out,
                                                   double* __restrict__ xvel_out, double* __restrict__ yvel_out,
                                                   const double* __restrict__ density, const double* __restrict__ energy,
                                                   const double* __restrict__ xvel, const double* __restrict__ yvel,
                                                   const double* __restrict__ vol_flux_x, const double* __restrict__ vol_flux_y,
                                                   const double* __restrict__ clock, const Params p) {
  if (finished(p, clock)) return;
  const int warp = warp_of_row();
  const int lane = lane_of_warp();
  if (warp * kOwners > p.nx) return;  // the whole warp
  const int pitch = p.pitch;
  const Source from{density, energy, vol_flux_x, vol_flux_y, 1, pitch, p.dx * p.dy};
  const int a = warp * kOwners - 2 + lane;
  const int node = a + 2;
  const bool outside = a < 0 || a >= p.nx;  // of the cell
  const int face_column = image_of_face(p.nx, a);
  const int cell_column = image_of_cell(p.nx, a);
  const double turn = a < 0 || a > p.nx ? -1.0 : 1.0;
  const bool own_cell = lane >= 2 && lane < kOwners + 2 && !outside;
  const bool own_node = lane < kOwners && node <= p.nx;
  const int first_k = int(kiln::global_index_y()) * p.sweep_rows;
  const int end_k = first_k + p.sweep_rows < p.ny + 1 ? first_k + p.sweep_rows : p.ny + 1;
  double mass_below = 0, flux_below = 0;
  for (int k = first_k - 1; k < end_k; ++k) {
    // Below and above the walls fluxes are images of another row than cells are.
    const bool beyond = k < 0 || k == p.ny;
    double mass_flux = 0, density_after = 0;
    for (int part = beyond ? 0 : 1; part < 2; ++part) {
      const int row = part == 0 ? source_of(along_wall(p.ny), k) : image_of_cell(p.ny, k);
      const Face face = face_at<First>(from, place(p, face_column, row));
      const double passing = turn * face.passing.mass;
      if (part == 0 || !beyond) mass_flux = passing;
      const double passing_next = kiln::shuffle_down(passing, 1);
      const double energy_next = kiln::shuffle_down(face.passing.energy, 1);
      Cell cell{face.density[1], face.energy[1], face.volume[1], face.volume[1] + face.flux[1] - face.flux[2]};
      if (outside) cell = cell_at<First>(from, place(p, cell_column, row));
      const double mass = cell.density * cell.volume;
      const double after = mass + (a == p.nx ? -passing : passing) - (a == -1 ? -passing_next : passing_next);
      const double by_both = 1.0 / (after * cell.space);
      density_after = after * after * by_both;
      if (own_cell && !beyond && k >= first_k) {
        store_cell(p, density_out, a, k, density_after);
        store_cell(p, energy_out, a, k, (cell.energy * mass + face.passing.energy - energy_next) * cell.space * by_both);
      }
    }
    const int here = place(p, a > p.nx + 2 ? p.nx + 2 : a, k);
    const double cell_mass = density_after * volume_after<First>(from, here);
    const double flux_line = flux_below + mass_flux;
    const double mass_line = mass_below + cell_mass;
    flux_below = mass_flux;
    mass_below = cell_mass;
    if (k < first_k) continue;  // the whole warp
    const double flux = 0.25 * (flux_line + kiln::shuffle_down(flux_line, 1));      // from node a to a + 1
    const double flux_next = kiln::shuffle_down(flux, 1);                           // from a + 1 to a + 2
    const double post = 0.25 * (mass_line + kiln::shuffle_down(mass_line, 1));      // of node a + 1
    const double pre = post - flux + flux_next;
    const double post_next = kiln::shuffle_down(post, 1);
    const double pre_next = kiln::shuffle_down(pre, 1);
    const double sigma = fabs(flux_next) / (flux_next < 0.0 ? pre_next : pre);
    double u[4], v[4];
    KILN_UNROLL_ALL
    for (int n = 0; n < 4; ++n) {
      u[n] = xvel[here + n];
      v[n] = yvel[here + n];
    }
    const double u_passing = pass_middle(flux_next, sigma, u);
    const double v_passing = pass_middle(flux_next, sigma, v);
    const double u_leaving = kiln::shuffle_down(u_passing, 1);
    const double v_leaving = kiln::shuffle_down(v_passing, 1);
    if (own_node) {
      const double by_post = 1.0 / post_next;
      store_xvel(p, xvel_out, node, k, (u[2] * pre_next + u_passing - u_leaving) * by_post);
      store_yvel(p, yvel_out, node, k, (v[2] * pre_next + v_passing - v_leaving) * by_post);
    }
  }
}

// The whole sweep along y. The lane of column a takes the faces and cells there and the nodes a + 1; each turn of the loop goes one
// face up, and completes the cell below it and the node two below.
template <bool First>
__global__ void KILN_LAUNCH_BOUNDS_sweep_y sweep_y(double* __restrict__ density_out, double* __restrict__ energy_out,
                                                   double* __restrict__ xvel_out, double* __restrict__ yvel_out,
                                                   const double* __restrict__ density, const double* __restrict__ energy,
                                                   const double* __restrict__ xvel, const double* __restrict__ yvel,
                                                   const double* __restrict__ vol_flux_x, const double* __restrict__ vol_flux_y,
                                                   const double* __restrict__ clock, const Params p) {
  if (finished(p, clock)) return;
  const int warp = warp_of_row();
  const int lane = lane_of_warp();
  if (warp * kOwners > p.nx) return;  // the whole warp
  const int pitch = p.pitch;
  const Source from{density, energy, vol_flux_y, vol_flux_x, pitch, 1, p.dx * p.dy};
  const int a = warp * kOwners - 1 + lane;
  const int node = a + 1;
  const int column = a > p.nx ? p.nx : a;                      // to read what is there
  const int face_column = source_of(along_wall(p.nx), column);  // to compute: inside of the walls
  const bool own_cell = lane >= 1 && lane < kOwners + 1 && a < p.nx;
  const bool own_node = lane < kOwners && node <= p.nx;
  const int first_k = int(kiln::global_index_y()) * p.sweep_rows;
  const int end_k = first_k + p.sweep_rows < p.ny + 1 ? first_k + p.sweep_rows : p.ny + 1;
  double mass_flux = 0, energy_flux = 0;             // of the face below
  double flux_line = 0, mass_line = 0;               // of columns a and a + 1, of the face and the cell below
  double flux_below = 0, pre_below = 0, post_below = 0;  // of the nodes
  double u_passed = 0, v_passed = 0;
  double u[4] = {}, v[4] = {};
  for (int s = first_k - 2; s < end_k + 2; ++s) {
    const Face face = face_at<First>(from, place(p, face_column, image_of_face(p.ny, s)));
    const double passing = (s < 0 || s > p.ny ? -1.0 : 1.0) * face.passing.mass;
    // The cell below.
    const int k = s - 1;
    Cell cell{face.density[0], face.energy[0], face.volume[0], face.volume[0] + face.flux[0] - face.flux[1]};
    if (k < 0 || k >= p.ny) cell = cell_at<First>(from, place(p, face_column, image_of_cell(p.ny, k)));
    const double mass = cell.density * cell.volume;
    const double after = mass + (k == p.ny ? -mass_flux : mass_flux) - (k == -1 ? -passing : passing);
    const double by_both = 1.0 / (after * cell.space);
    double density_after = after * after * by_both;
    if (own_cell && k >= first_k && k < end_k && k < p.ny) {
      store_cell(p, density_out, a, k, density_after);
      store_cell(p, energy_out, a, k, (cell.energy * mass + energy_flux - face.passing.energy) * cell.space * by_both);
    }
    double density_next = kiln::shuffle_down(density_after, 1);
    if (a < 0) density_after = density_next;
    if (a == p.nx - 1) density_next = density_after;
    const double volume = volume_after<First>(from, place(p, column, k));
    const double volume_next = kiln::shuffle_down(volume, 1);
    const double cells_mass = density_after * volume + density_next * volume_next;
    const double faces_flux = passing + kiln::shuffle_down(passing, 1);
    // Node s - 1: the mass that passes from it to s, its own before and after.
    const double flux = 0.25 * (flux_line + faces_flux);
    const double post = 0.25 * (mass_line + cells_mass);
    const double pre = post - flux_below + flux;
    KILN_UNROLL_ALL
    for (int n = 0; n < 3; ++n) {
      u[n] = u[n + 1];
      v[n] = v[n + 1];
    }
    const int here = place(p, column + 1, s);
    u[3] = xvel[here];
    v[3] = yvel[here];
    // Node s - 2, from which flux_below passes to s - 1.
    const double sigma = fabs(flux_below) / (flux_below < 0.0 ? pre : pre_below);
    const double u_passing = pass_middle(flux_below, sigma, u);
    const double v_passing = pass_middle(flux_below, sigma, v);
    if (own_node && s - 2 >= first_k) {
      const double by_post = 1.0 / post_below;
      store_xvel(p, xvel_out, node, s - 2, (u[1] * pre_below + u_passed - u_passing) * by_post);
      store_yvel(p, yvel_out, node, s - 2, (v[1] * pre_below + v_passed - v_passing) * by_post);
    }
    mass_flux = passing;
    energy_flux = face.passing.energy;
    flux_line = faces_flux;
    mass_line = cells_mass;
    flux_below = flux;
    pre_below = pre;
    post_below = post;
    u_passed = u_passing;
    v_passed = v_passing;
  }
}
