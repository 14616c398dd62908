#include "sparse_loops.h"

namespace kiln::bench {
namespace {

template <class T>
void rows_of(T* __restrict__ y, const int* __restrict__ row_offsets, const int* __restrict__ column_indices,
             const T* __restrict__ values, const T* __restrict__ x, int rows) {
#pragma omp parallel for
  for (int row = 0; row < rows; ++row) {
    T sum = 0;
    for (int k = row_offsets[row]; k < row_offsets[row + 1]; ++k) sum += values[k] * x[column_indices[k]];
    y[row] = sum;
  }
}

}  // namespace

void multiply_rows(float* y, const int* row_offsets, const int* column_indices, const float* values,
                   const float* x, int rows) {
  rows_of(y, row_offsets, column_indices, values, x, rows);
}
void multiply_rows(double* y, const int* row_offsets, const int* column_indices, const double* values,
                   const double* x, int rows) {
  rows_of(y, row_offsets, column_indices, values, x, rows);
}

}  // namespace kiln::bench
