#pragma once

#include "../conv2d/im2col_boxes.h"

#include "layers.h"

#include "../tiles/cluster_sums.h"
#include "../tiles/overlap.h"

using Sums = tiles::ClusterSums<Params::tile_m, Params::tile_n>;
using Works = tiles::TilesInParts<Blocks, Params::tile_m, Params::tile_n, PixelTile::depth>;

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

/// Of sums that have bias and residual, as lines (see store_fragments).
struct FinishLines : FinishPatches<false> {
  KILN_DEVICE T* line(int row) const {
    const int at = patch.pixel(row);
    return at < 0 ? nullptr : FinishWith<false>::address(at, 0);
  }
  KILN_DEVICE float finished(float sum) const { return Params::relu && sum < 0 ? 0.0f : sum; }
  KILN_DEVICE T value(int, int, float sum) const { return T(finished(sum)); }
};

/// An operation with the residual of its tile, whose sums in 2 bytes begin with the bias. A lane loads 16
/// bytes of a row at once, and lanes that share the row then exchange words (as store_fragments): in 2 bytes
/// while the tile is summed, else afterwards.
template <class Base>
struct WithResidual : Base {
  static constexpr bool early = sizeof(T) == 2;
  static constexpr int each = 8 / int(sizeof(T));  // pieces of 8 columns that lanes exchange
  static constexpr int groups = Base::N / 8 / each;
  static constexpr int rows = Base::M * 4 / Base::block;  // of a lane
  const FinishPatches<Params::add>& place;
  bool waits = true;
  unsigned residual[Params::add ? rows : 1][groups][4];

  template <class... Arguments>
  __device__ explicit WithResidual(const FinishPatches<Params::add>& finish, Arguments... arguments)
      : Base(arguments...), place(finish) {}

  __device__ bool loads() const {
    return Params::add && place.wide(16 / int(sizeof(T))) && place.patch.p.splits == 1;
  }
  __device__ bool begins_with_bias() const {
    return early && place.patch.p.splits == 1 && (!Params::add || loads());
  }
  __device__ void begin(int row, int column, int k, int rank) {
    if (waits) tiles::wait_for_launches_before();
    waits = false;
    if constexpr (early) {
      const bool biased = begins_with_bias();
      Base::begin_with(
          rank, [&](int c) { return biased && column + c < place.columns ? place.bias[column + c] : 0.0f; });
    } else {
      Base::begin(row, column, k, rank);
    }
    if (early && loads()) load(row, column, rank);
  }
  __device__ void load(int row, int column, int rank) {
    if constexpr (Params::add) {
      const int quarter = rank % 4;
      KILN_UNROLL_ALL
      for (int i = 0; i < rows; ++i) {
        const int r = row + Base::row_of(rank, i);
        KILN_UNROLL_ALL
        for (int j = 0; j < groups; ++j) {
          const int c =
              column + (early ? (j * 4 + quarter) * 8 : (j * 2 + quarter % 2) * 8 + quarter / 2 * 4);
          const auto pack = place.inside(r, c) ? kiln::load_pack<4>(reinterpret_cast<const unsigned*>(
                                                     place.residual + (place.address(r, c) - place.y)))
                                               : kiln::Pack<unsigned, 4>{};
          KILN_UNROLL_ALL
          for (int w = 0; w < 4; ++w) residual[i][j][w] = pack.at[w];
        }
      }
    }
  }
  /// What stands in `residual` to the sums.
  __device__ void add(int rank) {
    if constexpr (Params::add) {
      KILN_UNROLL_ALL
      for (int i = 0; i < rows; ++i) {
        KILN_UNROLL_ALL
        for (int j = 0; j < groups; ++j) {
          unsigned(&words)[4] = residual[i][j];
          if constexpr (early) {
            tiles::turn(words, rank % 4, 1);
          } else {
            tiles::exchange(words[0], words[2], rank % 2 != 0, 1);
            tiles::exchange(words[1], words[3], rank % 2 != 0, 1);
          }
          KILN_UNROLL_ALL
          for (int w = 0; w < 4; ++w) {
            const T* some = reinterpret_cast<const T*>(&words[w]);
            KILN_UNROLL_ALL
            for (int e = 0; e < 4 / int(sizeof(T)); ++e)
              sum_of(Base::sums, i,
                     early ? (j * 4 + w) * 4 + i % 2 * 2 + e : (j * 2 + w / 2) * 4 + i % 2 * 2 + w % 2) +=
                  float(some[e]);
          }
        }
      }
    }
  }

 private:
  template <int Tall, int Count>
  __device__ static float& sum_of(float (&sums)[Tall][Count], int i, int n) {
    return sums[i / 2][n];
  }
  template <int Count>
  __device__ static float& sum_of(float (&sums)[Count], int, int n) {
    return sums[n];
  }
};

extern __shared__ char memory[];

/// All tiles of the block. `operation` is made of `place` and `arguments`.
template <class Base, class... Arguments>
KILN_DEVICE void convolve_boxes(T* y, const CUtensorMap& x, const CUtensorMap& w, const float* bias,
                                const T* residual, const Params& p, Arguments... arguments) {
  using Operation = WithResidual<Base>;
  const Patch patch{p};
  const FinishPatches<Params::add> store{finish(y, residual, bias, p), patch};
  const Works works(patch.count(), p.filters, p.c * p.filter_h * p.filter_w, p.splits, p.walk);
  const PixelBoxes pixels{x, patch, 0};
  bool waits = true;
  tiles::run_boxes<Blocks, Params::stages>(
      Operation(store, arguments...), works, tiles::LaterBoxes<PixelBoxes>{pixels, waits},
      FilterBoxes{tiles::boxes_of_b<FilterTile::OfTap, Blocks>(w), p, 0}, memory,
      [&](Operation& done, const tiles::Work& work, int rank) {
        if (p.splits > 1) {
          Sums::leave(done, memory, rank);
        } else if (done.begins_with_bias()) {
          if (Params::add) done.add(rank);
          done.store(rank, work.row, work.column,
                     FinishLines{{{y, nullptr, bias, store.rows, store.columns}, patch}});
        } else if (done.loads()) {
          done.load(work.row, work.column, rank);
          done.add(rank);
          done.store(rank, work.row, work.column,
                     FinishPatches<false>{{y, nullptr, bias, store.rows, store.columns}, patch});
        } else {
          done.store(rank, work.row, work.column, store);
        }
      });
  if (threadIdx.x == 0) tiles::let_next_start();  // all that the block loads is on its way
  if (p.splits > 1) Sums::add_all<Operation>(memory, p.splits, works.at(int(blockIdx.x)), store);
}
