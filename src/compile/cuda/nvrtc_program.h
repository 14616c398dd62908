#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "base/unique_handle.h"
#include "compile/cuda/nvrtc_library.h"
#include "compile/cuda/nvrtc_unit.h"

namespace kiln {

/// One compile by NVRTC: create, compile, ask for its products. Destroyed with the object, also after an
/// error.
class NvrtcProgram {
 public:
  /// Throws internal_error if NVRTC refuses the call; `nvrtc` must outlive it.
  NvrtcProgram(const NvrtcLibrary& nvrtc, const NvrtcUnit& unit, const std::string& source_name);

  void add_name(const std::string& name_expression);
  /// NVRTC's answer. A limit of zero is none; an NVRTC before 12.8 cannot be stopped.
  [[nodiscard]] nvrtc_abi::Result compile(const std::vector<std::string>& options,
                                          std::chrono::milliseconds time_limit);
  [[nodiscard]] std::string log() const;
  [[nodiscard]] std::string cubin() const;
  [[nodiscard]] std::string ptx() const;
  [[nodiscard]] std::string lowered_name(const std::string& name_expression) const;

 private:
  struct Traits {
    struct Handle {
      const NvrtcLibrary* nvrtc = nullptr;
      nvrtc_abi::Program program = nullptr;
      friend bool operator!=(const Handle& a, const Handle& b) { return a.program != b.program; }
    };
    static Handle null() { return {}; }
    static void close(Handle handle) noexcept { handle.nvrtc->call.destroy_program(&handle.program); }
  };

  using GetSize = nvrtc_abi::Result (*)(nvrtc_abi::Program, std::size_t*);
  using GetBytes = nvrtc_abi::Result (*)(nvrtc_abi::Program, char*);

  void check(nvrtc_abi::Result result, const char* call) const;
  [[nodiscard]] std::string product(GetSize get_size, GetBytes get_bytes, const char* call) const;
  [[nodiscard]] nvrtc_abi::Program get() const { return program_.get().program; }

  const NvrtcLibrary& nvrtc_;
  UniqueHandle<Traits> program_;
};

}  // namespace kiln
