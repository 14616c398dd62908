#pragma once

#include <memory>
#include <string>

#include "base/file.h"
#include "device/cuda/cuda_folders.h"
#include "device/cuda/driver_abi.h"
#include "device/vendor_library.h"

namespace kiln {

/// libcuda, opened at run time and initialised. One for the process, never closed.
struct CudaDriver {
  cuda_abi::Functions call{};
  std::string path;
  int cuda_version = 0;  ///< the newest CUDA that the driver knows: 13000 is 13.0
  std::string release;   ///< "580.159.04", empty if /proc does not tell

  /// Loading is by cuLibrary, which CUDA 12 brought.
  [[nodiscard]] bool has_libraries() const { return call.library_load != nullptr; }
  /// "580.159.04, CUDA 13.0"
  [[nodiscard]] std::string description() const;
};

/// Loads and starts the driver, if there is one, and makes a device's primary context, which stays until the
/// process ends: what opens the device finds it done. A hint: nothing is reported.
void start_cuda_driver(const CudaPlaces& places, FileSystem& files, int ordinal);

[[nodiscard]] OpenedLibrary<CudaDriver> open_cuda_driver(const CudaPlaces& places, FileSystem& files);

/// "CUDA_ERROR_ILLEGAL_ADDRESS (700): an illegal memory access was encountered"
[[nodiscard]] std::string describe_result(const CudaDriver& driver, cuda_abi::Result result);

/// The error has ended the context: nothing more runs on the device in this process.
[[nodiscard]] bool is_sticky(cuda_abi::Result result);

/// Throws what `result` calls for: a lost device for an error of a kernel, else Error with the driver's name,
/// number and words, the call and `context` ("kernel 'axpy', grid 4 x 1 x 1, ...").
[[noreturn]] void throw_cuda_error(const CudaDriver& driver, cuda_abi::Result result, const char* call,
                                   const std::string& context = "");

inline void check_cuda(const CudaDriver& driver, cuda_abi::Result result, const char* call) {
  if (result != cuda_abi::kSuccess) throw_cuda_error(driver, result, call);
}

}  // namespace kiln
