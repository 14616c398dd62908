#pragma once

#include <chrono>
#include <stop_token>
#include <string>
#include <vector>

#include "compile/cuda/nvrtc_library.h"
#include "compile/rtc_program.h"

namespace kiln {

/// One compile by NVRTC.
class NvrtcProgram : public RtcProgram<NvrtcLibrary> {
 public:
  using RtcProgram::RtcProgram;

  /// NVRTC's answer. A time limit of zero means no limit; an NVRTC before 12.8 cannot be stopped.
  [[nodiscard]] nvrtc_abi::Result compile(const std::vector<std::string>& options,
                                          std::chrono::milliseconds time_limit,
                                          const std::stop_token& stop = {});
  [[nodiscard]] std::string cubin() const { return product(call_.get_cubin_size, call_.get_cubin); }
  [[nodiscard]] std::string ptx() const { return text_product(call_.get_ptx_size, call_.get_ptx); }
};

}  // namespace kiln
