#pragma once

#include <memory>
#include <string>

#include "base/file.h"
#include "device/hip/hip_abi.h"
#include "device/hip/hip_folders.h"
#include "device/vendor_library.h"

namespace kiln {

/// libamdhip64, opened at run time and initialised. One for the process, never closed.
struct HipRuntime {
  hip_abi::Functions call{};
  std::string path;
  std::string version;  ///< "6.2.41134"
  std::string release;  ///< of the amdgpu kernel module, "6.8.5"; empty if it does not tell

  /// "amdgpu 6.8.5, HIP 6.2.41134"
  [[nodiscard]] std::string description() const;
};

[[nodiscard]] OpenedLibrary<HipRuntime> open_hip_runtime(const HipPlaces& places, FileSystem& files);

/// "hipErrorIllegalAddress (700): an illegal memory access was encountered"
[[nodiscard]] std::string describe_result(const HipRuntime& runtime, hip_abi::Result result);

/// Throws what `result` calls for: a lost device for an error of a kernel, else Error with the run time's
/// name, number and words, the call and `context` ("kernel 'axpy', grid 4 x 1 x 1, ...").
[[noreturn]] void throw_hip_error(const HipRuntime& runtime, hip_abi::Result result, const char* call,
                                  const std::string& context = "");

inline void check_hip(const HipRuntime& runtime, hip_abi::Result result, const char* call) {
  if (result != hip_abi::kSuccess) throw_hip_error(runtime, result, call);
}

}  // namespace kiln
