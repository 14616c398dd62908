#pragma once

#include <string>

#include "device/device.h"

namespace kiln {

/// Whether the caller's stream, or another known stream of the device, is being captured into a graph.
/// Compiling and loading are not allowed during a capture. `caller_stream` is null if the caller has no
/// stream of its own.
[[nodiscard]] bool is_captured(Device& device, void* caller_stream);

/// Throws bad_input during a capture: "`subject`: a stream on cuda:0 is being captured into a graph, and
/// `refused` meanwhile: ...".
void require_no_capture(Device& device, void* caller_stream, const std::string& subject,
                        const std::string& refused);

}  // namespace kiln
