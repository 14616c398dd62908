#include "device/cpu/concurrent_blocks.h"

namespace kiln {
ConcurrentBlocks::ConcurrentBlocks(const cpu_abi::Kernel& kernel, const cpu_abi::Launch& launch,
                                   bool cooperative, FaultSink& faults)
    : kernel_(kernel),
      launch_(launch),
      faults_(faults),
      cooperative_(cooperative),
      cluster_size_(volume(launch.cluster)),
      clusters_(volume(launch.grid) / cluster_size_),
      clusters_at_once_(cooperative ? clusters_ : 1),
      of_clusters_(cluster_size_ > 1 ? clusters_at_once_ : 0),
      cluster_blocks_(cluster_size_ > 1 ? threads() : 0),
      together_(static_cast<std::ptrdiff_t>(threads()), Begin{this}) {}

bool ConcurrentBlocks::next() {
  together_.arrive_and_wait();
  return !ended_;
}

void ConcurrentBlocks::begin_round() {
  ended_ = faults_.raised() || rounds_begun_ * clusters_at_once_ == clusters_;
  if (ended_) return;
  ++rounds_begun_;
  if (cooperative_) grid_.emplace(GridBarrier::Of::kGrid, threads(), kernel_.name, faults_);
  for (auto& cluster : of_clusters_)
    cluster.emplace(GridBarrier::Of::kCluster, cluster_size_, kernel_.name, faults_);
}

std::uint64_t ConcurrentBlocks::block_of(std::uint64_t thread) const {
  const cpu_abi::Index3 grid = launch_.grid, extents = launch_.cluster;
  const std::uint64_t number = (rounds_begun_ - 1) * clusters_at_once_ + thread / cluster_size_;
  const cpu_abi::Index3 cluster =
      cpu_abi::position(number, {grid.x / extents.x, grid.y / extents.y, grid.z / extents.z});
  const cpu_abi::Index3 block = cpu_abi::position(thread % cluster_size_, extents);
  const std::uint64_t x = std::uint64_t{cluster.x} * extents.x + block.x;
  const std::uint64_t y = std::uint64_t{cluster.y} * extents.y + block.y;
  const std::uint64_t z = std::uint64_t{cluster.z} * extents.z + block.z;
  return x + grid.x * (y + grid.y * z);
}

BlocksBeside ConcurrentBlocks::beside(std::uint64_t thread) {
  BlocksBeside others;
  if (grid_) others.grid = &*grid_;
  if (of_clusters_.empty()) return others;
  const std::uint64_t cluster = thread / cluster_size_;
  others.cluster = &*of_clusters_[cluster];
  others.cluster_blocks = &cluster_blocks_[cluster * cluster_size_];
  return others;
}

void ConcurrentBlocks::leave(std::uint64_t thread) {
  const BlocksBeside others = beside(thread);
  if (others.grid != nullptr) others.grid->leave();
  if (others.cluster != nullptr) others.cluster->leave();
}

void ConcurrentBlocks::give_up(std::uint64_t missing) {
  for (; missing != 0; --missing) together_.arrive_and_drop();
}

}  // namespace kiln
