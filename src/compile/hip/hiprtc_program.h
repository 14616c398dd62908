#pragma once

#include <optional>
#include <string>

#include "compile/hip/hiprtc_library.h"
#include "compile/rtc_program.h"

namespace kiln {

struct HiprtcTypes {
  using Functions = hiprtc_abi::Functions;
  using Program = hiprtc_abi::Program;
  static constexpr const char* kPrefix = "hiprtc";
};

/// One compile by hipRTC.
class HiprtcProgram : public RtcProgram<HiprtcTypes> {
 public:
  /// `hiprtc` must outlive it.
  HiprtcProgram(const HiprtcLibrary& hiprtc, const RtcUnit& unit, const std::string& source_name)
      : RtcProgram(hiprtc.call, unit, source_name), call_(hiprtc.call) {}

  /// Absent where hipRTC does not answer: 5.2 knows no expression with the name of a typedef.
  [[nodiscard]] std::optional<std::string> known_name(const std::string& name_expression) const {
    const char* name = nullptr;
    if (call_.get_lowered_name(get(), name_expression.c_str(), &name) != hiprtc_abi::kSuccess)
      return std::nullopt;
    return name;
  }
  [[nodiscard]] std::string code() const { return product(call_.get_code_size, call_.get_code, "GetCode"); }

 private:
  const hiprtc_abi::Functions& call_;
};

}  // namespace kiln
