#include "device/cpu/grid_barrier.h"

#include <utility>

#include "device/cpu/await_change.h"

namespace kiln {
namespace {

std::string text_of_fault(std::uint64_t waiting, std::uint64_t blocks, unsigned line,
                          const std::string& kernel, std::uint64_t left) {
  return std::to_string(waiting) + " of " + std::to_string(blocks) +
         " blocks wait at the grid's sync in line " + std::to_string(line) + " of '" + kernel + "'; " +
         std::to_string(left) + " left the kernel";
}

}  // namespace

GridBarrier::GridBarrier(Of of, std::uint64_t blocks, const char* kernel, FaultSink& faults)
    : of_(of), blocks_(blocks), kernel_(kernel), faults_(faults) {}

bool GridBarrier::wait(unsigned line) {
  std::unique_lock lock(mutex_);
  if (waiting_++ == 0) line_ = line;
  if (left_ != 0 && of_ == Of::kGrid) give_up();
  if (broken_) return false;
  if (all_wait()) {
    open();
    return true;
  }
  const std::uint64_t phase = phase_;
  changed_.wait(lock, [&] { return phase_ != phase || broken_; });
  return phase_ != phase;
}

void GridBarrier::leave() {
  const std::lock_guard lock(mutex_);
  ++left_;
  if (waiting_ == 0) return;
  if (of_ == Of::kGrid || faults_.raised())
    give_up();
  else if (all_wait())
    open();
}

bool GridBarrier::all_wait() const {
  return waiting_ == blocks_ - (of_ == Of::kCluster ? left_ : 0);
}

void GridBarrier::open() {
  waiting_ = 0;
  ++phase_;
  changed_.notify_all();
}

/// The fault of the block that did not come, if it had one, is kept.
void GridBarrier::give_up() {
  if (broken_) return;
  broken_ = true;
  if (of_ == Of::kGrid) faults_.raise(text_of_fault(waiting_, blocks_, line_, kernel_, left_));
  changed_.notify_all();
}

GridPhases::GridPhases(std::uint64_t blocks, unsigned threads, std::string kernel, FaultSink& faults)
    : blocks_(blocks), threads_(threads), kernel_(std::move(kernel)), faults_(faults) {}

bool GridPhases::next(const Arrivals& arrivals) {
  const std::uint32_t phase = phase_.load(std::memory_order_relaxed);
  waiting_.fetch_add(arrivals.waiting, std::memory_order_relaxed);
  left_.fetch_add(arrivals.left, std::memory_order_relaxed);
  if (arrivals.waiting != 0) line_.store(arrivals.line, std::memory_order_relaxed);
  if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 != threads_) {
    await_change(phase_, phase);
    return goes_on_;
  }
  // The last thread decides for all; the others wait.
  const std::uint64_t waiting = waiting_.exchange(0, std::memory_order_relaxed);
  const std::uint64_t left = left_.exchange(0, std::memory_order_relaxed);
  arrived_.store(0, std::memory_order_relaxed);
  if (waiting != 0 && waiting != blocks_)
    faults_.raise(text_of_fault(waiting, blocks_, line_.load(std::memory_order_relaxed), kernel_, left));
  goes_on_ = waiting != 0 && !faults_.raised();
  phase_.fetch_add(1, std::memory_order_release);
  phase_.notify_all();
  return goes_on_;
}

}  // namespace kiln
