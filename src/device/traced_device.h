#pragma once

#include <memory>

#include "base/trace.h"
#include "device/device.h"

namespace kiln {

/// Wraps `device` so that its loads, launches, waits and copies become spans of `trace`, which outlives it; a
/// device without tracing has no part of this. Streams, events and modules of a traced device work with
/// objects of the same device only. On a caller's own streams launches are spans of the host only: events
/// would become part of a graph.
[[nodiscard]] std::shared_ptr<Device> make_traced_device(std::shared_ptr<Device> device, Trace& trace);

}  // namespace kiln
