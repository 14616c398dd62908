#pragma once

#include "fragments.h"
#include "pipeline_tma.h"

namespace tiles {

/// Tiles in the order of tile_place, those of a cluster below each other, each in `splits` parts of the depth
/// of `steps` steps of `Depth`. Parts of a tile follow each other: with clusters of `splits` blocks these
/// have one.
template <class Cluster, int M, int N, int Depth>
struct TilesInParts {
  int down, across, walk, splits, steps, count;

  /// `rows` of tiles and `columns` of the product.
  KILN_DEVICE TilesInParts(int rows, int columns, int depth, int parts, int together)
      : down((rows - 1) / Cluster::down + 1),
        across((columns - 1) / N + 1),
        walk(together),
        splits(parts),
        steps(depth / Depth),
        count(down * across * parts) {}
  __device__ Work at(int index) const {
    const int split = index % splits;
    const TilePlace place = tile_place(index / splits, down, across, walk);
    return {(place.row * Cluster::down + Cluster::y()) * M, place.column * N, steps * split / splits * Depth,
            steps * (split + 1) / splits * Depth, split};
  }
};

/// 16 bytes of a block of the cluster, `own` being their place in this one's shared memory.
__device__ inline kiln::Pack<float, 4> load_of_block(const float* own, int block) {
  kiln::Pack<float, 4> pack;
  asm volatile(
      "{\n.reg .b32 there;\n"
      "mapa.shared::cluster.u32 there, %4, %5;\n"
      "ld.shared::cluster.v4.f32 {%0, %1, %2, %3}, [there];\n}"
      : "=f"(pack.at[0]), "=f"(pack.at[1]), "=f"(pack.at[2]), "=f"(pack.at[3])
      : "r"(shared_address(own)), "r"(block)
      : "memory");
  return pack;
}

/// Sums of an M x N tile whose depth is divided among the blocks of a cluster: each leaves its part in its
/// shared memory, and adds all parts of a share of the tile, in their order.
template <int M, int N>
struct ClusterSums {
  static constexpr int pitch = N + 8;  // lanes that store two sums each find them in different banks
  static constexpr int bytes = M * pitch * 4;

  /// For an operation's `store`, from row and column 0 on: the block's part, 16-byte aligned.
  struct Part {
    using Out = float;
    float* sums;
    KILN_DEVICE bool inside(int, int) const { return true; }
    KILN_DEVICE float* address(int row, int column) const { return sums + row * pitch + column; }
    KILN_DEVICE bool wide(int count) const { return count <= 2; }  // stores of more are to global memory
    KILN_DEVICE float value(int, int, float sum) const { return sum; }
  };
  /// Where a block leaves its part: in place of the stages, in dynamic shared memory.
  __device__ static float* part_in(char* memory) {
    return reinterpret_cast<float*>(align_shared(memory, 1024));
  }
  /// Leaves an operation's sums; its work-items call it once nothing is read of the stages but by them.
  template <class Operation>
  __device__ static void leave(const Operation& operation, char* memory, int rank) {
    sync_computing<Operation::block>();
    operation.store(rank, 0, 0, Part{part_in(memory)});
  }
  /// All work-items of all blocks, once each has left its part of the tile of `work`; those that compute
  /// follow the first 128.
  template <class Operation, class Store>
  __device__ static void add_all(char* memory, int count, const Work& work, const Store& store) {
    sync_cluster();
    if (threadIdx.x >= 128)
      add<Operation::block>(part_in(memory), count, work.split, store, work.row, work.column,
                            int(threadIdx.x) - 128);
    sync_cluster();  // the others read this block's part
  }
  /// `Block` work-items of each of `count` blocks call it between two barriers of the cluster; `block` is
  /// this one's rank. The share's results go to `store`, from (row, column) on.
  template <int Block, class Store>
  __device__ static void add(const float* part, int count, int block, const Store& store, int row, int column,
                             int rank) {
    constexpr int line = N / 4;
    for (int i = block * Block + rank; i < M * line; i += count * Block) {
      float sum[4] = {};
      KILN_UNROLL(8)
      for (int other = 0; other < count; ++other) {
        const auto pack = load_of_block(part + i / line * pitch + i % line * 4, other);
        KILN_UNROLL_ALL
        for (int e = 0; e < 4; ++e) sum[e] += pack.at[e];
      }
      store_run<4>(store, row + i / line, column + i % line * 4, [&](int e) { return sum[e]; });
    }
  }
};

}  // namespace tiles
