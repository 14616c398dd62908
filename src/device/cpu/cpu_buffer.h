#pragma once

#include <cstddef>
#include <memory>

#include "device/device.h"

namespace kiln {

/// Host memory, aligned to a page; a large buffer is aligned to 2 MiB and uses huge pages. It is zero and not
/// yet backed by memory: the thread that first touches a page decides on which node it lies. Null if the
/// system refuses.
[[nodiscard]] std::unique_ptr<DeviceBuffer> make_cpu_buffer(std::size_t bytes);

}  // namespace kiln
