#pragma once

#include "gemm.h"

#include "../tiles/pipeline_tma.h"

// Blocks of a cluster by the rows of operand A and B, which have changed places where a product is turned.
template <bool Turned>
using Blocks = tiles::Cluster<Turned ? Params::cluster_n : Params::cluster_m,
                              Turned ? Params::cluster_m : Params::cluster_n>;

// Tiles of clusters in the order of tile_place; with splits > 1 parts of the depth follow each other.
template <bool Turned>
struct Works {
  Params p;
  int down, across, count;
  __device__ tiles::Work at(int index) const {
    const tiles::TilePlace place = tiles::tile_place(index % (down * across), down, across, p.group);
    const int split = index / (down * across);
    const int steps = (p.k + Params::tile_k - 1) / Params::tile_k;
    const int y = Turned ? Blocks<Turned>::x() : Blocks<Turned>::y();
    const int x = Turned ? Blocks<Turned>::y() : Blocks<Turned>::x();
    const int row = (place.row * Params::cluster_m + y) * Params::tile_m;
    const int column = (place.column * Params::cluster_n + x) * Params::tile_n;
    return {Turned ? column : row, Turned ? row : column,
            int((long long)steps * split / p.splits) * Params::tile_k,
            int((long long)steps * (split + 1) / p.splits) * Params::tile_k, split};
  }
};
template <bool Turned>
__device__ Works<Turned> all_works(const Params& p) {
  const int down = (p.m - 1) / (Params::tile_m * Params::cluster_m) + 1;
  const int across = (p.n - 1) / (Params::tile_n * Params::cluster_n) + 1;
  return {p, down, across, down * across * p.splits};
}

// All tiles of d, by an operation on boxes.
template <class Operation>
KILN_DEVICE void gemm_boxes(const Operation& operation, Out* d, Sum* parts, const CUtensorMap& a,
                            const CUtensorMap& b, const Out* c, const Params& p) {
  constexpr bool turned = Operation::turned;
  using Cluster = Blocks<turned>;
  extern __shared__ char memory[];
  tiles::run_boxes<Cluster, Params::stages>(
      operation, all_works<turned>(p),
      tiles::boxes_of_a<typename Operation::LayoutA, Cluster>(turned ? b : a),
      tiles::boxes_of_b<typename Operation::LayoutB, Cluster>(turned ? a : b), memory,
      [&](Operation& done, const tiles::Work& work, int rank) {
        store_sums(done, rank, turned ? work.column : work.row, turned ? work.row : work.column, work.split,
                   d, parts, c, p);
      });
}
