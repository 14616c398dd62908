#pragma once

#include <cstddef>

// The workloads' work as plain C++ with OpenMP: sizes at run time, no Kiln. Compiled with -O3 -march=native
// -fopenmp.
namespace kiln::bench {

void copy(double* c, const double* a, std::size_t n);
void mul(double* b, const double* c, double scalar, std::size_t n);
void add(double* c, const double* a, const double* b, std::size_t n);
void triad(double* a, const double* b, const double* c, double scalar, std::size_t n);
[[nodiscard]] double dot(const double* a, const double* b, std::size_t n);

/// Seven-point Laplacian of u on a unit cube with nx * ny * nz points, interior only.
void laplacian(double* f, const double* u, int nx, int ny, int nz);
void laplacian(float* f, const float* u, int nx, int ny, int nz);

struct Atom {
  float x, y, z;
  int type;
};
struct AtomType {
  int bond;
  float radius, hydrophobicity, charge;
};
/// miniBUDE's energies; `poses` holds six arrays of `nposes`. `fasten` has the formula's cases as clamps, as
/// the implementation `tuned` has, `fasten_cases` as cases; `_no_errno` are the same compiled with
/// -fno-math-errno as well.
using FastenLoop = void(float* energies, const float* poses, const Atom* ligand, const Atom* protein,
                        const AtomType* forcefield, int nposes, int natlig, int natpro);
FastenLoop fasten, fasten_no_errno, fasten_cases, fasten_cases_no_errno;

}  // namespace kiln::bench
