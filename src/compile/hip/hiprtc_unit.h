#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "compile/hip/hiprtc_library.h"
#include "compile/rtc_unit.h"
#include "specialize/specialization.h"

namespace kiln {

/// Throws bad_input listing what hipRTC knows, the nearest first, for an ISA that it does not.
void require_known_isa(const HiprtcLibrary& hiprtc, const std::string& isa);

/// Work-items of a wavefront in the code that will be made: the target's, unless the user's options say
/// otherwise (-mwavefrontsize64, -mno-wavefrontsize64).
[[nodiscard]] int compiled_wavefront_size(const Specialization& specialization);

/// CUDA's "256, 2", at least 2 blocks of 256 on a multiprocessor, in HIP's terms: the second number is
/// wavefronts on one SIMD unit there. A compute unit has 4 SIMD units with wavefronts of 64, and 2 with 32.
[[nodiscard]] std::string hip_launch_bounds(const std::string& bounds, int wavefront);

/// The text for hipRTC; see RtcUnit.
[[nodiscard]] RtcUnit make_hiprtc_unit(const Specialization& specialization,
                                       const std::filesystem::path& source_folder);

/// Everything after hiprtcCompileProgram's program: Kiln's options, then the user's own, which win.
[[nodiscard]] std::vector<std::string> hiprtc_options(const Specialization& specialization);

/// The header that hipRTC's units begin with: what hipcc declares without an #include.
inline constexpr const char* kHipccHeader = "kiln/hipcc.h";

/// Whether a text uses functions of a warp by the names that they have in CUDA alone (__shfl_down_sync).
[[nodiscard]] bool uses_cuda_warp(const Specialization& specialization);

/// For hipRTC, which has none of C's headers: those that the texts include, and kHipccHeader in front. CUDA's
/// functions of a warp are for texts that use them; there a warp has 32 work-items, whatever the wavefront
/// has.
void add_language_headers(RtcUnit& unit, const Specialization& specialization);

/// Of all their texts, for the compiler's fingerprint.
[[nodiscard]] std::string hiprtc_headers_fingerprint();

}  // namespace kiln
