#pragma once

#include <cstdint>
#include <string>

#include "base/file.h"

namespace kiln {

/// Properties of this machine from /proc and /sys; 0 or "" if unknown.
struct Machine {
  std::string processor;
  std::uint64_t memory_bytes = 0;
  std::uint64_t last_level_cache_bytes = 0;
};

[[nodiscard]] Machine describe_machine(FileSystem& files);

/// Memory that can still be allocated: the kernel's estimate, or the control group's allowance if that is
/// less.
[[nodiscard]] std::uint64_t available_memory_bytes(FileSystem& files);

}  // namespace kiln
