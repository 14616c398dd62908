#pragma once

#include <cstddef>
#include <vector>

#include "device/cpu/context.h"
#include "device/cpu/memory_map.h"

namespace kiln {

/// Stacks for work-items, each above a guard page: an overflow ends the process there and does not write into
/// a neighbour. Only used pages take memory.
class FiberStacks {
 public:
  explicit FiberStacks(std::size_t stack_bytes);

  /// Prepares a new `context` so that the first switch to it calls entry(argument) on the i-th stack; makes
  /// stacks up to it if need be. Throws std::bad_alloc.
  void start(Context& context, std::size_t i, void (*entry)(void*), void* argument);

 private:
  [[nodiscard]] void* bottom(std::size_t i);

  std::size_t stack_bytes_;
  std::size_t page_bytes_;
  std::vector<MemoryMap> slabs_;
};

}  // namespace kiln
