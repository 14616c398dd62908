#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "compile/cuda/nvrtc_library.h"
#include "compile/rtc_program.h"

namespace kiln {

struct NvrtcTypes {
  using Functions = nvrtc_abi::Functions;
  using Program = nvrtc_abi::Program;
  static constexpr const char* kPrefix = "nvrtc";
};

/// One compile by NVRTC.
class NvrtcProgram : public RtcProgram<NvrtcTypes> {
 public:
  /// `nvrtc` must outlive it.
  NvrtcProgram(const NvrtcLibrary& nvrtc, const RtcUnit& unit, const std::string& source_name)
      : RtcProgram(nvrtc.call, unit, source_name), nvrtc_(nvrtc) {}

  /// NVRTC's answer. A limit of zero is none; an NVRTC before 12.8 cannot be stopped.
  [[nodiscard]] nvrtc_abi::Result compile(const std::vector<std::string>& options,
                                          std::chrono::milliseconds time_limit);
  [[nodiscard]] std::string cubin() const {
    return product(nvrtc_.call.get_cubin_size, nvrtc_.call.get_cubin, "GetCUBIN");
  }
  [[nodiscard]] std::string ptx() const {
    return text_product(nvrtc_.call.get_ptx_size, nvrtc_.call.get_ptx, "GetPTX");
  }

 private:
  const NvrtcLibrary& nvrtc_;
};

}  // namespace kiln
