#pragma once

// Products of many small matrices as plain C++ with OpenMP, no Kiln. Compiled with -O3 -march=native
// -fopenmp.
namespace kiln::bench {

/// d = a b for `batch` matrices of n x n, row by row, one after the other; n is 4, 8, 16 or 32.
void multiply_batch(float* d, const float* a, const float* b, int n, long batch);
void multiply_batch(double* d, const double* a, const double* b, int n, long batch);

}  // namespace kiln::bench
