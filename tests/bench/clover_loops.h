#pragma once

// Two passes of workload cloverleaf as plain C++ with OpenMP, in the structure of its implementation `tuned`
// on a CPU: sizes at run time, what a cell or node needs of its faces computed for each. Compiled like
// openmp_loops.h.
namespace kiln::bench {

/// A grid whose fields have rows of `pitch` numbers, with cell (0, 0) at `first`.
struct CloverGrid {
  int nx, ny, pitch, first;
  double volume;
};

/// The first sweep of a step along x: density and energy, and the mass through each face.
void remap_cells_x(double* density_out, double* energy_out, double* mass_flux, const double* density,
                   const double* energy, const double* vol_flux_x, const double* vol_flux_y,
                   const CloverGrid& grid);

/// The second sweep along y: both velocities.
void remap_nodes_y(double* xvel_out, double* yvel_out, const double* xvel, const double* yvel,
                   const double* density, const double* mass_flux, const CloverGrid& grid);

}  // namespace kiln::bench
