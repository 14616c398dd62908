#pragma once

#include <memory>
#include <string>

#include "base/file.h"
#include "base/unique_handle.h"
#include "device/cuda/cuda_folders.h"
#include "device/cuda/driver_abi.h"
#include "device/vendor_library.h"

namespace kiln {

struct CudaDriver;

struct PushedContextTraits {
  using Handle = const CudaDriver*;
  static Handle null() { return nullptr; }
  static void close(Handle driver) noexcept;
};

/// While it lives, its context is current on this thread; afterwards the caller's context is.
using CurrentContext = UniqueHandle<PushedContextTraits>;

/// libcuda, opened at run time and initialised. One for the process, never closed.
struct CudaDriver {
  using Functions = cuda_abi::Functions;
  using DeviceAttribute = cuda_abi::DeviceAttribute;
  using Place = cuda_abi::Context;

  Functions call;
  std::string path;
  int cuda_version = 0;  ///< the newest CUDA that the driver knows: 13000 is 13.0
  std::string release;   ///< "580.159.04", empty if /proc does not report it

  /// Whether modules are loaded by cuLibrary, which CUDA 12 added.
  [[nodiscard]] bool has_libraries() const { return call.library_load != nullptr; }
  /// "580.159.04, CUDA 13.0"
  [[nodiscard]] std::string description() const;
  /// "CUDA_ERROR_ILLEGAL_ADDRESS (700): an illegal memory access was encountered"
  [[nodiscard]] std::string describe(cuda_abi::Result result) const;
  /// The error has ended the context: nothing more runs on the device in this process.
  [[nodiscard]] static bool is_sticky(cuda_abi::Result result);
  /// The result holds nothing if the driver refuses.
  [[nodiscard]] CurrentContext try_enter(cuda_abi::Context context) const {
    return CurrentContext(call.context_push(context) == cuda_abi::kSuccess ? this : nullptr);
  }
};

inline void PushedContextTraits::close(Handle driver) noexcept {
  cuda_abi::Context ignored = nullptr;
  driver->call.context_pop(&ignored);
}

/// Loads and starts the driver, if there is one, and creates a device's primary context, which stays until
/// the process ends: a later open of the device finds it ready. A hint: it reports no error.
void start_cuda_driver(const CudaPlaces& places, FileSystem& files, int ordinal);

[[nodiscard]] OpenedLibrary<CudaDriver> open_cuda_driver(const CudaPlaces& places, FileSystem& files);

}  // namespace kiln
