#pragma once

#include <string>
#include <vector>

#include "base/unique_handle.h"
#include "compile/rtc_unit.h"
#include "device/vendor_library.h"
#include "kiln/error.h"

namespace kiln {

/// One compile by NVRTC or hipRTC, whose calls are alike: create, compile, get products. The program is
/// destroyed with the object, also after an error. `Library` is NvrtcLibrary or HiprtcLibrary.
template <class Library>
class RtcProgram {
 public:
  using Functions = decltype(Library::call);
  using Program = typename Functions::Program;
  using Result = int;

  /// Throws internal_error if the call is refused, as the other members do; `library` must outlive it.
  RtcProgram(const Library& library, const RtcUnit& unit, const std::string& source_name)
      : call_(library.call) {
    std::vector<const char*> texts;
    std::vector<const char*> names;
    for (const auto& [name, text] : unit.headers) {
      names.push_back(name.c_str());
      texts.push_back(text.c_str());
    }
    Program program = nullptr;
    run(call_.create_program, &program, unit.text.c_str(), source_name.c_str(),
        static_cast<int>(names.size()), texts.data(), names.data());
    program_.reset({&call_, program});
  }

  void add_name(const std::string& name_expression) {
    run(call_.add_name_expression, get(), name_expression.c_str());
  }

  /// The compiler's answer.
  [[nodiscard]] Result compile(const std::vector<std::string>& options) {
    std::vector<const char*> texts;
    texts.reserve(options.size());
    for (const std::string& option : options) texts.push_back(option.c_str());
    return call_.compile_program(get(), static_cast<int>(texts.size()), texts.data());
  }

  [[nodiscard]] std::string log() const { return text_product(call_.get_log_size, call_.get_log); }

  [[nodiscard]] std::string lowered_name(const std::string& name_expression) const {
    const char* name = nullptr;
    run(call_.get_lowered_name, get(), name_expression.c_str(), &name);
    return name;
  }

  using GetSize = Import<Result(Program, std::size_t*)>;
  using GetBytes = Import<Result(Program, char*)>;

  [[nodiscard]] std::string product(const GetSize& get_size, const GetBytes& get_bytes) const {
    std::size_t size = 0;
    run(get_size, get(), &size);
    std::string bytes(size, '\0');
    if (size > 0) run(get_bytes, get(), bytes.data());
    return bytes;
  }

  /// The text without the terminating zero, which the compilers count.
  [[nodiscard]] std::string text_product(const GetSize& get_size, const GetBytes& get_bytes) const {
    std::string text = product(get_size, get_bytes);
    while (!text.empty() && text.back() == '\0') text.pop_back();
    return text;
  }

  [[nodiscard]] Program get() const { return program_.get().program; }

 protected:
  const Functions& call_;

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

  template <class Call, class... Arguments>
  void run(const Call& call, Arguments... arguments) const {
    const Result result = call(arguments...);
    if (result != 0) throw internal_error(call.symbol + std::string(": ") + call_.get_error_string(result));
  }

  UniqueHandle<Traits> program_;
};

}  // namespace kiln
