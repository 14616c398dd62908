#pragma once

#include <memory>
#include <string>

#include "base/file.h"
#include "base/unique_handle.h"
#include "device/hip/hip_abi.h"
#include "device/hip/hip_folders.h"
#include "device/vendor_library.h"

namespace kiln {

struct HipRuntime;

struct SelectedDeviceTraits {
  struct Handle {
    const HipRuntime* runtime = nullptr;
    int before = 0;
    friend bool operator!=(const Handle& a, const Handle& b) { return a.runtime != b.runtime; }
  };
  static Handle null() { return {}; }
  static void close(const Handle& handle) noexcept;
};

/// While it lives, its device is selected on this thread; afterwards the caller's device is.
using SelectedDevice = UniqueHandle<SelectedDeviceTraits>;

/// libamdhip64, opened at run time and initialised. One for the process, never closed.
struct HipRuntime {
  using Functions = hip_abi::Functions;
  using DeviceAttribute = hip_abi::DeviceAttribute;
  using Place = int;  ///< the device's number

  Functions call;
  std::string path;
  std::string version;  ///< "6.2.41134"
  std::string release;  ///< of the amdgpu kernel module, "6.8.5"; empty if it does not report it

  /// "amdgpu 6.8.5, HIP 6.2.41134"
  [[nodiscard]] std::string description() const;
  /// "hipErrorIllegalAddress (700): an illegal memory access was encountered"
  [[nodiscard]] std::string describe(hip_abi::Result result) const;
  /// Whether after this error the process can run nothing more on the device.
  [[nodiscard]] static bool is_sticky(hip_abi::Result result);
  /// The result holds nothing if the run time does not report the selected device.
  [[nodiscard]] SelectedDevice try_enter(int device) const {
    int before = 0;
    const bool known = call.get_device(&before) == hip_abi::kSuccess;
    call.set_device(device);
    return SelectedDevice({known ? this : nullptr, before});
  }
};

inline void SelectedDeviceTraits::close(const Handle& handle) noexcept {
  handle.runtime->call.set_device(handle.before);
}

[[nodiscard]] OpenedLibrary<HipRuntime> open_hip_runtime(const HipPlaces& places, FileSystem& files);

}  // namespace kiln
