#pragma once

#include "gemm.h"

#include "../tiles/pipeline_tma.h"

using Blocks = tiles::Cluster<Params::cluster_m, Params::cluster_n>;

// Tiles of clusters in the order of tile_place; with splits > 1 parts of the depth follow each other.
struct Works {
  Params p;
  int down, across, count;
  __device__ tiles::Work at(int index) const {
    const tiles::TilePlace place = tiles::tile_place(index % (down * across), down, across, p.group);
    const int split = index / (down * across);
    const int steps = (p.k + Params::tile_k - 1) / Params::tile_k;
    return {(place.row * Blocks::down + Blocks::y()) * Params::tile_m,
            (place.column * Blocks::across + Blocks::x()) * Params::tile_n,
            int((long long)steps * split / p.splits) * Params::tile_k,
            int((long long)steps * (split + 1) / p.splits) * Params::tile_k, split};
  }
};
__device__ inline Works all_works(const Params& p) {
  const int down = (p.m - 1) / (Params::tile_m * Blocks::down) + 1;
  const int across = (p.n - 1) / (Params::tile_n * Blocks::across) + 1;
  return {p, down, across, down * across * p.splits};
}

// All tiles of d, by an operation on boxes.
template <class Operation>
KILN_DEVICE void gemm_boxes(const Operation& operation, Out* d, Sum* parts, const CUtensorMap& a,
                            const CUtensorMap& b, const Out* c, const Params& p) {
  extern __shared__ char memory[];
  tiles::run_boxes<Blocks, Params::stages>(
      operation, all_works(p), tiles::boxes_of_a<typename Operation::LayoutA, Blocks>(a),
      tiles::boxes_of_b<typename Operation::LayoutB, Blocks>(b), memory,
      [&](Operation& done, const tiles::Work& work, int rank) {
        store_sums(done, rank, work.row, work.column, work.split, d, parts, c, p);
      });
}
