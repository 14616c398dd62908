#pragma once

#include <string>

#include "device/device.h"

namespace kiln {

/// Whether the caller's stream, or another of the device that is known of, is being captured into a graph.
/// Nothing may be compiled or loaded meanwhile. `caller_stream` is null where the caller has none of its own.
[[nodiscard]] bool is_captured(Device& device, void* caller_stream);

/// Throws bad_input if so: "`subject`: a stream on cuda:0 is being captured into a graph, and `refused`
/// meanwhile: ...".
void require_no_capture(Device& device, void* caller_stream, const std::string& subject,
                        const std::string& refused);

}  // namespace kiln
