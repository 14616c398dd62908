#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>

#include "device/cpu/fault_sink.h"

namespace kiln {

/// Where the blocks of a cooperative launch wait for each other, each on a thread of its own. A block that
/// has left the kernel never comes: the launch then has a fault, and every block that waits gives up.
class GridBarrier {
 public:
  /// `kernel`: its name, for messages.
  GridBarrier(std::uint64_t blocks, std::string kernel, FaultSink& faults);
  GridBarrier(const GridBarrier&) = delete;
  GridBarrier& operator=(const GridBarrier&) = delete;

  /// Returns true when all blocks have come, false if the caller must give its block up. `line` is that of
  /// the call in the kernel text.
  [[nodiscard]] bool wait(unsigned line);
  /// A block has ended, or could not be started.
  void leave();

 private:
  void give_up();

  const std::uint64_t blocks_;
  const std::string kernel_;
  FaultSink& faults_;
  std::mutex mutex_;  // guards the members below
  std::condition_variable changed_;
  std::uint64_t waiting_ = 0;
  std::uint64_t left_ = 0;
  std::uint64_t phase_ = 0;
  unsigned line_ = 0;  ///< where the first block of the phase waits
  bool broken_ = false;
};

}  // namespace kiln
