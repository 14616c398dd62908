#include "gemm.h"

#include "../tiles/pipeline_tma.h"
#include "../tiles/wgmma.h"

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

extern "C" __global__ void KILN_LAUNCH_BOUNDS_gemm_wgmma gemm_wgmma(Out* __restrict__ d,
                                                                    Sum* __restrict__ parts,
                                                                    const __grid_constant__ CUtensorMap a,
                                                                    const __grid_constant__ CUtensorMap b,
                                                                    const Out* __restrict__ c,
                                                                    const Params p) {
  using Operation =
      tiles::Wgmma<T, Params::tile_m, Params::tile_n, Params::each_m, k_of_a, k_of_b>;
  extern __shared__ char memory[];
  tiles::run_boxes<Operation, Blocks, Params::stages>(
      all_works(p), tiles::boxes_of_a<Operation::LayoutA, Blocks>(a),
      tiles::boxes_of_b<Operation::LayoutB, Blocks>(b), memory,
      [&](const Operation& operation, const tiles::Work& work, int rank) {
        store_sums(operation, rank, work.row, work.column, work.split, d, parts, c, p);
      });
}
