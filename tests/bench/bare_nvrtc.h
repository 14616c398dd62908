#pragma once

#include <string>

#include "base/file.h"
#include "compile/cuda/nvrtc_library.h"
#include "figures.h"
#include "specialize/specialization.h"

namespace kiln::bench {

/// The first kernel of a workload's step, specialised for `target`; `round` makes a text that no cache has.
[[nodiscard]] Specialization specialization_of(const BenchOptions& options, FileSystem& files,
                                               const std::string& workload, const Target& target, int round);

/// Seconds of nvrtcCompileProgram and what is around it, without Kiln's compiler.
[[nodiscard]] double bare_compile_seconds(const NvrtcLibrary& nvrtc, const Specialization& specialization);

/// Compiles `count` variants of stencil7 by nothing but NVRTC, one after the other.
void compile_without_kiln(const BenchOptions& options, int count);

}  // namespace kiln::bench
