// Stands in for <cooperative_groups.h> and the headers under it: the grid, the block, tiles,
// groups of lanes, reductions, scans and copies.
#pragma once

namespace cooperative_groups {

class thread_block {
 public:
  struct arrival_token {};
  static void sync() { __syncthreads(); }
  static arrival_token barrier_arrive() { return {}; }
  static void barrier_wait(arrival_token&&) { sync(); }
  static unsigned thread_rank() { return KILN_LINEAR_THREAD(); }
  static unsigned size() { return blockDim.x * blockDim.y * blockDim.z; }
  static unsigned num_threads() { return size(); }
  static dim3 group_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
  static dim3 thread_index() { return dim3(threadIdx.x, threadIdx.y, threadIdx.z); }
  static dim3 dim_threads() { return dim3(blockDim.x, blockDim.y, blockDim.z); }
  static dim3 group_dim() { return dim_threads(); }
};

/// What a GPU needs for tiles of several warps.
template <unsigned MaxBlockSize = 1024>
struct block_tile_memory {};

KILN_SHIM thread_block this_thread_block() {
  return thread_block();
}
template <unsigned MaxBlockSize>
KILN_SHIM thread_block this_thread_block(block_tile_memory<MaxBlockSize>&) {
  return thread_block();
}

class cluster_group;  // a part of the shim has it (clusters.h), where a text names clusters

/// The grid, whose blocks run at the same time in a cooperative launch; only there it can synchronise.
class grid_group {
 public:
  struct arrival_token {};
  bool is_valid() const { return kiln_worker->cooperative != 0; }
  void sync(unsigned line = __builtin_LINE()) const {
    const unsigned x = threadIdx.x, y = threadIdx.y, z = threadIdx.z;
    kiln_worker->services->grid_sync(kiln_worker, line, 0);
    threadIdx.x = x;
    threadIdx.y = y;
    threadIdx.z = z;
  }
  arrival_token barrier_arrive() const { return arrival_token(); }
  void barrier_wait(arrival_token&&, unsigned line = __builtin_LINE()) const { sync(line); }
  static unsigned long long num_blocks() {
    return static_cast<unsigned long long>(gridDim.x) * gridDim.y * gridDim.z;
  }
  static unsigned long long block_rank() {
    return blockIdx.x + static_cast<unsigned long long>(gridDim.x) * (blockIdx.y + gridDim.y * blockIdx.z);
  }
  static unsigned long long size() { return num_blocks() * thread_block::size(); }
  static unsigned long long num_threads() { return size(); }
  static unsigned long long thread_rank() {
    return block_rank() * thread_block::size() + thread_block::thread_rank();
  }
  static dim3 thread_index() {
    return dim3(blockIdx.x * blockDim.x + threadIdx.x, blockIdx.y * blockDim.y + threadIdx.y,
                blockIdx.z * blockDim.z + threadIdx.z);
  }
  static dim3 dim_threads() {
    return dim3(gridDim.x * blockDim.x, gridDim.y * blockDim.y, gridDim.z * blockDim.z);
  }
  static dim3 dim_blocks() { return dim3(gridDim.x, gridDim.y, gridDim.z); }
  static dim3 group_dim() { return dim_blocks(); }
  static dim3 block_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
  static dim3 dim_clusters() { return kiln::cpu::clusters_of_grid(); }
  static dim3 cluster_index() { return kiln::cpu::cluster_of_block(); }
  static unsigned long long num_clusters() {
    const dim3 clusters = dim_clusters();
    return static_cast<unsigned long long>(clusters.x) * clusters.y * clusters.z;
  }
  static unsigned long long cluster_rank() {
    const dim3 clusters = dim_clusters(), index = cluster_index();
    return index.x + static_cast<unsigned long long>(clusters.x) * (index.y + clusters.y * index.z);
  }
};

KILN_SHIM grid_group this_grid() {
  return grid_group();
}

/// Lanes of a warp: what groups of fewer work-items than a block have in common. `Group` gives members(), the
/// mask of its lanes.
template <class Group>
class lanes {
  unsigned members() const { return static_cast<const Group*>(this)->members(); }
  static unsigned lane() { return KILN_LINEAR_THREAD() & 31u; }
  /// The lane that has a rank; the caller's own where none has.
  unsigned lane_of(unsigned rank) const {
    return rank < size() ? static_cast<const Group*>(this)->lane_at(rank) : lane();
  }

 public:
  using cooperative_group = Group;
  void sync() const { __syncwarp(members()); }
  unsigned thread_rank() const {
    return static_cast<unsigned>(__builtin_popcount(members() & ((1u << lane()) - 1u)));
  }
  unsigned size() const { return static_cast<unsigned>(__builtin_popcount(members())); }
  unsigned num_threads() const { return size(); }
  template <class V>
  V shfl(V value, int source) const {
    return kiln_shuffle_large(members(), value, lane_of(static_cast<unsigned>(source) % size()));
  }
  template <class V>
  V shfl_up(V value, unsigned delta) const {
    const unsigned rank = thread_rank();
    return kiln_shuffle_large(members(), value, rank >= delta ? lane_of(rank - delta) : lane());
  }
  template <class V>
  V shfl_down(V value, unsigned delta) const {
    return kiln_shuffle_large(members(), value, lane_of(thread_rank() + delta));
  }
  template <class V>
  V shfl_xor(V value, int rank_mask) const {
    return kiln_shuffle_large(members(), value, lane_of(thread_rank() ^ static_cast<unsigned>(rank_mask)));
  }
  int any(int predicate) const { return __any_sync(members(), predicate); }
  int all(int predicate) const { return __all_sync(members(), predicate); }
  unsigned ballot(int predicate) const { return ranks(__ballot_sync(members(), predicate)); }
  template <class V>
  unsigned match_any(V value) const {
    return ranks(__match_any_sync(members(), value));
  }
  template <class V>
  unsigned match_all(V value, int& equal) const {
    return ranks(__match_all_sync(members(), value, &equal));
  }

 private:
  /// A mask of lanes as one of ranks.
  unsigned ranks(unsigned of_lanes) const {
    unsigned result = 0, rank = 0;
    for (unsigned rest = members(); rest != 0; rest &= rest - 1, ++rank)
      result |= (of_lanes >> __builtin_ctz(rest) & 1u) << rank;
    return result;
  }
};

/// Lanes of a warp that came to a place together, or a part of such a group.
class coalesced_group : public lanes<coalesced_group> {
 public:
  explicit coalesced_group(unsigned members, unsigned rank = 0, unsigned count = 1)
      : members_(members), meta_rank_(rank), meta_size_(count) {}
  unsigned members() const { return members_; }
  unsigned lane_at(unsigned rank) const {  // 0xffffffff: it has fewer lanes
    unsigned rest = members_;
    for (; rank > 0 && rest != 0; --rank) rest &= rest - 1;
    return rest == 0 ? 0xffffffffu : static_cast<unsigned>(__builtin_ctz(rest));
  }
  unsigned meta_group_rank() const { return meta_rank_; }
  unsigned meta_group_size() const { return meta_size_; }

 private:
  unsigned members_, meta_rank_, meta_size_;
};

/// The lanes that are at this call, in the kernel's line `line`, when no other lane of the warp can go on.
KILN_SHIM coalesced_group coalesced_threads(unsigned line = __builtin_LINE()) {
  return coalesced_group(__activemask(line));
}

/// `Size` neighbouring work-items: a power of two up to 32.
template <unsigned Size, class Parent = thread_block>
class thread_block_tile : public lanes<thread_block_tile<Size, Parent>> {
  static_assert(Size > 0 && Size <= 32 && (Size & (Size - 1)) == 0, "a tile has 1, 2, 4, 8, 16 or 32 lanes");
  static unsigned lane() { return KILN_LINEAR_THREAD() & 31u; }
  static unsigned first() { return lane() & ~(Size - 1u); }

 public:
  thread_block_tile() = default;
  template <class Other>
  thread_block_tile(const thread_block_tile<Size, Other>&) {}
  unsigned lane_at(unsigned rank) const { return first() + rank; }
  unsigned members() const {
    const unsigned there = blockDim.x * blockDim.y * blockDim.z - (KILN_LINEAR_THREAD() & ~31u);
    const unsigned lanes = there < 32u ? (1u << there) - 1u : 0xffffffffu;
    return lanes & ((Size == 32 ? 0xffffffffu : (1u << (Size & 31u)) - 1u) << first());
  }
  static unsigned thread_rank() { return lane() - first(); }
  static constexpr unsigned size() { return Size; }
  static constexpr unsigned num_threads() { return Size; }
  static unsigned meta_group_rank() { return KILN_LINEAR_THREAD() / Size; }
  static unsigned meta_group_size() { return (blockDim.x * blockDim.y * blockDim.z + Size - 1u) / Size; }
};

/// `Size` neighbouring work-items, more than a warp's. All work-items of a block run on one thread, one at a
/// time.
template <unsigned Size>
class tile_of_warps {
  static constexpr unsigned kTiles = 1024 / Size;
  struct Arrivals {
    unsigned serial, come[kTiles], phase[kTiles];
  };
  static inline thread_local Arrivals arrivals_;
  template <class V>
  struct Board {
    alignas(V) static inline thread_local unsigned char values[1024 * sizeof(V)];
  };
  template <class V>
  V of_rank(const V& value, unsigned rank, unsigned line) const {
    const auto values = reinterpret_cast<V*>(Board<V>::values);
    values[KILN_LINEAR_THREAD()] = value;
    sync(line);
    const V result = values[meta_group_rank() * Size + rank];
    sync(line);
    return result;
  }

 public:
  using cooperative_group = tile_of_warps;
  void sync(unsigned line = __builtin_LINE()) const {
    if (arrivals_.serial != kiln_block_serial) arrivals_ = {kiln_block_serial, {}, {}};
    const unsigned tile = meta_group_rank(), phase = arrivals_.phase[tile];
    const unsigned behind = thread_block::size() - tile * Size;
    if (++arrivals_.come[tile] == (behind < Size ? behind : Size)) {
      arrivals_.come[tile] = 0;
      ++arrivals_.phase[tile];
    } else {
      kiln_wait_while(&arrivals_.phase[tile], phase, line);
    }
  }
  unsigned thread_rank() const { return KILN_LINEAR_THREAD() % Size; }
  static constexpr unsigned size() { return Size; }
  static constexpr unsigned num_threads() { return Size; }
  unsigned meta_group_rank() const { return KILN_LINEAR_THREAD() / Size; }
  unsigned meta_group_size() const { return (thread_block::size() + Size - 1u) / Size; }
  template <class V>
  V shfl(V value, int source, unsigned line = __builtin_LINE()) const {
    return of_rank(value, static_cast<unsigned>(source) % Size, line);
  }
  int any(int predicate, unsigned line = __builtin_LINE()) const { return count(predicate, line) != 0; }
  int all(int predicate, unsigned line = __builtin_LINE()) const { return count(predicate == 0, line) == 0; }

 private:
  unsigned count(bool holds, unsigned line) const {
    const auto values = Board<unsigned char>::values;
    values[KILN_LINEAR_THREAD()] = holds ? 1 : 0;
    sync(line);
    unsigned sum = 0;
    for (unsigned i = 0; i < Size; ++i) sum += values[meta_group_rank() * Size + i];
    sync(line);
    return sum;
  }

  // CUDA's tiles of several warps lack these; its reductions and scans here are made of them.
  friend struct tile_shuffles;
};

/// What the reduction and the scans of any group call.
struct tile_shuffles {
  template <class Group, class V>
  static V up(const Group& group, V value, unsigned delta) {
    return group.shfl_up(value, delta);
  }
  template <unsigned Size, class Parent, class V>
  static V up(const thread_block_tile<Size, Parent>& tile, V value, unsigned delta) {
    const unsigned rank = tile.thread_rank();
    if constexpr (Size > 32)
      return tile.of_rank(value, rank < delta ? rank : rank - delta, 0);
    else
      return tile.shfl_up(value, delta);
  }
  template <unsigned Size, class Parent, class V>
  static V crossed(const thread_block_tile<Size, Parent>& tile, V value, unsigned bits) {
    if constexpr (Size > 32)
      return tile.of_rank(value, tile.thread_rank() ^ bits, 0);
    else
      return tile.shfl_xor(value, static_cast<int>(bits));
  }
};

#define KILN_TILE_OF_WARPS(n)                                    \
  template <class Parent>                                        \
  class thread_block_tile<n, Parent> : public tile_of_warps<n> { \
   public:                                                       \
    thread_block_tile() = default;                               \
    template <class Other>                                       \
    thread_block_tile(const thread_block_tile<n, Other>&) {}     \
  };
KILN_TILE_OF_WARPS(64)
KILN_TILE_OF_WARPS(128)
KILN_TILE_OF_WARPS(256)
KILN_TILE_OF_WARPS(512)
KILN_TILE_OF_WARPS(1024)
#undef KILN_TILE_OF_WARPS

/// Any group whose size is known at run time.
class thread_group {
  enum class Kind : unsigned { kLanes, kBlock, kGrid };

 public:
  thread_group(const thread_block&) : kind_(Kind::kBlock), members_(0) {}
  thread_group(const cluster_group&) : kind_(Kind::kBlock), members_(0) {
    kiln_assert(kiln_worker->cluster_blocks == nullptr,
                "a thread_group is no cluster of several blocks on the cpu", "thread_group", 0);
  }
  thread_group(const grid_group&) : kind_(Kind::kGrid), members_(0) {}
  thread_group(const coalesced_group& group) : kind_(Kind::kLanes), members_(group.members()) {}
  template <unsigned Size, class Parent>
  thread_group(const thread_block_tile<Size, Parent>& tile) : kind_(Kind::kLanes), members_(tile.members()) {}

  bool is_block() const { return kind_ == Kind::kBlock; }
  coalesced_group of_lanes() const { return coalesced_group(members_); }
  void sync(unsigned line = __builtin_LINE()) const {
    switch (kind_) {
      case Kind::kLanes:
        return of_lanes().sync();
      case Kind::kGrid:
        return grid_group().sync(line);
      default:
        __syncthreads();
    }
  }
  unsigned long long thread_rank() const {
    switch (kind_) {
      case Kind::kLanes:
        return of_lanes().thread_rank();
      case Kind::kGrid:
        return grid_group().thread_rank();
      default:
        return thread_block::thread_rank();
    }
  }
  unsigned long long size() const {
    switch (kind_) {
      case Kind::kLanes:
        return of_lanes().size();
      case Kind::kGrid:
        return grid_group().size();
      default:
        return thread_block::size();
    }
  }
  unsigned long long num_threads() const { return size(); }

 private:
  Kind kind_;
  unsigned members_;  ///< a mask of lanes
};

template <class Group>
KILN_SHIM void sync(const Group& group) {
  group.sync();
}
KILN_SHIM void sync(const grid_group& grid, unsigned line = __builtin_LINE()) {
  grid.sync(line);
}
// The forms that take any group.
template <class Group>
KILN_SHIM unsigned long long thread_rank(const Group& group) {
  return group.thread_rank();
}
template <class Group>
KILN_SHIM unsigned long long group_size(const Group& group) {
  return group.size();
}
KILN_SHIM bool is_valid(const grid_group& grid) {
  return grid.is_valid();
}

template <unsigned Size, class Parent>
KILN_SHIM thread_block_tile<Size, Parent> tiled_partition(const Parent&) {
  return thread_block_tile<Size, Parent>();
}
/// The ranks of a group in parts of `size`.
KILN_SHIM coalesced_group tiled_partition(const coalesced_group& parent, unsigned size) {
  const unsigned part = parent.thread_rank() / size;
  unsigned members = 0, rank = 0;
  for (unsigned rest = parent.members(); rest != 0; rest &= rest - 1, ++rank)
    members |= rank / size == part ? rest & -rest : 0u;
  return coalesced_group(members, part, (parent.size() + size - 1u) / size);
}
/// `size`: a power of two up to 32; larger parts of a block do not exist, as in CUDA.
KILN_SHIM coalesced_group tiled_partition(const thread_block& block, unsigned size) {
  const thread_block_tile<32> warp;
  const coalesced_group part = tiled_partition(coalesced_group(warp.members()), size < 32u ? size : 32u);
  return coalesced_group(part.members(), block.thread_rank() / size, (block.size() + size - 1u) / size);
}
KILN_SHIM coalesced_group tiled_partition(const thread_group& parent, unsigned size) {
  return parent.is_block() ? tiled_partition(thread_block(), size) : tiled_partition(parent.of_lanes(), size);
}

/// The members of a group that brought equal labels, ordered by label among the parts.
template <class Group, class Label>
KILN_SHIM coalesced_group labeled_partition(const Group& group, Label label) {
  const unsigned equal = __match_any_sync(group.members(), label);
  unsigned smaller = 0, labels = 0;  // labels that are smaller than the own one, and all
  for (unsigned rest = group.members(); rest != 0; rest &= rest - 1) {
    const unsigned lane = static_cast<unsigned>(__builtin_ctz(rest));
    const Label other = kiln_shuffle(group.members(), label, lane);
    const unsigned first = kiln_shuffle(group.members(), equal & -equal, lane);
    if (first != (rest & -rest)) continue;
    ++labels;
    smaller += other < label ? 1u : 0u;
  }
  return coalesced_group(equal, smaller, labels);
}
template <class Group>
KILN_SHIM coalesced_group binary_partition(const Group& group, bool predicate) {
  const unsigned yes = __ballot_sync(group.members(), predicate);
  const unsigned members = predicate ? yes : group.members() & ~yes;
  return coalesced_group(members, predicate ? 1u : 0u, 2u);
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
template <class V>
struct bit_and {
  V operator()(V a, V b) const { return a & b; }
};
template <class V>
struct bit_or {
  V operator()(V a, V b) const { return a | b; }
};
template <class V>
struct bit_xor {
  V operator()(V a, V b) const { return a ^ b; }
};

/// Only for what can be called with two values: a program's own `reduce(group, array, value)` is no
/// operation.
template <class V, class Operation>
using Combined = decltype(static_cast<V>(
    (*static_cast<Operation*>(nullptr))(*static_cast<V*>(nullptr), *static_cast<V*>(nullptr))));

/// Every lane of the tile gets the result.
template <unsigned Size, class Parent, class V, class Operation, class = Combined<V, Operation>>
KILN_SHIM V reduce(const thread_block_tile<Size, Parent>& tile, V value, Operation operation) {
  for (unsigned step = Size / 2; step > 0; step /= 2) {
    value = operation(value, tile_shuffles::crossed(tile, value, step));
  }
  return value;
}
template <class V, class Operation, class = Combined<V, Operation>>
KILN_SHIM V reduce(const coalesced_group& group, V value, Operation operation) {
  V result = group.shfl(value, 0);
  for (unsigned rank = 1; rank < group.size(); ++rank)
    result = operation(result, group.shfl(value, static_cast<int>(rank)));
  return result;
}
template <class Group, class V, class Operation, class = Combined<V, Operation>>
KILN_SHIM void reduce_store_async(const Group& group, V* to, V value, Operation operation) {
  const V result = reduce(group, value, operation);
  if (group.thread_rank() == 0) *to = result;
}

/// Of the members' values up to the caller's own, by rank.
template <class Group, class V, class Operation, class = Combined<V, Operation>>
KILN_SHIM V inclusive_scan(const Group& group, V value, Operation operation) {
  for (unsigned step = 1; step < group.size(); step *= 2) {
    const V before = tile_shuffles::up(group, value, step);
    if (group.thread_rank() >= step) value = operation(before, value);
  }
  return value;
}
template <class Group, class V>
KILN_SHIM V inclusive_scan(const Group& group, V value) {
  return inclusive_scan(group, value, plus<V>());
}
/// Without its own. The first gets V(), as CUDA has it.
template <class Group, class V, class Operation, class = Combined<V, Operation>>
KILN_SHIM V exclusive_scan(const Group& group, V value, Operation operation) {
  const V before = tile_shuffles::up(group, inclusive_scan(group, value, operation), 1);
  return group.thread_rank() == 0 ? V() : before;
}
template <class Group, class V>
KILN_SHIM V exclusive_scan(const Group& group, V value) {
  return exclusive_scan(group, value, plus<V>());
}

/// What one member, the first, evaluates.
template <class Group, class F>
KILN_SHIM void invoke_one(const Group& group, F&& f) {
  if (group.thread_rank() == 0) f();
}

/// Copies as a group; what is copied is there after wait(), which all members call.
template <class Group>
KILN_SHIM void memcpy_async(const Group& group, void* to, const void* from, size_t bytes) {
  const size_t step = group.size();
  for (size_t i = group.thread_rank(); i < bytes; i += step)
    static_cast<char*>(to)[i] = static_cast<const char*>(from)[i];
}
template <class Group, class To, class From>
KILN_SHIM void memcpy_async(const Group& group, To* to, size_t room, const From* from, size_t count) {
  const size_t n = room < count ? room : count;
  for (size_t i = group.thread_rank(); i < n; i += group.size()) to[i] = from[i];
}
template <class Group>
KILN_SHIM void wait(const Group& group) {
  group.sync();
}
template <unsigned Stages, class Group>
KILN_SHIM void wait_prior(const Group& group) {
  group.sync();
}

}  // namespace cooperative_groups
