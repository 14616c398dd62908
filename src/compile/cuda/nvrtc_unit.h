#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "specialize/specialization.h"

namespace kiln {

/// What NVRTC is given: the text, and the headers that it finds in memory by the name in the #include.
struct NvrtcUnit {
  std::string text;
  std::vector<std::pair<std::string, std::string>> headers;
  /// With `lineinfo`: what a profiler is to show of the headers that are in no file of the user's.
  std::vector<std::pair<std::filesystem::path, std::string>> sources;

  /// Unless there is one of this name already.
  void add_header(std::string name, std::string content);
};

/// Definitions, then the kernel text with its own line numbers. `source_folder` is where the unit's `sources`
/// will lie.
[[nodiscard]] NvrtcUnit make_nvrtc_unit(const Specialization& specialization,
                                        const std::filesystem::path& source_folder);

/// How an architecture is compiled for.
struct NvrtcArch {
  std::string option;  ///< "-arch=sm_90"
  bool ptx = false;
  std::string note;  ///< why it is PTX, a sentence; empty for machine code
};

/// "sm_90", "sm_90a", "sm_100f" or "compute_90", in terms of what NVRTC supports (ascending): machine code
/// for what it knows, PTX of the newest for a device that is newer. Throws bad_input for any other text and
/// for architectures that are too old.
[[nodiscard]] NvrtcArch choose_nvrtc_arch(const std::string& arch, const std::vector<int>& supported,
                                          const std::string& version);

/// Everything after nvrtcCompileProgram's program: Kiln's options, then the user's own, which win.
[[nodiscard]] std::vector<std::string> nvrtc_options(const Specialization& specialization,
                                                     const NvrtcArch& arch,
                                                     const std::vector<std::filesystem::path>& cuda_includes);

}  // namespace kiln
