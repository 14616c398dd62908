#pragma once

#include <string>
#include <vector>

#include "base/file.h"
#include "compile/hip/hiprtc_abi.h"
#include "device/hip/hip_folders.h"

namespace kiln {

/// hipRTC and the comgr that it works with, opened at run time; never closed.
struct HiprtcLibrary {
  hiprtc_abi::Functions call;
  comgr_abi::Functions comgr;
  std::string path;  ///< of libhiprtc, or of libamdhip64 where hipRTC lies inside
  std::string comgr_path;
  int major = 0;
  int minor = 0;
  std::string version;            ///< "5.2.21153"
  std::string build_id;           ///< of hipRTC, comgr and LLVM; may be empty
  std::vector<std::string> isas;  ///< "gfx906", ..., in comgr's order

  /// Whether code can be made for "gfx90a:xnack-". hipRTC itself crashes where it cannot: ask first.
  [[nodiscard]] bool knows(const std::string& isa) const;
};

/// What Kiln looks for, newest first.
[[nodiscard]] const std::vector<std::string>& hiprtc_names();

/// The file that `open_hiprtc` tries first; it is not opened.
[[nodiscard]] std::string hiprtc_candidate(const HipPlaces& places, FileSystem& files);

/// Throws environment_error saying what was looked for, where, and what to install.
[[nodiscard]] HiprtcLibrary open_hiprtc(const HipPlaces& places, FileSystem& files);

}  // namespace kiln
