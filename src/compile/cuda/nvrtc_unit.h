#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "compile/rtc_unit.h"
#include "specialize/specialization.h"

namespace kiln {

/// CUDA C++ as it is; see RtcUnit.
[[nodiscard]] RtcUnit make_nvrtc_unit(const Specialization& specialization,
                                      const std::filesystem::path& source_folder);

/// The target's architecture, or the same with features of its own where the user's options ask for them
/// ("-arch=sm_90a"). Throws bad_input where they name another one.
[[nodiscard]] std::string compiled_arch(const Specialization& specialization);

/// How an architecture is compiled for.
struct NvrtcArch {
  std::string option;  ///< "-arch=sm_90"
  bool ptx = false;
  std::string note;  ///< why it is PTX, a sentence; empty for machine code
};

/// "sm_90", "sm_90a", "sm_100f" or "compute_90", in terms of what NVRTC supports (ascending): machine code
/// for what it knows if it makes any, PTX of the newest for a device that is newer. Throws bad_input for any
/// other text and for architectures that are too old.
[[nodiscard]] NvrtcArch choose_nvrtc_arch(const std::string& arch, const std::vector<int>& supported,
                                          const std::string& version, bool makes_machine_code = true);

/// Everything after nvrtcCompileProgram's program: Kiln's options, then the user's own, which win but for the
/// architecture, see compiled_arch().
[[nodiscard]] std::vector<std::string> nvrtc_options(const Specialization& specialization,
                                                     const NvrtcArch& arch,
                                                     const std::vector<std::filesystem::path>& cuda_includes);

/// Whether NVRTC's `--minimal` (since 12.4) may be tried: it leaves out textures, surfaces, CUDA's runtime
/// and launches from the device, and so takes a tenth less time for a small text. False for a text that names
/// one of these or includes a header that only the compiler finds; a text that needs one all the same does
/// not compile with it.
[[nodiscard]] bool may_be_minimal(const Specialization& specialization, const std::string& version);

/// Whether NVRTC keeps compiles on disk itself (since 12.9), unless `--no-cache` is among the options. For
/// that it opens the CUDA driver, which takes a process 0.2 s on a machine with a GPU, and 0.4 s where 16
/// processes do so at once (H200).
[[nodiscard]] bool has_own_cache(const std::string& version);

}  // namespace kiln
