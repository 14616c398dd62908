#pragma once

#include "layers.h"

#include "../tiles/pipeline.h"

// As conv2d, with a residual. With splits > 1 a block sums a part of the depth; the last block of a tile to
// arrive adds the parts, in their order, so that results do not depend on which one it is. `arrived` is 0
// before and after.

template <int Block>
__device__ void add_parts(const Finish& store, const float* parts, int* arrived, int row, int column,
                          const Params& p, int rank) {
  __shared__ int before;
  __threadfence();
  __syncthreads();
  if (rank == 0) before = atomicAdd(arrived, 1);
  __syncthreads();
  if (before != p.splits - 1) return;
  if (rank == 0) *arrived = 0;
  __threadfence();
  constexpr int count = 4;
  constexpr int line = Params::tile_n / count;
  constexpr int tile = Params::tile_m * Params::tile_n;
  for (int i = rank; i < Params::tile_m * line; i += Block) {
    const int r = i / line;
    const int c = i % line * count;
    float sums[count] = {};
    for (int split = 0; split < p.splits; ++split) {
      const auto part = kiln::load_pack<count>(parts + (long long)split * tile + r * Params::tile_n + c);
      KILN_UNROLL_ALL
      for (int e = 0; e < count; ++e) sums[e] += part.at[e];
    }
    tiles::store_run<count>(store, row + r, column + c, [&](int e) { return sums[e]; });
  }
}

template <class Copy, class Operation>
__device__ void convolve_block(T* __restrict__ y, const T* __restrict__ x, const T* __restrict__ w,
                               const float* __restrict__ bias, const T* __restrict__ residual,
                               float* __restrict__ parts, int* __restrict__ arrived, const Params& p) {
  extern __shared__ __align__(128) char memory[];
  const int rank = int(threadIdx.x);
  const Im2col a = source_a(x, 0, p);
  const auto b = source_b(w, 0, p);
  const tiles::TilePlace place = tiles::tile_place(int(blockIdx.x), (a.rows - 1) / Params::tile_m + 1,
                                                   (b.rows - 1) / Params::tile_n + 1, p.walk);
  const int row = place.row * Params::tile_m;
  const int column = place.column * Params::tile_n;
  const int steps = (a.depth + Params::tile_k - 1) / Params::tile_k;
  const int split = int(blockIdx.y);
  const int begin = steps * split / p.splits * Params::tile_k;
  const int behind = steps * (split + 1) / p.splits * Params::tile_k;
  const int end = behind < a.depth ? behind : a.depth;
  Operation operation;
  tiles::accumulate<Params::stages, Copy>(operation, a, b, row, column, begin, end, memory, rank);
  const Finish store = finish(y, residual, bias, p);
  if (p.splits == 1) {
    operation.store(rank, row, column, store);
    return;
  }
  constexpr int tile = Params::tile_m * Params::tile_n;
  float* tile_parts = parts + (long long)blockIdx.x * p.splits * tile;
  operation.store(rank, 0, 0,
                  tiles::Epilogue<float, float>{tile_parts + (long long)split * tile, Params::tile_n,
                                                Params::tile_m, Params::tile_n, 1, 0, nullptr});
  add_parts<Operation::block>(store, tile_parts, arrived + blockIdx.x, row, column, p, rank);
}
