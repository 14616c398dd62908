// CUDA's cooperative groups: the grid, blocks, and groups of at most 32 work-items, which are built on CUDA's
// functions of a warp. hipRTC 5.7 has groups of its own, which lack the most part of these.
#define cooperative_groups kiln_cooperative_groups
namespace cooperative_groups {

class thread_group;

class thread_block {
 public:
  __device__ static unsigned thread_rank() {
    return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  }
  __device__ static unsigned num_threads() { return blockDim.x * blockDim.y * blockDim.z; }
  __device__ static unsigned size() { return num_threads(); }
  __device__ static dim3 group_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
  __device__ static dim3 thread_index() { return dim3(threadIdx.x, threadIdx.y, threadIdx.z); }
  __device__ static dim3 group_dim() { return dim3(blockDim.x, blockDim.y, blockDim.z); }
  __device__ static dim3 dim_threads() { return group_dim(); }
  __device__ static void sync() { __syncthreads(); }
};

__device__ inline thread_block this_thread_block() {
  return thread_block();
}

namespace kiln {

/// Blocks that have come to the grid's barrier. Its highest bit turns over when all have: the block of rank 0
/// adds what is left to 2^31 when each other block adds 1. All blocks of a cooperative launch run at the same
/// time.
__device__ unsigned grid_arrivals = 0;
constexpr unsigned kTurn = 0x80000000u;

/// Work-items of a warp; `mask` has a bit for each.
template <class T>
__device__ T shuffled(unsigned mask, T value, unsigned lane) {
  constexpr unsigned kWords = (sizeof(T) + 3) / 4;
  unsigned words[kWords] = {};
  __builtin_memcpy(words, &value, sizeof(T));
  for (unsigned i = 0; i < kWords; ++i) words[i] = __shfl_sync(mask, words[i], static_cast<int>(lane));
  __builtin_memcpy(&value, words, sizeof(T));
  return value;
}
__device__ inline unsigned lane() {
  return thread_block::thread_rank() & 31u;
}

}  // namespace kiln

/// All work-items of a cooperative launch.
class grid_group {
 public:
  struct arrival_token {
    unsigned before;  ///< of the work-item of rank 0 of a block
  };
  __device__ static bool is_valid() { return true; }
  __device__ static void sync() { barrier_wait(barrier_arrive()); }
  __device__ static arrival_token barrier_arrive() {
    arrival_token token = {0};
    __syncthreads();
    if (thread_block::thread_rank() == 0) {
      const unsigned others = static_cast<unsigned>(num_blocks()) - 1;
      __threadfence();
      token.before = atomicAdd(&kiln::grid_arrivals, block_rank() == 0 ? kiln::kTurn - others : 1u);
    }
    return token;
  }
  __device__ static void barrier_wait(const arrival_token& token) {
    if (thread_block::thread_rank() == 0) {
      while (((token.before ^ atomicAdd(&kiln::grid_arrivals, 0u)) & kiln::kTurn) == 0) {
#if defined(__AMDGCN__)
        __builtin_amdgcn_s_sleep(1);
#endif
      }
      __threadfence();
    }
    __syncthreads();
  }
  __device__ static unsigned long long num_blocks() {
    return static_cast<unsigned long long>(gridDim.x) * gridDim.y * gridDim.z;
  }
  __device__ static unsigned long long block_rank() {
    return blockIdx.x + static_cast<unsigned long long>(gridDim.x) * (blockIdx.y + gridDim.y * blockIdx.z);
  }
  __device__ static unsigned long long num_threads() {
    return num_blocks() * thread_block::num_threads();
  }
  __device__ static unsigned long long size() {
    return num_threads();
  }
  __device__ static unsigned long long thread_rank() {
    return block_rank() * thread_block::num_threads() + thread_block::thread_rank();
  }
  __device__ static dim3 dim_blocks() {
    return dim3(gridDim.x, gridDim.y, gridDim.z);
  }
  __device__ static dim3 group_dim() {
    return dim_blocks();
  }
  __device__ static dim3 block_index() {
    return thread_block::group_index();
  }
};

__device__ inline grid_group this_grid() {
  return grid_group();
}

template <unsigned Size, class Parent = thread_block>
class thread_block_tile {
  static_assert(Size > 0 && Size <= 32 && (Size & (Size - 1)) == 0,
                "a tile has 1, 2, 4, 8, 16 or 32 work-items");

 public:
  __device__ static unsigned thread_rank() { return thread_block::thread_rank() & (Size - 1); }
  __device__ static constexpr unsigned num_threads() { return Size; }
  __device__ static constexpr unsigned size() { return Size; }
  __device__ static unsigned meta_group_rank() { return thread_block::thread_rank() / Size; }
  __device__ static unsigned meta_group_size() { return (thread_block::num_threads() + Size - 1) / Size; }
  __device__ static void sync() { __syncwarp(mask()); }
  template <class T>
  __device__ static T shfl(T value, unsigned rank) {
    return kiln::shuffled(mask(), value, first() + (rank & (Size - 1)));
  }
  template <class T>
  __device__ static T shfl_up(T value, unsigned delta) {
    return kiln::shuffled(mask(), value, thread_rank() < delta ? kiln::lane() : kiln::lane() - delta);
  }
  template <class T>
  __device__ static T shfl_down(T value, unsigned delta) {
    return kiln::shuffled(mask(), value, thread_rank() + delta < Size ? kiln::lane() + delta : kiln::lane());
  }
  template <class T>
  __device__ static T shfl_xor(T value, unsigned bits) {
    return kiln::shuffled(mask(), value, first() + (thread_rank() ^ bits));
  }
  __device__ static unsigned ballot(int predicate) {
    return (__ballot_sync(mask(), predicate) & mask()) >> first();
  }
  __device__ static int any(int predicate) { return ballot(predicate) != 0; }
  __device__ static int all(int predicate) { return ballot(!predicate) == 0; }
  template <class T>
  __device__ static unsigned match_any(T value) {
    return (__match_any_sync(mask(), value) & mask()) >> first();
  }

 private:
  friend class thread_group;
  __device__ static unsigned first() { return kiln::lane() & ~(Size - 1); }
  __device__ static unsigned mask() { return (0xffffffffu >> (32 - Size)) << first(); }
};

template <unsigned Size, class Parent>
__device__ inline thread_block_tile<Size, Parent> tiled_partition(const Parent&) {
  return thread_block_tile<Size, Parent>();
}

class coalesced_group {
 public:
  __device__ explicit coalesced_group(unsigned mask) : mask_(mask) {}
  __device__ unsigned num_threads() const { return static_cast<unsigned>(__popc(mask_)); }
  __device__ unsigned size() const { return num_threads(); }
  __device__ unsigned thread_rank() const {
    return static_cast<unsigned>(__popc(mask_ & ((1u << kiln::lane()) - 1)));
  }
  __device__ void sync() const { __syncwarp(mask_); }
  template <class T>
  __device__ T shfl(T value, unsigned rank) const {
    return kiln::shuffled(mask_, value, lane_of(rank));
  }
  template <class T>
  __device__ T shfl_up(T value, unsigned delta) const {
    const unsigned own = thread_rank();
    return shfl(value, own >= delta ? own - delta : own);
  }
  template <class T>
  __device__ T shfl_down(T value, unsigned delta) const {
    const unsigned own = thread_rank();
    return shfl(value, delta < num_threads() - own ? own + delta : own);
  }
  __device__ int any(int predicate) const { return (__ballot_sync(mask_, predicate) & mask_) != 0; }
  __device__ int all(int predicate) const { return (__ballot_sync(mask_, !predicate) & mask_) == 0; }

 private:
  friend class thread_group;
  __device__ unsigned lane_of(unsigned rank) const {
    unsigned left = mask_;
    for (; rank > 0; --rank) left &= left - 1;
    return static_cast<unsigned>(__ffs(static_cast<int>(left)) - 1);
  }
  unsigned mask_;
};

__device__ inline coalesced_group coalesced_threads() {
  return coalesced_group(__activemask());
}

/// Any of the groups above.
class thread_group {
 public:
  __device__ thread_group(const thread_block&) : mask_(0) {}
  template <unsigned Size, class Parent>
  __device__ thread_group(const thread_block_tile<Size, Parent>& tile) : mask_(tile.mask()) {}
  __device__ thread_group(const coalesced_group& group) : mask_(group.mask_) {}
  __device__ unsigned num_threads() const {
    return mask_ == 0 ? thread_block::num_threads() : static_cast<unsigned>(__popc(mask_));
  }
  __device__ unsigned size() const { return num_threads(); }
  __device__ unsigned thread_rank() const {
    return mask_ == 0 ? thread_block::thread_rank()
                      : static_cast<unsigned>(__popc(mask_ & ((1u << kiln::lane()) - 1)));
  }
  __device__ void sync() const {
    if (mask_ == 0) {
      __syncthreads();
    } else {
      __syncwarp(mask_);
    }
  }

 private:
  unsigned mask_;  // of the lanes; 0: the whole block
};

template <class Group>
__device__ inline void sync(const Group& group) {
  group.sync();
}

template <class T>
struct plus {
  __device__ T operator()(T a, T b) const { return a + b; }
};
template <class T>
struct less {
  __device__ T operator()(T a, T b) const { return b < a ? b : a; }
};
template <class T>
struct greater {
  __device__ T operator()(T a, T b) const { return a < b ? b : a; }
};
template <class T>
struct bit_and {
  __device__ T operator()(T a, T b) const { return a & b; }
};
template <class T>
struct bit_or {
  __device__ T operator()(T a, T b) const { return a | b; }
};
template <class T>
struct bit_xor {
  __device__ T operator()(T a, T b) const { return a ^ b; }
};

template <unsigned Size, class Parent, class T, class F>
__device__ T reduce(const thread_block_tile<Size, Parent>& tile, T value, F join) {
  for (unsigned bits = Size / 2; bits > 0; bits /= 2) value = join(value, tile.shfl_xor(value, bits));
  return value;
}
template <class T, class F>
__device__ T reduce(const coalesced_group& group, T value, F join) {
  T result = group.shfl(value, 0);
  for (unsigned i = 1; i < group.num_threads(); ++i) result = join(result, group.shfl(value, i));
  return result;
}

}  // namespace cooperative_groups
