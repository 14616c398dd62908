#include "device/stream_capture.h"

#include "kiln/error.h"

namespace kiln {

bool is_captured(Device& device, void* caller_stream) {
  return device.is_capturing(nullptr) || (caller_stream != nullptr && device.is_capturing(caller_stream));
}

void require_no_capture(Device& device, void* caller_stream, const std::string& subject,
                        const std::string& refused) {
  if (!is_captured(device, caller_stream)) return;
  throw bad_input(subject + ": a stream on " + device.info().id + " is being captured into a graph, and " +
                  refused + " meanwhile: get the kernel before the capture begins");
}

}  // namespace kiln
