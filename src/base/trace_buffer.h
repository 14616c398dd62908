#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "base/trace.h"

namespace kiln {

/// The spans of one track of threads: one thread at a time, and another when that has ended. Its owner
/// appends without a lock; any thread may read meanwhile.
class TraceBuffer {
 public:
  explicit TraceBuffer(std::int64_t number) : number_(number) {}

  /// Number of the track, from 1 in the order of creation.
  [[nodiscard]] std::int64_t number() const { return number_; }

  /// Takes over a buffer without an owner; false if it has one.
  [[nodiscard]] bool try_own() {
    bool expected = false;
    return owned_.compare_exchange_strong(expected, true, std::memory_order_acquire);
  }
  void disown() { owned_.store(false, std::memory_order_release); }

  /// By the owner.
  void append(TraceEvent event) {
    const std::size_t size = size_.load(std::memory_order_relaxed);
    const std::size_t place = size % kBlock;
    if (size == 0) {
      last_ = &first_;
    } else if (place == 0) {
      last_->next = std::make_unique<Block>();
      last_ = last_->next.get();
    }
    last_->events[place] = std::move(event);
    size_.store(size + 1, std::memory_order_release);
  }

  /// The spans appended before the call.
  [[nodiscard]] std::vector<TraceEvent> events() const {
    std::vector<TraceEvent> result(size_.load(std::memory_order_acquire));
    const Block* block = &first_;
    for (std::size_t i = 0; i < result.size(); ++i) {
      if (i > 0 && i % kBlock == 0) block = block->next.get();
      result[i] = block->events[i % kBlock];
    }
    return result;
  }

 private:
  static constexpr std::size_t kBlock = 256;
  struct Block {
    std::array<TraceEvent, kBlock> events;
    std::unique_ptr<Block> next;
  };

  std::int64_t number_;
  std::atomic<bool> owned_{true};
  std::atomic<std::size_t> size_{0};
  Block first_;
  Block* last_ = nullptr;
};

}  // namespace kiln
