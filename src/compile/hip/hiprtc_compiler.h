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
  /// Where hipRTC's version is remembered, so that a hit need not open it and LLVM; empty: nowhere.
  std::filesystem::path identity_memo;
  std::filesystem::path
      source_folder;  ///< with `lineinfo`: where Kiln's headers are kept for profilers; may be empty
  std::string environment = {};  ///< variables that change what it does, for the key: "CPATH=/opt/include"
};

/// Compiles HIP C++ with hipRTC, which needs no GPU. The library is opened when it is first needed. Compiles
/// of one process run one after another, as hipRTC would have it, and cannot be stopped. `files` and `log`
/// must outlive the result.
[[nodiscard]] std::unique_ptr<Compiler> make_hiprtc_compiler(HiprtcCompilerOptions options, FileSystem& files,
                                                             Log& log);

}  // namespace kiln
