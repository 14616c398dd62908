#include "device/cpu/grid_barrier.h"

#include <utility>

namespace kiln {

GridBarrier::GridBarrier(std::uint64_t blocks, std::string kernel, FaultSink& faults)
    : blocks_(blocks), kernel_(std::move(kernel)), faults_(faults) {}

bool GridBarrier::wait(unsigned line) {
  std::unique_lock lock(mutex_);
  if (waiting_++ == 0) line_ = line;
  if (left_ != 0) give_up();
  if (broken_) return false;
  if (waiting_ == blocks_) {
    waiting_ = 0;
    ++phase_;
    changed_.notify_all();
    return true;
  }
  const std::uint64_t phase = phase_;
  changed_.wait(lock, [&] { return phase_ != phase || broken_; });
  return phase_ != phase;
}

void GridBarrier::leave() {
  const std::lock_guard lock(mutex_);
  ++left_;
  if (waiting_ != 0) give_up();
}

/// The fault of the block that did not come, if it had one, is kept.
void GridBarrier::give_up() {
  if (broken_) return;
  broken_ = true;
  faults_.raise(std::to_string(waiting_) + " of " + std::to_string(blocks_) +
                " blocks wait at the grid's sync in line " + std::to_string(line_) + " of '" + kernel_ +
                "'; " + std::to_string(left_) + " left the kernel");
  changed_.notify_all();
}

}  // namespace kiln
