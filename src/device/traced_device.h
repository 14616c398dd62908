#pragma once

#include <memory>

#include "base/trace.h"
#include "device/device.h"

namespace kiln {

/// `device` with its loads, launches, waits and copies as spans of `trace`, which outlives it; a device that
/// is not traced has no part of this. Streams, events and modules of one go with those of the same only. On a
/// caller's own streams launches are spans of the host only: events would become part of a graph.
[[nodiscard]] std::shared_ptr<Device> make_traced_device(std::shared_ptr<Device> device, Trace& trace);

}  // namespace kiln
