#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/file.h"
#include "compile/cuda/nvrtc_library.h"
#include "config/job_fields.h"
#include "device/cuda/driver.h"
#include "figures.h"
#include "specialize/specialization.h"

namespace kiln::bench {

using Values = std::vector<std::pair<std::string, RawValue>>;

/// The published structure: 30 ms of NVRTC's time, where the tuned one takes 70 and has a kernel for its
/// data.
inline const Values kSmallStencil = {{"implementation", {"paper", false, {}}}};

/// The first kernel of a workload's step, specialised for `target`; `round` makes a text that no cache has.
[[nodiscard]] Specialization specialization_of(const BenchOptions& options, FileSystem& files,
                                               const std::string& workload, const Target& target, int round,
                                               const Values& values = {});

/// A program without Kiln calls NVRTC plainly; with the options that Kiln chooses (--minimal, --no-cache),
/// what is left is Kiln's own cost.
enum class BareOptions { kPlain, kAsKiln };

/// Seconds of nvrtcCompileProgram and what is around it, without Kiln's compiler.
[[nodiscard]] double bare_compile_seconds(const NvrtcLibrary& nvrtc, const Specialization& specialization,
                                          BareOptions bare = BareOptions::kPlain);

/// The same, and what loads the cubin and finds its first kernel, in the current context.
[[nodiscard]] double bare_compile_and_load_seconds(const NvrtcLibrary& nvrtc, const CudaDriver& driver,
                                                   const Specialization& specialization,
                                                   BareOptions bare = BareOptions::kPlain);

/// Compiles `count` variants of the small stencil by nothing but NVRTC, one after the other.
void compile_without_kiln(const BenchOptions& options, int count);

}  // namespace kiln::bench
