#pragma once

#include <cstddef>
#include <vector>

#include "device/cpu/memory_map.h"

namespace kiln {

/// Stacks for work-items, each above a guard page: an overflow ends the process there and does not write into
/// a neighbour. Only used pages take memory.
class FiberStacks {
 public:
  explicit FiberStacks(std::size_t stack_bytes);

  /// Bottom of the i-th stack; makes stacks up to it if need be. Throws std::bad_alloc.
  [[nodiscard]] void* bottom(std::size_t i);
  [[nodiscard]] std::size_t bytes() const { return stack_bytes_; }

 private:
  std::size_t stack_bytes_;
  std::size_t page_bytes_;
  std::vector<MemoryMap> slabs_;
};

}  // namespace kiln
