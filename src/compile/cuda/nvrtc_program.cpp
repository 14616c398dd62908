#include "compile/cuda/nvrtc_program.h"

namespace kiln {
namespace {

using SteadyClock = std::chrono::steady_clock;

struct End {
  SteadyClock::time_point deadline;  ///< the clock's end: none
  const std::stop_token& stop;
};

/// NVRTC calls this at intervals to ask whether to stop.
int is_reached(void* payload, void* /*reserved*/) {
  const End& end = *static_cast<const End*>(payload);
  return end.stop.stop_requested() || SteadyClock::now() > end.deadline ? 1 : 0;
}

}  // namespace

nvrtc_abi::Result NvrtcProgram::compile(const std::vector<std::string>& options,
                                        std::chrono::milliseconds time_limit, const std::stop_token& stop) {
  const bool limited = time_limit.count() > 0;
  End end{limited ? SteadyClock::now() + time_limit : SteadyClock::time_point::max(), stop};
  if ((limited || stop.stop_possible()) && call_.set_flow_callback != nullptr) {
    call_.set_flow_callback(get(), is_reached, &end);
  }
  return RtcProgram::compile(options);
}

}  // namespace kiln
