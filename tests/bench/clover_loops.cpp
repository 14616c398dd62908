#include "clover_loops.h"

#include <cmath>

namespace kiln::bench {
namespace {

inline double smaller(double a, double b) {
  return a < b ? a : b;
}

/// Van Leer's limited difference.
inline double limited(double up, double down, double sigma) {
  const double size = smaller(smaller(std::fabs(up), std::fabs(down)),
                              ((1 + sigma) * std::fabs(up) + (2 - sigma) * std::fabs(down)) * (1.0 / 6));
  return up * down > 0 ? (down > 0 ? size : -size) : 0;
}

struct Passing {
  double mass, energy;
};

/// What passes the face between values 1 and 2 of four.
inline Passing pass_face(double flux, const double* density, const double* energy, double volume_before,
                         double volume_behind) {
  const bool forward = flux > 0;
  const double donor = forward ? density[-1] : density[0];
  const double by_mass = 1 / (donor * (forward ? volume_before : volume_behind));
  const double sigma = std::fabs(flux) * donor * by_mass;
  const double up = forward ? density[-1] - density[-2] : density[0] - density[1];
  const double down = forward ? density[0] - density[-1] : density[-1] - density[0];
  const double mass = flux * (donor + (1 - sigma) * limited(up, down, sigma));
  const double energy_up = forward ? energy[-1] - energy[-2] : energy[0] - energy[1];
  const double energy_down = forward ? energy[0] - energy[-1] : energy[-1] - energy[0];
  const double share = std::fabs(mass) * by_mass;
  return {mass,
          mass * ((forward ? energy[-1] : energy[0]) + (1 - share) * limited(energy_up, energy_down, sigma))};
}

/// What passes the middle between nodes 0 and 1 of a column.
inline double pass_middle(double flux, double sigma, const double* velocity, int pitch) {
  const bool back = flux < 0;
  const double donor = back ? velocity[pitch] : velocity[0];
  const double up = back ? velocity[pitch] - velocity[2 * pitch] : velocity[0] - velocity[-pitch];
  const double down = back ? velocity[0] - velocity[pitch] : velocity[pitch] - velocity[0];
  return flux * (donor + (1 - sigma) * limited(up, down, sigma));
}

}  // namespace

void remap_cells_x(double* density_out, double* energy_out, double* mass_flux, const double* density,
                   const double* energy, const double* vol_flux_x, const double* vol_flux_y,
                   const CloverGrid& grid) {
  const int pitch = grid.pitch;
#pragma omp parallel for
  for (int k = 0; k < grid.ny; ++k) {
    const long row = grid.first + static_cast<long>(k) * pitch;
#pragma omp simd
    for (int i = 0; i <= grid.nx; ++i) {
      const double* x = vol_flux_x + row + i;
      const double* y = vol_flux_y + row + i;
      const double before = grid.volume + (x[0] - x[-1]) + (y[pitch - 1] - y[-1]);
      const double here = grid.volume + (x[1] - x[0]) + (y[pitch] - y[0]);
      const double behind = grid.volume + (x[2] - x[1]) + (y[pitch + 1] - y[1]);
      const double* rho = density + row + i;
      const double* e = energy + row + i;
      const Passing left = pass_face(x[0], rho, e, before, here);
      const Passing right = pass_face(x[1], rho + 1, e + 1, here, behind);
      const double mass = rho[0] * here;
      const double after = mass + left.mass - right.mass;
      const double space = here + x[0] - x[1];
      const double by_both = 1 / (after * space);
      mass_flux[row + i] = left.mass;
      density_out[row + i] = after * after * by_both;
      energy_out[row + i] = (e[0] * mass + left.energy - right.energy) * space * by_both;
    }
  }
}

void remap_nodes_y(double* xvel_out, double* yvel_out, const double* xvel, const double* yvel,
                   const double* density, const double* mass_flux, const CloverGrid& grid) {
  const int pitch = grid.pitch;
#pragma omp parallel for
  for (int k = 0; k <= grid.ny; ++k) {
    const long row = grid.first + static_cast<long>(k) * pitch;
#pragma omp simd
    for (int i = 0; i <= grid.nx; ++i) {
      const double* flux = mass_flux + row + i;
      const double* rho = density + row + i;
      const auto face = [&](int s) { return flux[s * pitch] + flux[s * pitch - 1]; };
      const auto cell = [&](int s) { return grid.volume * (rho[s * pitch] + rho[s * pitch - 1]); };
      const double f0 = 0.25 * (face(-2) + face(-1)), f1 = 0.25 * (face(-1) + face(0));
      const double f2 = 0.25 * (face(0) + face(1)), f3 = 0.25 * (face(1) + face(2));
      const double below = 0.25 * (cell(-2) + cell(-1)), post = 0.25 * (cell(-1) + cell(0));
      const double above = 0.25 * (cell(0) + cell(1));
      const double pre_below = below - f0 + f1, pre = post - f1 + f2, pre_above = above - f2 + f3;
      const double sigma_in = std::fabs(f1) / (f1 < 0 ? pre : pre_below);
      const double sigma_out = std::fabs(f2) / (f2 < 0 ? pre_above : pre);
      const double by_post = 1 / post;
      const double* u = xvel + row + i;
      const double* v = yvel + row + i;
      xvel_out[row + i] =
          (u[0] * pre + pass_middle(f1, sigma_in, u - pitch, pitch) - pass_middle(f2, sigma_out, u, pitch)) *
          by_post;
      yvel_out[row + i] =
          (v[0] * pre + pass_middle(f1, sigma_in, v - pitch, pitch) - pass_middle(f2, sigma_out, v, pitch)) *
          by_post;
    }
  }
}

}  // namespace kiln::bench
