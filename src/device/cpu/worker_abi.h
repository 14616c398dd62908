// The interface between the CPU run time and a compiled kernel unit. This file is compiled into Kiln and is
// also the first part of every generated unit, so it includes nothing and uses only built-in types. Change
// kAbiVersion with it.
#pragma once

namespace kiln::cpu_abi {

constexpr unsigned kAbiVersion = 10;

struct Index3 {
  unsigned x, y, z;
};

constexpr unsigned long long volume(const Index3& extents) {
  return 1ull * extents.x * extents.y * extents.z;
}

/// Of the i-th of them, counted x fastest.
constexpr Index3 position(unsigned long long i, const Index3& extents) {
  return {static_cast<unsigned>(i % extents.x), static_cast<unsigned>(i / extents.x % extents.y),
          static_cast<unsigned>(i / extents.x / extents.y)};
}

/// One launch. Lives in the caller until every block has run.
struct Launch {
  Index3 grid;
  Index3 block;
  void* const* arguments;  ///< arguments[i] points at the i-th parameter's value
  Index3 cluster;          ///< in blocks; (1, 1, 1): the grid has no clusters
};

/// Where a block of a cluster has its shared memory.
struct ClusterBlock {
  char* variables;  ///< one of its unit's thread-local variables; the others have the same distance from it
  char* dynamic_shared;
};

struct Worker;
struct DeviceLaunch;

/// What combines the values that work-items bring to a block barrier.
enum class BarrierKind : unsigned { kPlain, kCount, kAnd, kOr };

/// A bit beside a line: see Services::active_lanes.
constexpr unsigned kStepOfWarp = 1u << 31;

/// Services of the run time for a running kernel. Each call may switch to another work-item of the same
/// block, on the same thread. In a kernel that runs without fibers each of them records a fault and returns.
struct Services {
  /// __syncthreads and its kin; `line` distinguishes barriers. Returns the combined predicate.
  unsigned (*block_barrier)(Worker*, BarrierKind kind, unsigned predicate, unsigned line);
  /// Waits for the lanes in `mask` that have not left the kernel; returns the value that lane `source`
  /// brought, or the caller's own where that lane brings none.
  unsigned long long (*warp_exchange)(Worker*, unsigned mask, unsigned long long value, unsigned source);
  /// Waits likewise; returns the lanes of `mask` whose predicate holds.
  unsigned (*warp_vote)(Worker*, unsigned mask, unsigned predicate);
  /// Waits until no lane of the caller's warp can go on; returns those that wait here for that, in `line`.
  /// With kStepOfWarp in `line`, lanes that wait so in earlier lines go on first.
  unsigned (*active_lanes)(Worker*, unsigned line);
  void (*assertion_failed)(Worker*, const char* condition, const char* file, unsigned line);
  /// In a kernel that was split at its barriers: a condition around one holds for `yes` of `all` work-items.
  void (*barrier_diverged)(Worker*, unsigned yes, unsigned all, unsigned line);
  /// Waits for every work-item of the grid. A fault where the launch is not cooperative. A kernel that was
  /// split calls it once for a block; `left` of the block's work-items have then left the kernel.
  void (*grid_sync)(Worker*, unsigned line, unsigned left);
  /// Waits while *word is `value`: another work-item of the block changes it.
  void (*wait_while)(Worker*, const unsigned* word, unsigned value, unsigned line);
  /// Waits for every work-item of the cluster. Only in a launch whose clusters have several blocks.
  void (*cluster_sync)(Worker*, unsigned line);
  /// A kernel launches a kernel, which runs when the grid of the first one has ended.
  void (*launch)(Worker*, const DeviceLaunch*);
  /// Runs what the calling thread's blocks have launched.
  void (*await_launches)(Worker*);
};

/// One thread of the pool, as the kernel sees it.
struct Worker {
  const Services* services;
  void* dynamic_shared;  ///< of the running block
  unsigned long long dynamic_shared_bytes;
  unsigned cooperative;          ///< 1: all blocks of the launch run at the same time
  Index3 cluster;                ///< of the launch
  ClusterBlock* cluster_blocks;  ///< of the running block's cluster, x fastest; null where that is one block
};

/// What a unit exports for each kernel, as a symbol of C linkage.
struct Kernel {
  unsigned abi_version;
  unsigned uses_fibers;
  unsigned syncs_grid;  ///< without fibers: blocks wait for each other, and only at the grid's sync
  const char* name;
  const char* note;    ///< why it runs as fibers; empty: it does not, or the reason is unknown
  Index3 fixed_block;  ///< baked in; all 0: any block
  Index3 cluster;      ///< of its __cluster_dims__; all 0: it has none
  unsigned parameter_count;
  const unsigned long long* parameter_bytes;
  /// Without fibers: runs blocks [first, last), counted x fastest.
  void (*run_blocks)(const Launch*, unsigned long long first, unsigned long long last, Worker*);
  /// With fibers: sets the block that the calling thread runs, then runs one work-item of it.
  void (*enter_block)(const Launch*, Index3 block, Worker*);
  void (*run_item)(const Launch*, Index3 thread);
};

/// A launch by a kernel, which the run time copies. Its owner is released behind it.
struct DeviceLaunch {
  Kernel kernel;
  Index3 grid;
  Index3 block;
  unsigned long long dynamic_shared_bytes;
  bool last;  ///< behind all others of the launching grid, and behind what they launch
  void* const* arguments;
  void* owner;
  void (*release)(void* owner);
};

/// What a texture object of a kernel points to. Formats and address modes are numbered as CUDA does
/// (device/texture.h). With fewer dimensions than three the other extents are 1.
struct Texture {
  void* data;
  unsigned long long pitch;  ///< bytes from one row to the next
  unsigned extents[3];       ///< along x, y and z
  unsigned dimensions, channels, format;
  unsigned address[3];
  bool linear, normalized_coordinates, normalized_values, layers, surface;
};

/// One __constant__ or __device__ variable. A unit exports an array of these, ended by a null name.
struct Symbol {
  const char* name;
  void* address;
  unsigned long long bytes;
};

}  // namespace kiln::cpu_abi
