// The CUDA dialect for a host compiler: clusters of blocks, by cooperative groups and without. The blocks of
// a cluster run at the same time, each on a thread of its own, whose thread-local variables are its static
// shared memory.
#pragma once

namespace kiln::cpu {

using cpu_abi::ClusterBlock;

KILN_SHIM unsigned kiln_cluster_size() {
  return static_cast<unsigned>(volume(kiln_worker->cluster));
}

KILN_SHIM void kiln_cluster_sync(unsigned line) {
  if (kiln_worker->cluster_blocks == nullptr) {
    __syncthreads();
    return;
  }
  const unsigned x = threadIdx.x, y = threadIdx.y, z = threadIdx.z;
  kiln_worker->services->cluster_sync(kiln_worker, line);
  threadIdx.x = x;
  threadIdx.y = y;
  threadIdx.z = z;
}

/// The element of another block's shared memory that `p` is of the caller's own.
KILN_SHIM char* kiln_cluster_map(const void* p, unsigned rank) {
  char* const address = static_cast<char*>(const_cast<void*>(p));
  kiln_assert(rank < kiln_cluster_size(), "rank of a block < blocks of the cluster", "map_shared_rank", 0);
  const ClusterBlock* const blocks = kiln_worker->cluster_blocks;
  if (blocks == nullptr) return address;
  const ClusterBlock& own = blocks[cluster_rank(kiln_worker->cluster)];
  const ClusterBlock& other = blocks[rank];
  if (static_cast<unsigned long>(address - own.dynamic_shared) < kiln_worker->dynamic_shared_bytes)
    return other.dynamic_shared + (address - own.dynamic_shared);
  return other.variables + (address - own.variables);
}

/// The rank of the block whose shared memory has `p`; the caller's own where none has.
KILN_SHIM unsigned kiln_cluster_block_of(const void* p) {
  const unsigned own_rank = cluster_rank(kiln_worker->cluster);
  const ClusterBlock* const blocks = kiln_worker->cluster_blocks;
  if (blocks == nullptr || __isShared(p)) return own_rank;
  const auto* address = static_cast<const char*>(p);
  // The variables of each thread have the same order.
  const long before = blocks[own_rank].variables - thread_variables.begin;
  for (unsigned rank = 0; rank < kiln_cluster_size(); ++rank) {
    const ClusterBlock& block = blocks[rank];
    if (static_cast<unsigned long>(address - block.dynamic_shared) < kiln_worker->dynamic_shared_bytes ||
        static_cast<unsigned long>(address - block.variables + before) < thread_variables.bytes)
      return rank;
  }
  return own_rank;
}

}  // namespace kiln::cpu

KILN_SHIM bool __clusterDimIsSpecified() {
  return kiln_worker->cluster_blocks != nullptr;
}
KILN_SHIM dim3 __clusterDim() {
  return dim3(kiln_worker->cluster.x, kiln_worker->cluster.y, kiln_worker->cluster.z);
}
KILN_SHIM dim3 __clusterRelativeBlockIdx() {
  const kiln::cpu::Index3& cluster = kiln_worker->cluster;
  return dim3(blockIdx.x % cluster.x, blockIdx.y % cluster.y, blockIdx.z % cluster.z);
}
KILN_SHIM dim3 __clusterGridDimInClusters() {
  return kiln::cpu::clusters_of_grid();
}
KILN_SHIM dim3 __clusterIdx() {
  return kiln::cpu::cluster_of_block();
}
KILN_SHIM unsigned __clusterRelativeBlockRank() {
  return kiln::cpu::cluster_rank(kiln_worker->cluster);
}
KILN_SHIM unsigned __clusterSizeInBlocks() {
  return kiln::cpu::kiln_cluster_size();
}
KILN_SHIM void __cluster_barrier_arrive() {}
KILN_SHIM void __cluster_barrier_arrive_relaxed() {}
KILN_SHIM void __cluster_barrier_wait(unsigned line = __builtin_LINE()) {
  kiln::cpu::kiln_cluster_sync(line);
}
KILN_SHIM void __threadfence_cluster() {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
KILN_SHIM void* __cluster_map_shared_rank(const void* p, unsigned rank) {
  return kiln::cpu::kiln_cluster_map(p, rank);
}
/// Of a 32-bit address of shared memory; see __cvta_generic_to_shared.
KILN_SHIM unsigned kiln_cluster_address(unsigned address, unsigned rank) {
  kiln_assert(rank < kiln::cpu::kiln_cluster_size(), "rank of a block < blocks of the cluster", "mapa", 0);
  if (kiln_worker->cluster_blocks == nullptr) return address;
  const auto place = static_cast<unsigned>(rank * kKilnDynamicShared);
  if (address < kKilnDynamicShared) return static_cast<unsigned>(kKilnClusterDynamic) + place + address;
  const size_t offset = address - kKilnStaticShared + kKilnDynamicShared / 2;
  kiln_assert(offset < kKilnDynamicShared, "an address of the block's own shared memory", "mapa", 0);
  return static_cast<unsigned>(kKilnClusterStatic + offset) + place;
}
KILN_SHIM unsigned __cluster_query_shared_rank(const void* p) {
  return kiln::cpu::kiln_cluster_block_of(p);
}

namespace cooperative_groups {

class cluster_group {
 public:
  struct arrival_token {};
  static void sync(unsigned line = __builtin_LINE()) { kiln::cpu::kiln_cluster_sync(line); }
  static arrival_token barrier_arrive() { return {}; }
  static void barrier_wait(unsigned line = __builtin_LINE()) { sync(line); }
  static void barrier_wait(arrival_token&&, unsigned line = __builtin_LINE()) { sync(line); }
  static unsigned query_shared_rank(const void* p) { return kiln::cpu::kiln_cluster_block_of(p); }
  template <class T>
  static T* map_shared_rank(T* p, int rank) {
    return reinterpret_cast<T*>(kiln::cpu::kiln_cluster_map(p, static_cast<unsigned>(rank)));
  }
  static dim3 block_index() { return __clusterRelativeBlockIdx(); }
  static unsigned block_rank() { return __clusterRelativeBlockRank(); }
  static dim3 thread_index() {
    const dim3 block = block_index();
    return dim3(block.x * blockDim.x + threadIdx.x, block.y * blockDim.y + threadIdx.y,
                block.z * blockDim.z + threadIdx.z);
  }
  static unsigned thread_rank() {
    return block_rank() * blockDim.x * blockDim.y * blockDim.z + KILN_LINEAR_THREAD();
  }
  static dim3 dim_blocks() { return __clusterDim(); }
  static unsigned num_blocks() { return kiln::cpu::kiln_cluster_size(); }
  static dim3 dim_threads() {
    const dim3 blocks = dim_blocks();
    return dim3(blocks.x * blockDim.x, blocks.y * blockDim.y, blocks.z * blockDim.z);
  }
  static unsigned num_threads() { return num_blocks() * blockDim.x * blockDim.y * blockDim.z; }
  static unsigned size() { return num_threads(); }
};

KILN_SHIM cluster_group this_cluster() {
  return cluster_group();
}

}  // namespace cooperative_groups
