#pragma once

#include <filesystem>
#include <memory>

#include "base/file.h"
#include "base/log.h"
#include "compile/compiler.h"
#include "device/hip/hip_folders.h"

namespace kiln {

struct HiprtcCompilerOptions {
  HipPlaces places;
  /// File that keeps hipRTC's version, so that a hit need not open hipRTC and LLVM; empty: none.
  std::filesystem::path identity_memo;
  std::filesystem::path
      source_folder;  ///< with `lineinfo`: the folder of Kiln's headers for profilers; may be empty
  std::string environment = {};  ///< variables that change its work, for the key: "CPATH=/opt/include"
};

/// Compiles HIP C++ with hipRTC, which needs no GPU. The library is opened when it is first needed. Compiles
/// of one process run one after another, a limit of hipRTC, and cannot be stopped. `files` and `log` must
/// outlive the result.
[[nodiscard]] std::unique_ptr<Compiler> make_hiprtc_compiler(HiprtcCompilerOptions options, FileSystem& files,
                                                             Log& log);

}  // namespace kiln
