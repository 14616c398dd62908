#pragma once

#include <string>

#include "base/file.h"
#include "compile/cuda/nvrtc_library.h"
#include "device/cuda/driver.h"
#include "figures.h"
#include "specialize/specialization.h"

namespace kiln::bench {

/// The first kernel of a workload's step, specialised for `target`; `round` makes a text that no cache has.
[[nodiscard]] Specialization specialization_of(const BenchOptions& options, FileSystem& files,
                                               const std::string& workload, const Target& target, int round);

/// Seconds of nvrtcCompileProgram and what is around it, without Kiln's compiler.
[[nodiscard]] double bare_compile_seconds(const NvrtcLibrary& nvrtc, const Specialization& specialization);

/// The same, and what loads the cubin and finds its first kernel, in the current context.
[[nodiscard]] double bare_compile_and_load_seconds(const NvrtcLibrary& nvrtc, const CudaDriver& driver,
                                                   const Specialization& specialization);

/// Compiles `count` variants of stencil7 by nothing but NVRTC, one after the other.
void compile_without_kiln(const BenchOptions& options, int count);

}  // namespace kiln::bench
