#pragma once

#include <cstdint>
#include <string>

#include "base/file.h"

namespace kiln {

/// What /proc and /sys tell of this machine; 0 or "" where they do not.
struct Machine {
  std::string processor;
  std::uint64_t memory_bytes = 0;
  std::uint64_t last_level_cache_bytes = 0;
};

[[nodiscard]] Machine describe_machine(FileSystem& files);

/// What can still be allocated: the kernel's estimate, or what the control group allows if that is less.
[[nodiscard]] std::uint64_t available_memory_bytes(FileSystem& files);

}  // namespace kiln
