// The CUDA dialect for a host compiler: clusters of blocks without cooperative groups. A cluster has one
// block.
#pragma once

KILN_SHIM bool __clusterDimIsSpecified() {
  return false;
}
KILN_SHIM dim3 __clusterDim() {
  return dim3(1, 1, 1);
}
KILN_SHIM dim3 __clusterRelativeBlockIdx() {
  return dim3(0, 0, 0);
}
KILN_SHIM dim3 __clusterGridDimInClusters() {
  return dim3(gridDim.x, gridDim.y, gridDim.z);
}
KILN_SHIM dim3 __clusterIdx() {
  return dim3(blockIdx.x, blockIdx.y, blockIdx.z);
}
KILN_SHIM unsigned __clusterRelativeBlockRank() {
  return 0;
}
KILN_SHIM unsigned __clusterSizeInBlocks() {
  return 1;
}
KILN_SHIM void __cluster_barrier_arrive() {}
KILN_SHIM void __cluster_barrier_arrive_relaxed() {}
#define __cluster_barrier_wait() __syncthreads()
KILN_SHIM void __threadfence_cluster() {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
/// Fails the launch where `rank` is another block's.
KILN_SHIM void* __cluster_map_shared_rank(const void* p, unsigned rank) {
  kiln_assert(rank == 0, "a cluster of blocks has one block on the cpu", "__cluster_map_shared_rank", 0);
  return const_cast<void*>(p);
}
KILN_SHIM unsigned __cluster_query_shared_rank(const void*) {
  return 0;
}
