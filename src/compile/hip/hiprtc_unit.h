#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "compile/hip/hiprtc_library.h"
#include "compile/rtc_unit.h"
#include "specialize/specialization.h"

namespace kiln {

/// Throws bad_input for an ISA that hipRTC does not know, with a list of the known ones, the nearest first.
void require_known_isa(const HiprtcLibrary& hiprtc, const std::string& isa);

/// Number of work-items in a wavefront of the code that will be made: the target's, unless the user's options
/// choose another (-mwavefrontsize64, -mno-wavefrontsize64).
[[nodiscard]] int compiled_wavefront_size(const Specialization& specialization);

/// Converts CUDA's "256, 2", at least 2 blocks of 256 on a multiprocessor, to HIP's bounds, where the second
/// number is wavefronts on one SIMD unit. A compute unit has 4 SIMD units with wavefronts of 64, and 2 with
/// wavefronts of 32.
[[nodiscard]] std::string hip_launch_bounds(const std::string& bounds, int wavefront);

/// The text for hipRTC; see RtcUnit.
[[nodiscard]] RtcUnit make_hiprtc_unit(const Specialization& specialization,
                                       const std::filesystem::path& source_folder);

/// The options for hiprtcCompileProgram: Kiln's options, then the user's own, which win.
[[nodiscard]] std::vector<std::string> hiprtc_options(const Specialization& specialization);

/// The header that hipRTC's units begin with: the declarations that hipcc has without an #include.
inline constexpr const char* kHipccHeader = "kiln/hipcc.h";

/// Whether a text uses functions of a warp by the names that exist only in CUDA (__shfl_down_sync).
[[nodiscard]] bool uses_cuda_warp(const Specialization& specialization);

/// Adds headers for hipRTC, which has no headers of C: the ones that the texts include, and kHipccHeader in
/// front. CUDA's functions of a warp are added for texts that use them; for these texts a warp has 32
/// work-items, whatever the wavefront's size.
void add_language_headers(RtcUnit& unit, const Specialization& specialization);

/// Digest of all their texts, for the compiler's fingerprint.
[[nodiscard]] std::string hiprtc_headers_fingerprint();

}  // namespace kiln
