// HPCCG's three kernels by Kiln, behind calls that HPCCG's own functions can make. The variable HPCCG_DEVICE
// names the device ("cpu", "cuda:0"; by default cpu). Vectors are known by their host addresses; what HPCCG's
// host code does with them between begin and end is not seen.
#pragma once

/// Takes the matrix over and, if they are wanted, compiles the kernels for rows as long as its longest. Says
/// what that cost.
void kiln_begin(int nrow, const int* nnz_in_row, const double* const* values, const int* const* columns,
                const double* b, const double* x);
/// y = A x
int kiln_sparsemv(const double* x, double* y);
/// w = alpha x + beta y
int kiln_waxpby(double alpha, const double* x, double beta, const double* y, double* w);
/// result = x . y; waits for it.
int kiln_ddot(const double* x, const double* y, double* result);
/// Waits for all that was called.
void kiln_wait();
/// Copies the solution back to x.
void kiln_end(double* x);
