#pragma once

#include <barrier>
#include <cstdint>
#include <optional>
#include <vector>

#include "device/cpu/fault_sink.h"
#include "device/cpu/grid_barrier.h"
#include "device/cpu/worker_abi.h"

namespace kiln {

/// What a running block has of the blocks that run beside it; null where none do.
struct BlocksBeside {
  GridBarrier* grid = nullptr;     ///< of a cooperative launch
  GridBarrier* cluster = nullptr;  ///< of a cluster of several blocks
  cpu_abi::ClusterBlock* cluster_blocks = nullptr;
};

/// Blocks of a launch that run at the same time, each on a thread of its own: all blocks of a cooperative
/// launch, or one cluster after the other. The threads go from one cluster to the next together.
class ConcurrentBlocks {
 public:
  /// The grid is a multiple of the launch's cluster.
  ConcurrentBlocks(const cpu_abi::Kernel& kernel, const cpu_abi::Launch& launch, bool cooperative,
                   FaultSink& faults);
  ConcurrentBlocks(const ConcurrentBlocks&) = delete;
  ConcurrentBlocks& operator=(const ConcurrentBlocks&) = delete;

  [[nodiscard]] std::uint64_t threads() const { return clusters_at_once_ * cluster_size_; }
  /// Each thread calls it before each of its blocks, and waits for the other threads. False if there is no
  /// further block, or the launch has a fault.
  [[nodiscard]] bool next();
  /// The block that a thread runs after next(), counted x fastest in the grid, and what is beside it.
  [[nodiscard]] std::uint64_t block_of(std::uint64_t thread) const;
  [[nodiscard]] BlocksBeside beside(std::uint64_t thread);
  /// A thread has run its block, or could not.
  void leave(std::uint64_t thread);
  /// The last `missing` threads could not be started. The launch has a fault.
  void give_up(std::uint64_t missing);

 private:
  struct Begin {
    ConcurrentBlocks* blocks;
    void operator()() noexcept { blocks->begin_round(); }
  };
  void begin_round();

  const cpu_abi::Kernel& kernel_;
  const cpu_abi::Launch& launch_;
  FaultSink& faults_;
  const bool cooperative_;
  const std::uint64_t cluster_size_, clusters_, clusters_at_once_;
  std::uint64_t rounds_begun_ = 0;
  bool ended_ = false;
  std::optional<GridBarrier> grid_;
  std::vector<std::optional<GridBarrier>> of_clusters_;
  std::vector<cpu_abi::ClusterBlock> cluster_blocks_;
  std::barrier<Begin> together_;
};

}  // namespace kiln
