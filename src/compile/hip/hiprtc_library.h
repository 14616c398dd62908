#pragma once

#include <string>
#include <vector>

#include "base/file.h"
#include "compile/hip/hiprtc_abi.h"
#include "device/hip/hip_folders.h"

namespace kiln {

/// hipRTC and the comgr that it uses, opened at run time; never closed.
struct HiprtcLibrary {
  hiprtc_abi::Functions call;
  comgr_abi::Functions comgr;
  std::string path;  ///< of libhiprtc, or of libamdhip64 if hipRTC is inside it
  std::string comgr_path;
  int major = 0;
  int minor = 0;
  std::string version;            ///< "5.2.21153"
  std::string build_id;           ///< of hipRTC, comgr and LLVM; may be empty
  std::vector<std::string> isas;  ///< "gfx906", ..., in comgr's order

  /// Whether hipRTC can compile for "gfx90a:xnack-". hipRTC itself crashes on an unknown ISA: ask first.
  [[nodiscard]] bool knows(const std::string& isa) const;
};

/// The names that Kiln searches, newest first.
[[nodiscard]] const std::vector<std::string>& hiprtc_names();

/// The file that `open_hiprtc` tries first; it is not opened.
[[nodiscard]] std::string hiprtc_candidate(const HipPlaces& places, FileSystem& files);

/// Throws environment_error with the names and places that were searched and what to install.
[[nodiscard]] HiprtcLibrary open_hiprtc(const HipPlaces& places, FileSystem& files);

}  // namespace kiln
