#pragma once

#include "kiln/params.h"

#include "../tiles/epilogue.h"
#include "../tiles/matrix.h"

// d = alpha op(a) op(b) + beta c, all row by row; op transposes or does not.

constexpr bool k_of_a = !Params::trans_a;
constexpr bool k_of_b = Params::trans_b;
using Sum = Accumulator;
using SourceA = tiles::Matrix<T, k_of_a, Params::inside>;
using SourceB = tiles::Matrix<T, k_of_b, Params::inside>;

__device__ inline double float_or_double(double x) {
  return x;
}
template <class E>
__device__ inline float float_or_double(E x) {
  return float(x);
}

__device__ inline SourceA source_a(const T* a, const Params& p) {
  return {a, k_of_a ? p.k : p.m, p.m, p.k};
}
__device__ inline SourceB source_b(const T* b, const Params& p) {
  return {b, k_of_b ? p.k : p.n, p.n, p.k};
}
__device__ inline tiles::Epilogue<Out, Sum> epilogue(Out* d, const Out* c, const Params& p) {
  return {d, p.n, p.m, p.n, Sum(p.alpha), Sum(p.beta), c};
}
/// The sums of the tile that begins at (row, column) go to `store`; those of the part of its depth with the
/// number `split` to `parts`.
template <class Operation, class Store>
__device__ void store_sums(Operation& operation, int rank, int row, int column, int split, const Store& store,
                           Sum* parts, const Params& p) {
  if (p.splits == 1) {
    operation.store(rank, row, column, store);
  } else {
    Sum* part = parts + (long long)split * p.m * p.n;
    operation.store(rank, row, column, tiles::Epilogue<Sum, Sum>{part, p.n, p.m, p.n, Sum(1), Sum(0), part});
  }
}
__device__ inline tiles::TilePlace place_of_block(const Params& p) {
  return tiles::tile_place(int(blockIdx.x), (p.m + Params::tile_m - 1) / Params::tile_m,
                           (p.n + Params::tile_n - 1) / Params::tile_n, p.group);
}
