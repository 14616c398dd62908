#pragma once

// A sparse matrix in compressed rows times a vector as plain C++ with OpenMP, no Kiln. Compiled with -O3
// -march=native -fopenmp.
namespace kiln::bench {

/// y = A x; rows in equal parts for the threads.
void multiply_rows(float* y, const int* row_offsets, const int* column_indices, const float* values,
                   const float* x, int rows);
void multiply_rows(double* y, const int* row_offsets, const int* column_indices, const double* values,
                   const double* x, int rows);

}  // namespace kiln::bench
