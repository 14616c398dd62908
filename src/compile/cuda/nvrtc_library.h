#pragma once

#include <string>
#include <vector>

#include "base/file.h"
#include "compile/cuda/nvrtc_abi.h"
#include "device/cuda/cuda_folders.h"

namespace kiln {

/// libnvrtc, opened at run time; never closed.
struct NvrtcLibrary {
  nvrtc_abi::Functions call;
  std::string path;
  int major = 0;
  int minor = 0;
  std::string build_id;    ///< distinguishes builds of one version; may be empty
  std::vector<int> archs;  ///< 75, 80, ..., ascending

  /// NVRTC 11.0 makes only PTX.
  [[nodiscard]] bool makes_machine_code() const {
    return call.get_cubin_size != nullptr && call.get_cubin != nullptr;
  }
  [[nodiscard]] std::string version() const { return std::to_string(major) + "." + std::to_string(minor); }
};

/// The versions that Kiln looks for, newest first: "libnvrtc.so.13", ...
[[nodiscard]] const std::vector<std::string>& nvrtc_names();

/// The file that `open_nvrtc` tries first; it is not opened.
[[nodiscard]] std::string nvrtc_candidate(const CudaPlaces& places, FileSystem& files);

/// Opens the first NVRTC that Kiln can use, with its builtins from the same folder; NVRTC itself would search
/// only the loader's path. Throws environment_error with the names and places that were searched, the
/// libraries that cannot be used and why, and what to install.
[[nodiscard]] NvrtcLibrary open_nvrtc(const CudaPlaces& places, FileSystem& files);

}  // namespace kiln
