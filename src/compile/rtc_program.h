#pragma once

#include <string>
#include <vector>

#include "base/unique_handle.h"
#include "compile/rtc_unit.h"
#include "kiln/error.h"

namespace kiln {

/// One compile by NVRTC or hipRTC, which have the same calls: create, compile, ask for products. Destroyed
/// with the object, also after an error. `Abi` is what nvrtc_abi.h or hiprtc_abi.h declares, as a class with
/// the members `Functions`, `Program` and `kPrefix` ("nvrtc", for messages).
template <class Abi>
class RtcProgram {
 public:
  using Functions = typename Abi::Functions;
  using Program = typename Abi::Program;
  using Result = int;

  /// Throws internal_error if the call is refused, as every member that asks for something; `call` must
  /// outlive it.
  RtcProgram(const Functions& call, const RtcUnit& unit, const std::string& source_name) : call_(call) {
    std::vector<const char*> texts;
    std::vector<const char*> names;
    for (const auto& [name, text] : unit.headers) {
      names.push_back(name.c_str());
      texts.push_back(text.c_str());
    }
    Program program = nullptr;
    check(call.create_program(&program, unit.text.c_str(), source_name.c_str(),
                              static_cast<int>(names.size()), texts.data(), names.data()),
          "CreateProgram");
    program_.reset({&call, program});
  }

  void add_name(const std::string& name_expression) {
    check(call_.add_name_expression(get(), name_expression.c_str()), "AddNameExpression");
  }

  /// The compiler's answer.
  [[nodiscard]] Result compile(const std::vector<std::string>& options) {
    std::vector<const char*> texts;
    texts.reserve(options.size());
    for (const std::string& option : options) texts.push_back(option.c_str());
    return call_.compile_program(get(), static_cast<int>(texts.size()), texts.data());
  }

  [[nodiscard]] std::string log() const {
    return text_product(call_.get_log_size, call_.get_log, "GetProgramLog");
  }

  [[nodiscard]] std::string lowered_name(const std::string& name_expression) const {
    const char* name = nullptr;
    check(call_.get_lowered_name(get(), name_expression.c_str(), &name), "GetLoweredName");
    return name;
  }

  using GetSize = Result (*)(Program, std::size_t*);
  using GetBytes = Result (*)(Program, char*);

  [[nodiscard]] std::string product(GetSize get_size, GetBytes get_bytes, const char* call) const {
    std::size_t size = 0;
    check(get_size(get(), &size), call);
    std::string bytes(size, '\0');
    if (size > 0) check(get_bytes(get(), bytes.data()), call);
    return bytes;
  }

  /// Without the terminating zero, which the compilers count.
  [[nodiscard]] std::string text_product(GetSize get_size, GetBytes get_bytes, const char* call) const {
    std::string text = product(get_size, get_bytes, call);
    while (!text.empty() && text.back() == '\0') text.pop_back();
    return text;
  }

  [[nodiscard]] Program get() const { return program_.get().program; }

 private:
  struct Traits {
    struct Handle {
      const Functions* call = nullptr;
      Program program = nullptr;
      friend bool operator!=(const Handle& a, const Handle& b) { return a.program != b.program; }
    };
    static Handle null() { return {}; }
    static void close(Handle handle) noexcept { handle.call->destroy_program(&handle.program); }
  };

  void check(Result result, const char* call) const {
    if (result != 0)
      throw internal_error(Abi::kPrefix + std::string(call) + ": " + call_.get_error_string(result));
  }

  const Functions& call_;
  UniqueHandle<Traits> program_;
};

}  // namespace kiln
