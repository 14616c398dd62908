#pragma once

#include <optional>
#include <string>

#include "compile/hip/hiprtc_library.h"
#include "compile/rtc_program.h"

namespace kiln {

/// One compile by hipRTC.
class HiprtcProgram : public RtcProgram<HiprtcLibrary> {
 public:
  using RtcProgram::RtcProgram;

  /// Absent if hipRTC does not answer: 5.2 knows no expression with the name of a typedef.
  [[nodiscard]] std::optional<std::string> known_name(const std::string& name_expression) const {
    const char* name = nullptr;
    const int result = call_.get_lowered_name(get(), name_expression.c_str(), &name);
    return result == hiprtc_abi::kSuccess ? std::optional<std::string>(name) : std::nullopt;
  }
  [[nodiscard]] std::string code() const { return product(call_.get_code_size, call_.get_code); }
};

}  // namespace kiln
