#pragma once

#include <cstddef>

// su3's products as plain C++ with OpenMP: sizes at run time, no Kiln. Compiled with -O3 -march=native
// -fopenmp.
namespace kiln::bench {

/// c = a b on `sites` sites of `stride` numbers, 72 of them in their links. Rows of links as vectors of eight
/// numbers, as the implementation `tuned` has them on a CPU.
void su3_rows(float* c, const float* a, const float* b, std::size_t sites, std::size_t stride);
void su3_rows(double* c, const double* a, const double* b, std::size_t sites, std::size_t stride);

/// The same, a turn of the loop for each element of c, as the implementation `paper` has.
void su3_elements(float* c, const float* a, const float* b, std::size_t sites, std::size_t stride);
void su3_elements(double* c, const double* a, const double* b, std::size_t sites, std::size_t stride);

/// The same, loops over sites, links, rows and columns.
void su3_nest(float* c, const float* a, const float* b, std::size_t sites, std::size_t stride);
void su3_nest(double* c, const double* a, const double* b, std::size_t sites, std::size_t stride);

}  // namespace kiln::bench
