#include "../conv2d/im2col_boxes.h"

#include "layers.h"

#include "../tiles/cluster_sums.h"
#include "../tiles/overlap.h"

using Sums = tiles::ClusterSums<Params::tile_m, Params::tile_n>;

// Patches by filters. Without parts in clusters of patches that follow each other; with parts a cluster has
// those of one tile, and a block one piece of work.
struct PartWorks {
  Params p;
  int down, across;
  int count;
  __device__ tiles::Work at(int index) const {
    const int split = index % p.splits;
    const tiles::TilePlace place = tiles::tile_place(index / p.splits, down, across, p.walk);
    const int steps = p.c * p.filter_h * p.filter_w / PixelTile::depth;
    return {(place.row * Blocks::down + Blocks::y()) * Params::tile_m, place.column * Params::tile_n,
            steps * split / p.splits * PixelTile::depth, steps * (split + 1) / p.splits * PixelTile::depth,
            split};
  }
};

/// Pixels that the launch before has written.
struct LaterPixelBoxes : PixelBoxes {
  bool& waits;
  __device__ void load(T* to, tiles::Barrier& barrier, int row, int k) const {
    if (waits) tiles::wait_for_launches_before();
    waits = false;
    PixelBoxes::load(to, barrier, row, k);
  }
};

/// FinishWith, for rows that count the pixels of patches.
template <bool Add>
struct FinishPatches : FinishWith<Add> {
  using Base = FinishWith<Add>;
  Patch patch;
  KILN_DEVICE bool inside(int row, int column) const {
    return patch.pixel(row) >= 0 && column < Base::columns;
  }
  KILN_DEVICE T* address(int row, int column) const { return Base::address(patch.pixel(row), column); }
  KILN_DEVICE T value(int row, int column, float sum) const {
    return Base::value(patch.pixel(row), column, sum);
  }
};

/// The residual of a tile is on its way while the tile is summed: as 16 bytes of a row, which lanes that share
/// the row then exchange (as store_fragments).
constexpr bool early_residual = Params::add && sizeof(T) == 2;
struct Operation : tiles::Wgmma<PixelTile, FilterTile, Params::each_m> {
  using Base = tiles::Wgmma<PixelTile, FilterTile, Params::each_m>;
  static constexpr int groups = Base::N / 32;
  const FinishPatches<Params::add>& place;
  bool waits = true;
  unsigned residual[early_residual ? Base::own_rows : 1][groups][4];

  __device__ bool loads() const { return early_residual && place.wide(8) && place.patch.p.splits == 1; }
  __device__ void begin(int row, int column, int k, int rank) {
    Base::begin(row, column, k, rank);
    if (waits) tiles::wait_for_launches_before();
    waits = false;
    if constexpr (early_residual) {
      if (!loads()) return;
      KILN_UNROLL_ALL
      for (int i = 0; i < Base::own_rows; ++i) {
        const int r = row + Base::row_of(rank, i);
        KILN_UNROLL_ALL
        for (int j = 0; j < groups; ++j) {
          const int c = column + (j * 4 + rank % 4) * 8;
          const bool inside = place.inside(r, c);
          const auto pack = inside ? kiln::load_pack<4>(reinterpret_cast<const unsigned*>(
                                         place.residual + (place.address(r, c) - place.y)))
                                   : kiln::Pack<unsigned, 4>{};
          KILN_UNROLL_ALL
          for (int w = 0; w < 4; ++w) residual[i][j][w] = pack.at[w];
        }
      }
    }
  }
  __device__ void add_residual(int rank) {
    if constexpr (early_residual) {
      KILN_UNROLL_ALL
      for (int i = 0; i < Base::own_rows; ++i) {
        KILN_UNROLL_ALL
        for (int j = 0; j < groups; ++j) {
          tiles::turn(residual[i][j], rank % 4, 1);
          KILN_UNROLL_ALL
          for (int w = 0; w < 4; ++w) {
            const T* two = reinterpret_cast<const T*>(&residual[i][j][w]);
            KILN_UNROLL_ALL
            for (int e = 0; e < 2; ++e)
              Base::sums[i / 2][(j * 4 + w) * 4 + i % 2 * 2 + e] += float(two[e]);
          }
        }
      }
    }
  }
};

extern "C" __global__ void KILN_LAUNCH_BOUNDS_convolve_wgmma convolve_wgmma(
    T* __restrict__ y, const __grid_constant__ CUtensorMap x, const __grid_constant__ CUtensorMap w,
    const float* __restrict__ bias, const T* residual, const Params p) {
  extern __shared__ char memory[];
  const Patch patch{p};
  const int down = (patch.count() - 1) / Blocks::down + 1;
  const int across = (p.filters - 1) / Params::tile_n + 1;
  const FinishPatches<Params::add> store{finish(y, residual, bias, p), patch};
  const PartWorks works{p, down, across, down * across * p.splits};
  float* const part = reinterpret_cast<float*>(tiles::align_shared(memory, 1024));
  bool waits = true;
  tiles::run_boxes<Blocks, Params::stages>(
      Operation{{}, store}, works, LaterPixelBoxes{{x, patch, 0}, waits},
      FilterBoxes{tiles::boxes_of_b<FilterTile::OfTap, Blocks>(w), p, 0}, memory,
      [&](Operation& done, const tiles::Work& work, int rank) {
        if (p.splits > 1) {
          tiles::sync_computing<Operation::block>();  // parts take the place of the stages
          done.store(rank, 0, 0, Sums::Part{part});
        } else if (done.loads()) {
          done.add_residual(rank);
          done.store(rank, work.row, work.column,
                          FinishPatches<false>{{y, nullptr, bias, store.rows, store.columns}, patch});
        } else {
          done.store(rank, work.row, work.column, store);
        }
      });
  if (threadIdx.x == 0) tiles::let_next_start();  // all that the block loads is on its way
  if (p.splits == 1) return;
  tiles::sync_cluster();
  if (threadIdx.x >= 128) {
    const tiles::Work work = works.at(int(blockIdx.x));
    Sums::add<Operation::block>(part, p.splits, work.split, store, work.row, work.column,
                                int(threadIdx.x) - 128);
  }
  tiles::sync_cluster();  // the others read this block's part
}
