#include "compile/cuda/nvrtc_program.h"

namespace kiln {
namespace {

using Deadline = std::chrono::steady_clock::time_point;

/// NVRTC calls this at intervals to ask whether to stop.
int is_past(void* deadline, void* /*reserved*/) {
  return std::chrono::steady_clock::now() > *static_cast<const Deadline*>(deadline) ? 1 : 0;
}

}  // namespace

nvrtc_abi::Result NvrtcProgram::compile(const std::vector<std::string>& options,
                                        std::chrono::milliseconds time_limit) {
  Deadline deadline = std::chrono::steady_clock::now() + time_limit;
  if (time_limit.count() > 0 && call_.set_flow_callback != nullptr) {
    call_.set_flow_callback(get(), is_past, &deadline);
  }
  return RtcProgram::compile(options);
}

}  // namespace kiln
