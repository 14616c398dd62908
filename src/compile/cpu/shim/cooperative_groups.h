// Stands in for <cooperative_groups.h>: the block, tiles of a warp, and what is done most with them.
#pragma once

namespace cooperative_groups {

class thread_block {
 public:
  void sync() const { __syncthreads(); }
  unsigned thread_rank() const { return KILN_LINEAR_THREAD(); }
  unsigned size() const { return blockDim.x * blockDim.y * blockDim.z; }
  unsigned num_threads() const { return size(); }
  dim3 group_index() const { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
  dim3 thread_index() const { return dim3(threadIdx.x, threadIdx.y, threadIdx.z); }
  dim3 dim_threads() const { return dim3(blockDim.x, blockDim.y, blockDim.z); }
};

KILN_SHIM thread_block this_thread_block() {
  return thread_block();
}
KILN_SHIM void sync(const thread_block& block) {
  block.sync();
}

/// `Size` neighbouring lanes: a power of two up to 32.
template <unsigned Size, class Parent = thread_block>
class thread_block_tile {
  static_assert(Size > 0 && Size <= 32 && (Size & (Size - 1)) == 0, "a tile has 1, 2, 4, 8, 16 or 32 lanes");
  static unsigned lane() { return KILN_LINEAR_THREAD() & 31u; }
  static unsigned first() { return lane() & ~(Size - 1u); }
  static unsigned mask() { return (Size == 32 ? 0xffffffffu : (1u << (Size & 31u)) - 1u) << first(); }

 public:
  void sync() const { __syncwarp(mask()); }
  unsigned thread_rank() const { return lane() - first(); }
  static constexpr unsigned size() { return Size; }
  static constexpr unsigned num_threads() { return Size; }
  unsigned meta_group_rank() const { return KILN_LINEAR_THREAD() / Size; }
  unsigned meta_group_size() const { return (blockDim.x * blockDim.y * blockDim.z + Size - 1u) / Size; }
  template <class V>
  V shfl(V value, int source) const {
    return __shfl_sync(mask(), value, source, Size);
  }
  template <class V>
  V shfl_up(V value, unsigned delta) const {
    return __shfl_up_sync(mask(), value, delta, Size);
  }
  template <class V>
  V shfl_down(V value, unsigned delta) const {
    return __shfl_down_sync(mask(), value, delta, Size);
  }
  template <class V>
  V shfl_xor(V value, int lane_mask) const {
    return __shfl_xor_sync(mask(), value, lane_mask, Size);
  }
  int any(int predicate) const { return __any_sync(mask(), predicate); }
  int all(int predicate) const { return __all_sync(mask(), predicate); }
  unsigned ballot(int predicate) const { return __ballot_sync(mask(), predicate) >> first(); }
};

template <unsigned Size, class Parent>
KILN_SHIM thread_block_tile<Size, Parent> tiled_partition(const Parent&) {
  return thread_block_tile<Size, Parent>();
}

template <class V>
struct plus {
  V operator()(V a, V b) const { return a + b; }
};
template <class V>
struct less {
  V operator()(V a, V b) const { return b < a ? b : a; }
};
template <class V>
struct greater {
  V operator()(V a, V b) const { return a < b ? b : a; }
};

/// Every lane of the tile gets the result.
template <class Tile, class V, class Operation>
KILN_SHIM V reduce(const Tile& tile, V value, Operation operation) {
  for (unsigned step = Tile::size() / 2; step > 0; step /= 2) {
    value = operation(value, tile.shfl_xor(value, static_cast<int>(step)));
  }
  return value;
}

}  // namespace cooperative_groups
