#pragma once

#include "epilogue.h"

namespace tiles {

/// Sums of an M x N tile whose depth is divided among blocks: each block stores its part, and the last one to
/// arrive adds them all, in their order, so that results do not depend on which one it is.
template <class Sum, int M, int N>
struct PartSums {
  static constexpr int size = M * N;  // of a part, in sums

  /// For an operation's `store`, from row and column 0 on.
  KILN_DEVICE static Epilogue<Sum, Sum> store_to(Sum* part) {
    return {part, N, M, N, Sum(1), Sum(0), nullptr};
  }
  /// `Block` work-items call it when they have stored their part; sync() is a barrier for them. part_at(i) is
  /// the i-th of `count` parts. The tile's counter `arrived` is 0 before the first and after the last. The
  /// result goes to `store`, from (row, column) on.
  template <int Block, class PartAt, class Store, class Sync>
  __device__ static void add(const PartAt& part_at, int count, int* arrived, const Store& store, int row,
                             int column, int rank, const Sync& sync) {
    __shared__ int before;
    __threadfence();
    sync();
    if (rank == 0) before = atomicAdd(arrived, 1);
    sync();
    const bool last = before == count - 1;
    sync();  // `before` may be written again
    if (!last) return;
    if (rank == 0) *arrived = 0;
    __threadfence();
    constexpr int wide = 16 / sizeof(Sum);
    constexpr int line = N / wide;
    for (int i = rank; i < M * line; i += Block) {
      Sum sum[wide] = {};
      for (int part = 0; part < count; ++part) {
        const auto pack = kiln::load_pack<wide>(part_at(part) + i * wide);
        KILN_UNROLL_ALL
        for (int e = 0; e < wide; ++e) sum[e] += pack.at[e];
      }
      store_run<wide>(store, row + i / line, column + i % line * wide, [&](int e) { return sum[e]; });
    }
  }
};

/// A tile of which `splits` blocks sum parts of the depth. `sums`: of all tiles, for each its parts.
template <class Sum, int M, int N>
struct SharedTile {
  using Sums = PartSums<Sum, M, N>;
  Sum* sums;
  int tile, splits;

  KILN_DEVICE Sum* part(int split) const { return sums + ((long long)tile * splits + split) * Sums::size; }
  /// For an operation's `store`, from row and column 0 on.
  KILN_DEVICE Epilogue<Sum, Sum> of(int split) const { return Sums::store_to(part(split)); }
  /// As PartSums::add, with the counters of all tiles.
  template <int Block, class Store, class Sync>
  __device__ void add(const Store& store, int* arrived, int row, int column, int rank,
                      const Sync& sync) const {
    Sums::template add<Block>([&](int split) { return part(split); }, splits, arrived + tile, store, row,
                              column, rank, sync);
  }
};

}  // namespace tiles
