#pragma once

#include <chrono>
#include <filesystem>
#include <memory>

#include "base/file.h"
#include "base/log.h"
#include "compile/compiler.h"
#include "device/cuda/cuda_folders.h"

namespace kiln {

struct NvrtcCompilerOptions {
  CudaPlaces places;
  std::filesystem::path
      identity_memo;  ///< file that keeps NVRTC's version, so that a hit need not open NVRTC; empty: none
  std::filesystem::path
      source_folder;  ///< folder of generated texts for profilers, with `lineinfo`; empty: none
  std::chrono::milliseconds time_limit{120'000};  ///< for one compile; 0: no limit
  std::string environment = {};  ///< variables that change its work, for the key: "NVRTC_APPEND_FLAGS=-G"
};

/// Compiles CUDA C++ with NVRTC, which needs no GPU. The library is opened when it is first needed.
/// `files` and `log` must outlive the result.
[[nodiscard]] std::unique_ptr<Compiler> make_nvrtc_compiler(NvrtcCompilerOptions options, FileSystem& files,
                                                            Log& log);

}  // namespace kiln
