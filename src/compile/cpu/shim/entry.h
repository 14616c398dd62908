// The CUDA dialect for a host compiler, part 5: from a kernel function to what the run time calls.
#pragma once

// Static objects with a destructor: crtbegin.o, which is not linked, would have these.
extern "C" {
#if defined(__clang__)
__attribute__((used, visibility("hidden"))) void* __dso_handle = nullptr;
#else
__attribute__((externally_visible, visibility("hidden"))) void* __dso_handle = nullptr;
#endif
void __cxa_finalize(void*);
}
__attribute__((destructor, used)) static void kiln_destroy_static_objects() {
  __cxa_finalize(&__dso_handle);
}

/// Gives each `extern __shared__` array at namespace scope its address. Its body ends the unit.
static void kiln_set_dynamic_shared();

namespace kiln::cpu {

using cpu_abi::Index3;
using cpu_abi::Launch;
using cpu_abi::Worker;

template <class V>
struct Plain {
  using type = V;
};
template <class V>
struct Plain<const V> {
  using type = V;
};

/// An argument where a launch has put it; a reference is passed as a pointer.
template <class A>
struct Passed {
  static constexpr unsigned long long bytes = sizeof(A);
  KILN_SHIM typename Plain<A>::type& get(void* place) {
    return *static_cast<typename Plain<A>::type*>(place);
  }
};
template <class A>
struct Passed<A&> {
  static constexpr unsigned long long bytes = sizeof(A*);
  KILN_SHIM A& get(void* place) { return **static_cast<A**>(place); }
};

template <int... I>
struct Sequence {};
template <int N, int... I>
struct MakeSequence : MakeSequence<N - 1, N - 1, I...> {};
template <int... I>
struct MakeSequence<0, I...> {
  using type = Sequence<I...>;
};

/// What a kernel's unit knows of one entry at compile time.
/// `BlockX` is 0 where the block shape is only known at launch. `Guarded`: the text carries guard marks.
template <unsigned BlockX, unsigned BlockY, unsigned BlockZ, bool Guarded>
struct Shape {
  static constexpr bool baked = BlockX != 0;
  static constexpr bool guarded = Guarded;
  static constexpr Index3 fixed_block = {BlockX, BlockY, BlockZ};
  static constexpr Index3 cluster = {0, 0, 0};
};

/// What `__cluster_dims__(x, y, z)` says.
constexpr Index3 cluster_dims(unsigned x = 0, unsigned y = 1, unsigned z = 1) {
  return x == 0 ? Index3{0, 0, 0} : Index3{x, y, z};
}

/// Sets blockDim and gridDim of this thread and returns the block shape, a constant where it is baked.
template <class S>
KILN_SHIM Index3 enter_launch(const Launch* launch, Worker* worker) {
  kiln_worker = worker;
  kiln_set_dynamic_shared();
  gridDim.x = launch->grid.x;
  gridDim.y = launch->grid.y;
  gridDim.z = launch->grid.z;
  Index3 block = S::fixed_block;
  if (!S::baked) {
    block = launch->block;
    if (block.x - 1u > 1023u || block.y - 1u > 1023u || block.z - 1u > 1023u) __builtin_unreachable();
  }
  blockDim.x = block.x;
  blockDim.y = block.y;
  blockDim.z = block.z;
  return block;
}

/// The rank of a block in its cluster, x fastest.
KILN_SHIM unsigned cluster_rank(const Index3& cluster) {
  return blockIdx.x % cluster.x + cluster.x * (blockIdx.y % cluster.y + cluster.y * (blockIdx.z % cluster.z));
}

KILN_SHIM dim3 clusters_of_grid() {
  const Index3& cluster = kiln_worker->cluster;
  return dim3(gridDim.x / cluster.x, gridDim.y / cluster.y, gridDim.z / cluster.z);
}
KILN_SHIM dim3 cluster_of_block() {
  const Index3& cluster = kiln_worker->cluster;
  return dim3(blockIdx.x / cluster.x, blockIdx.y / cluster.y, blockIdx.z / cluster.z);
}

/// Tells the other blocks of the cluster where this one's shared memory is.
KILN_SHIM void enter_cluster(Worker* worker) {
  if (worker->cluster_blocks == nullptr) return;
  worker->cluster_blocks[cluster_rank(worker->cluster)] = {reinterpret_cast<char*>(&kiln_worker),
                                                           static_cast<char*>(worker->dynamic_shared)};
}

template <auto F, class S, class Signature>
struct Runner;

template <auto F, class S, class... A>
struct Runner<F, S, void (*)(A...)> {
  static constexpr int count = sizeof...(A);
  static constexpr unsigned long long bytes[sizeof...(A) + 1] = {Passed<A>::bytes..., 0};
  using Arguments = typename MakeSequence<count>::type;

  /// Whether a work-item passes the guards of the kernel, which goes no further.
  KILN_SHIM bool probe(unsigned x, A... arguments) {
    threadIdx.x = x;
    kiln_guard_passed = true;
    kiln_guard_row_passed = true;
    F(arguments...);
    return __builtin_expect(kiln_guard_passed, 1);
  }

  /// One row of work-items along x, as one loop that the compiler turns into vector code. `origin` is
  /// blockIdx.x * blockDim.x as a value: read back from those variables, which the kernel's stores may change
  /// as far as the compiler knows, it has no known range, and g++ 13 gathers by unsigned indices.
  template <bool Vector>
  KILN_SHIM void run_row(unsigned origin, unsigned extent, A... arguments) {
    unsigned first = 0, last = extent;
    kiln_guard_mode = kiln_guard_test;
    kiln_lane_known = false;
    if (S::guarded && Vector) {
      kiln_guard_mode = kiln_guard_probe;
      // The work-items that pass are neighbours, so the first and the last of them tell all.
      for (; first < last; ++first) {
        if (probe(first, arguments...)) break;
        if (!kiln_guard_row_passed) return;
      }
      for (; last > first; --last) {
        if (probe(last - 1, arguments...)) break;
      }
      kiln_guard_mode = kiln_guard_assume;
    }
    if (last > extent) __builtin_unreachable();
    const int begin = static_cast<int>(first), end = static_cast<int>(last);
    if constexpr (Vector) {
      kiln_lane_known = true;
      int lane = static_cast<int>(origin) + begin;
      long wide_lane = lane;
#pragma omp simd
      for (int x = begin; x < end; ++x) {
        threadIdx.x = static_cast<unsigned>(x);
        kiln_lane_int = lane++;
        kiln_lane_long = wide_lane++;
        F(arguments...);
      }
    } else {
#if defined(__clang__)
#pragma clang loop vectorize(disable) unroll(disable)
#endif
      for (int x = begin; x < end; ++x) {
        threadIdx.x = static_cast<unsigned>(x);
        F(arguments...);
      }
    }
  }

  /// `Narrow`: every index along the grid's x fits an int, which lets the compiler widen 32-bit index
  /// arithmetic.
  template <bool Narrow>
  KILN_SHIM void run_range(const Launch* launch, unsigned long long first, unsigned long long last,
                           Worker* worker, A... arguments) {
    const Index3 block = enter_launch<S>(launch, worker);
    const unsigned grid_x = launch->grid.x, grid_y = launch->grid.y;
    unsigned begin = static_cast<unsigned>(first % grid_x);
    unsigned y = static_cast<unsigned>(first / grid_x % grid_y);
    unsigned z = static_cast<unsigned>(first / grid_x / grid_y);
    while (first < last) {
      // The part of a row of blocks. Rows of work-items come before blocks, so that memory is touched in long
      // runs.
      const unsigned long long rest = last - first;
      const unsigned end = rest < grid_x - begin ? begin + static_cast<unsigned>(rest) : grid_x;
      blockIdx.y = y;
      blockIdx.z = z;
      for (unsigned k = 0; k < block.z; ++k) {
        for (unsigned j = 0; j < block.y; ++j) {
          threadIdx.z = k;
          threadIdx.y = j;
          for (unsigned x = begin; x < end; ++x) {
            if (Narrow && x * block.x > 0x7ffffff0u - block.x) __builtin_unreachable();
            blockIdx.x = x;
            run_row<Narrow>(x * block.x, block.x, arguments...);
          }
        }
      }
      first += end - begin;
      begin = 0;
      if (++y == grid_y) {
        y = 0;
        ++z;
      }
    }
  }

  template <int... I>
  KILN_SHIM void run_blocks(const Launch* launch, unsigned long long first, unsigned long long last,
                            Worker* worker, Sequence<I...>) {
    run_range<true>(launch, first, last, worker, Passed<A>::get(launch->arguments[I])...);
  }

  /// The rare launch whose indices along x do not all fit an int. Compiled for size: every kernel pays for
  /// it.
  template <int... I>
  static __attribute__((cold, noinline)) void run_wide(const Launch* launch, unsigned long long first,
                                                       unsigned long long last, Worker* worker,
                                                       Sequence<I...>) {
    run_range<false>(launch, first, last, worker, Passed<A>::get(launch->arguments[I])...);
  }

  template <int... I>
  KILN_SHIM void run_item(const Launch* launch, Sequence<I...>) {
    F(Passed<A>::get(launch->arguments[I])...);
  }
};

template <auto F, class S>
using RunnerOf = Runner<F, S, decltype(F)>;

}  // namespace kiln::cpu

#define KILN_KERNEL_TABLE(index, label, fibers, grid, note, runner, blocks, enter, item)                     \
  extern "C" KILN_EXPORT const kiln::cpu_abi::Kernel kiln_kernel_##index = {kiln::cpu_abi::kAbiVersion,      \
                                                                            fibers,                          \
                                                                            grid,                            \
                                                                            label,                           \
                                                                            note,                            \
                                                                            kiln_shape_##index::fixed_block, \
                                                                            kiln_shape_##index::cluster,     \
                                                                            runner::count,                   \
                                                                            runner::bytes,                   \
                                                                            blocks,                          \
                                                                            enter,                           \
                                                                            item};

/// A kernel whose work-items never wait for each other. The name expression comes last: it may contain
/// commas.
#define KILN_SIMD_KERNEL(index, label, ...)                                                      \
  using kiln_runner_##index = kiln::cpu::RunnerOf<&__VA_ARGS__, kiln_shape_##index>;             \
  static void kiln_blocks_##index(const kiln::cpu_abi::Launch* launch, unsigned long long first, \
                                  unsigned long long last, kiln::cpu_abi::Worker* worker) {      \
    using kiln_runner = kiln_runner_##index;                                                     \
    const unsigned long long block_x =                                                           \
        kiln_shape_##index::baked ? kiln_shape_##index::fixed_block.x : launch->block.x;         \
    if (launch->grid.x * block_x > 0x7ffffff0ull)                                                \
      kiln_runner::run_wide(launch, first, last, worker, kiln_runner::Arguments{});              \
    else                                                                                         \
      kiln_runner::run_blocks(launch, first, last, worker, kiln_runner::Arguments{});            \
  }                                                                                              \
  KILN_KERNEL_TABLE(index, label, 0, 0, "", kiln_runner_##index, &kiln_blocks_##index, nullptr, nullptr)

/// A kernel with barriers or warp operations; `note` says why it was not split at them.
#define KILN_FIBER_KERNEL(index, label, note, ...)                                                   \
  using kiln_runner_##index = kiln::cpu::RunnerOf<&__VA_ARGS__, kiln_shape_##index>;                 \
  static void kiln_enter_##index(const kiln::cpu_abi::Launch* launch, kiln::cpu_abi::Index3 block,   \
                                 kiln::cpu_abi::Worker* worker) {                                    \
    kiln::cpu::enter_launch<kiln_shape_##index>(launch, worker);                                     \
    blockIdx.x = block.x;                                                                            \
    blockIdx.y = block.y;                                                                            \
    blockIdx.z = block.z;                                                                            \
    ++kiln_block_serial;                                                                             \
    kiln::cpu::enter_cluster(worker);                                                                \
  }                                                                                                  \
  static void kiln_item_##index(const kiln::cpu_abi::Launch* launch, kiln::cpu_abi::Index3 thread) { \
    if (kiln_shape_##index::baked) {                                                                 \
      blockDim.x = kiln_shape_##index::fixed_block.x;                                                \
      blockDim.y = kiln_shape_##index::fixed_block.y;                                                \
      blockDim.z = kiln_shape_##index::fixed_block.z;                                                \
    }                                                                                                \
    kiln_guard_mode = kiln_guard_test;                                                               \
    kiln_lane_known = false;                                                                         \
    threadIdx.x = thread.x;                                                                          \
    threadIdx.y = thread.y;                                                                          \
    threadIdx.z = thread.z;                                                                          \
    kiln_runner_##index::run_item(launch, kiln_runner_##index::Arguments{});                         \
  }                                                                                                  \
  KILN_KERNEL_TABLE(index, label, 1, 0, note, kiln_runner_##index, nullptr, &kiln_enter_##index,     \
                    &kiln_item_##index)
