// What the kernels of the tuned implementation share: stores with images, the predictor's pressure, what
// passes faces.
#pragma once

#include "remap.h"

namespace clover {

/// Writes a value at (i, k) and its images outside of the walls.
KILN_DEVICE void store(const Params& p, double* field, Mirror x, Mirror y, int i, int k, double value) {
  field[place(p, i, k)] = value;
  if (!p.images) return;
  if (i > 2 && i < p.nx - 3 && k > 2 && k < p.ny - 3) return;
  for (int a = -1; a < 4; ++a) {  // the value's own column, then the four outside
    const int to_i = a < 0 ? i : a < 2 ? a - 2 : x.extent + a - 2;
    if (a >= 0 && source_of(x, to_i) != i) continue;
    for (int b = -1; b < 4; ++b) {
      const int to_k = b < 0 ? k : b < 2 ? b - 2 : y.extent + b - 2;
      if ((a < 0 && b < 0) || (b >= 0 && source_of(y, to_k) != k)) continue;
      field[place(p, to_i, to_k)] = (a < 0 ? 1.0 : x.sign) * (b < 0 ? 1.0 : y.sign) * value;
    }
  }
}

KILN_DEVICE void store_cell(const Params& p, double* field, int i, int k, double value) {
  store(p, field, cells(p.nx), cells(p.ny), i, k, value);
}
KILN_DEVICE void store_xvel(const Params& p, double* field, int i, int k, double value) {
  store(p, field, nodes(p.nx, -1.0), nodes(p.ny, 1.0), i, k, value);
}
KILN_DEVICE void store_yvel(const Params& p, double* field, int i, int k, double value) {
  store(p, field, nodes(p.nx, 1.0), nodes(p.ny, -1.0), i, k, value);
}
KILN_DEVICE void store_xflux(const Params& p, double* field, int i, int k, double value) {
  store(p, field, nodes(p.nx, -1.0), along_wall(p.ny), i, k, value);
}
KILN_DEVICE void store_yflux(const Params& p, double* field, int i, int k, double value) {
  store(p, field, along_wall(p.nx), nodes(p.ny, -1.0), i, k, value);
}

/// 0.4 rho e after half a step, of a cell whose volume grows by the part `growth` in it: the predictor and
/// the gas law.
KILN_DEVICE double half_pressure_up(double product, double q, double growth) {
  return 0.4 * (product - (0.4 * product + q) * growth);
}

/// The relative growth of a cell's volume in half a step, from the velocities at its nodes.
KILN_DEVICE double half_growth(const Params& p, double dt, const double* u, const double* v, int pitch) {
  return 0.25 * dt *
         ((1.0 / p.dx) * ((u[1] + u[pitch + 1]) - (u[0] + u[pitch])) +
          (1.0 / p.dy) * ((v[pitch] + v[pitch + 1]) - (v[0] + v[1])));
}

/// Mass and energy that pass a face, from the values in the two cells on each side of it, before it in the
/// sweep and behind.
struct Passing {
  double mass, energy;
};

KILN_DEVICE Passing pass_face(double flux, const double* density, const double* energy,
                              const double* volume) {
  const bool forward = flux > 0.0;
  const double donor = forward ? density[1] : density[2];
  const double up = forward ? density[1] - density[0] : density[2] - density[3];
  const double down = forward ? density[2] - density[1] : density[1] - density[2];
  const double donor_energy = forward ? energy[1] : energy[2];
  const double up_energy = forward ? energy[1] - energy[0] : energy[2] - energy[3];
  const double down_energy = forward ? energy[2] - energy[1] : energy[1] - energy[2];
  const double by_mass = 1.0 / (donor * (forward ? volume[0] : volume[1]));
  const double sigma = fabs(flux) * donor * by_mass;
  const double mass = flux * (donor + (1.0 - sigma) * limited(up, down, sigma));
  const double sigma_mass = fabs(mass) * by_mass;
  return {mass, mass * (donor_energy + (1.0 - sigma_mass) * limited(up_energy, down_energy, sigma))};
}

/// What passes the middle between two nodes of a velocity, by the mass that does and the values at the two
/// nodes on each side.
KILN_DEVICE double pass_middle(double flux, double sigma, const double* velocity) {
  const bool back = flux < 0.0;
  const double donor = back ? velocity[2] : velocity[1];
  const double up = back ? velocity[2] - velocity[3] : velocity[1] - velocity[0];
  const double down = back ? velocity[1] - velocity[2] : velocity[2] - velocity[1];
  return flux * (donor + (1.0 - sigma) * limited(up, down, sigma));
}

}  // namespace clover
