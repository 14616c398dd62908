#pragma once

// What the kernels of barrier_kernels.h compute, as plain C++ with OpenMP.
namespace kiln::bench {

/// Inner points of an n x n grid.
void jacobi_loop(float* out, const float* in, int n);
/// Two steps on an n x n grid whose edges are mirrored.
void hotspot_loop(float* out, float* between, const float* in, const float* power, int n);
void layernorm_loop(float* out, const float* in, int rows, int width);
/// n x n; n a multiple of 64.
void gemm_loop(float* c, const float* a, const float* b, int n);
/// Exclusive prefix sums, and sums, of segments of 512.
void scan_loop(float* out, const float* in, int segments);
void reduce_loop(float* out, const float* in, int segments);
/// Sorts segments of 1024 by the same network.
void bitonic_loop(float* data, int segments);
void transpose_loop(float* out, const float* in, int n);

}  // namespace kiln::bench
