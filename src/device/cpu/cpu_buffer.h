#pragma once

#include <cstddef>
#include <memory>

#include "device/device.h"

namespace kiln {

/// Host memory, aligned to a page, or to 2 MiB and of huge pages where it is large. Zero, and not yet backed
/// by memory: the thread that first touches a page decides where it lies. Null where the system refuses.
[[nodiscard]] std::unique_ptr<DeviceBuffer> make_cpu_buffer(std::size_t bytes);

}  // namespace kiln
