#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>

#include "device/cpu/fault_sink.h"

namespace kiln {

/// Where the blocks of a cooperative launch, or of a cluster, wait for each other, each on a thread of its
/// own. A grid's sync waits for all blocks: one that has left the kernel never comes, the launch then has a
/// fault, and every block that waits gives up. A cluster's sync waits for the blocks that have not left, as
/// on a GPU.
class GridBarrier {
 public:
  enum class Of { kGrid, kCluster };

  /// `kernel`: its name, for messages.
  GridBarrier(Of of, std::uint64_t blocks, const char* kernel, FaultSink& faults);
  GridBarrier(const GridBarrier&) = delete;
  GridBarrier& operator=(const GridBarrier&) = delete;

  /// Returns true when all blocks have come, false if the caller must give its block up. `line` is that of
  /// the call in the kernel text.
  [[nodiscard]] bool wait(unsigned line);
  /// A block has ended, or could not be started.
  void leave();

 private:
  [[nodiscard]] bool all_wait() const;
  void open();
  void give_up();

  const Of of_;
  const std::uint64_t blocks_;
  const char* const kernel_;
  FaultSink& faults_;
  std::mutex mutex_;  // guards the members below
  std::condition_variable changed_;
  std::uint64_t waiting_ = 0;
  std::uint64_t left_ = 0;
  std::uint64_t phase_ = 0;
  unsigned line_ = 0;  ///< where the first block of the phase waits
  bool broken_ = false;
};

/// The same for a launch whose threads have several blocks each and run all of them up to the grid's sync,
/// then on to the next one: here the threads wait for each other.
class GridPhases {
 public:
  GridPhases(std::uint64_t blocks, unsigned threads, std::string kernel, FaultSink& faults);
  GridPhases(const GridPhases&) = delete;
  GridPhases& operator=(const GridPhases&) = delete;

  /// What a thread's blocks did in a phase.
  struct Arrivals {
    std::uint64_t waiting = 0;  ///< blocks at the grid's sync
    std::uint64_t left = 0;     ///< blocks that have left the kernel, in this phase or before
    unsigned line = 0;          ///< of a sync where a block waits
  };
  /// Each thread calls it after each phase. Returns true if all blocks go on, false if there is no further
  /// phase: all have left, or the launch has a fault.
  [[nodiscard]] bool next(const Arrivals& arrivals);
  /// The number of phases that have ended.
  [[nodiscard]] std::uint32_t count() const { return phase_.load(std::memory_order_relaxed); }

 private:
  const std::uint64_t blocks_;
  const unsigned threads_;
  const std::string kernel_;
  FaultSink& faults_;
  std::atomic<std::uint64_t> waiting_{0}, left_{0};
  std::atomic<unsigned> arrived_{0}, line_{0};
  std::atomic<std::uint32_t> phase_{0};
  bool goes_on_ = false;  ///< written before phase_ changes
};

}  // namespace kiln
