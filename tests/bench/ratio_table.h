#pragma once

#include "figures.h"
#include "kiln/kiln.h"
#include "pair_timer.h"

// The rows of `kiln_bench --cpu-ratios`.
namespace kiln::bench {

class OpenClProgram;

/// A kernel's time beside an OpenMP loop's; `bytes` that it has to move, or 0.
void print_row(const char* name, double bytes, const Pair& pair, double goal);

/// A wrong loop would make the ratio worthless: throws Error.
void require_close(const char* what, double value, double expected, double rtol);

/// Two passes of cloverleaf, tuned: the remap of cells along x, and of nodes along y.
void clover_ratios(const WorkloadHandle& clover, const DeviceHandle& cpu, int rounds);

/// Both implementations of su3.
void su3_ratios(const WorkloadHandle& su3, const DeviceHandle& cpu, int rounds);

/// Both implementations of hartree_fock.
void fock_ratios(const WorkloadHandle& fock, const DeviceHandle& cpu, int rounds);

/// Both implementations of xsbench.
void cross_section_ratios(const WorkloadHandle& workload, const DeviceHandle& cpu, int rounds);

/// spmv in chunks of rows.
void sparse_ratios(const WorkloadHandle& spmv, const DeviceHandle& cpu, int rounds);

/// Both precisions of batched_gemm, n = 4 to 32.
void batched_ratios(const WorkloadHandle& batched, const DeviceHandle& cpu, int rounds);

/// Kernels with barriers and warp operations; with `opencl` those without warp operations, beside the same
/// kernels in it.
void barrier_ratios(const Service& service, const DeviceHandle& cpu, int rounds, OpenClProgram* opencl);

}  // namespace kiln::bench
