#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "compile/rtc_unit.h"
#include "specialize/specialization.h"

namespace kiln {

/// CUDA C++ without changes; see RtcUnit.
[[nodiscard]] RtcUnit make_nvrtc_unit(const Specialization& specialization,
                                      const std::filesystem::path& source_folder);

/// The target's architecture, or its variant with device-specific features if the user's options name it
/// ("-arch=sm_90a"). Throws bad_input if they name another architecture.
[[nodiscard]] std::string compiled_arch(const Specialization& specialization);

/// The way to compile for an architecture.
struct NvrtcArch {
  std::string option;  ///< "-arch=sm_90"
  bool ptx = false;
  std::string note;  ///< why it is PTX, a sentence; empty for machine code
};

/// The option for "sm_90", "sm_90a", "sm_100f" or "compute_90" with an NVRTC that supports these (ascending):
/// machine code for a supported architecture if NVRTC makes any, PTX of the newest one for a newer device.
/// Throws bad_input for any other text and for architectures that are too old.
[[nodiscard]] NvrtcArch choose_nvrtc_arch(const std::string& arch, const std::vector<int>& supported,
                                          const std::string& version, bool makes_machine_code = true);

/// The options for nvrtcCompileProgram: Kiln's options, then the user's own, which win except for the
/// architecture; see compiled_arch().
[[nodiscard]] std::vector<std::string> nvrtc_options(const Specialization& specialization,
                                                     const NvrtcArch& arch,
                                                     const std::vector<std::filesystem::path>& cuda_includes);

/// Whether NVRTC's `--minimal` (since 12.4) may be tried: it leaves out textures, surfaces, CUDA's runtime
/// and launches from the device, and takes a tenth less time for a small text. False for a text that names
/// one of these or includes a header that only the compiler finds. A text that still needs one does not
/// compile with it.
[[nodiscard]] bool may_be_minimal(const Specialization& specialization, const std::string& version);

/// Whether the text names an integer of 128 bits, for which NVRTC has an option (since 11.5).
[[nodiscard]] bool needs_wide_integers(const Specialization& specialization, const std::string& version);

/// Whether NVRTC has its own cache on disk (since 12.9), which `--no-cache` switches off. For the cache NVRTC
/// opens the CUDA driver, which takes a process 0.2 s on a machine with a GPU, and 0.4 s if 16 processes do
/// so at once (H200).
[[nodiscard]] bool has_own_cache(const std::string& version);

}  // namespace kiln
