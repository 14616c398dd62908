#pragma once

#include "device/backend_kind.h"

namespace kiln {

/// As much shared memory as a block has on a large GPU.
constexpr std::uint64_t kBlockSharedBytes = 227 << 10;

[[nodiscard]] BackendKind cpu_kind();

}  // namespace kiln
