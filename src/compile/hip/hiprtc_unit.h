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

}  // namespace kiln
