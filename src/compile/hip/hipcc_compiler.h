#pragma once

#include <memory>
#include <string>

#include "compile/program_compiler.h"
#include "device/hip/hip_folders.h"

namespace kiln {

/// Compiles HIP C++ to a code object with hipcc, as programs are built ahead of time, from the text and the
/// options that hipRTC gets. `program` is a name or a path; if it is empty, ROCM_PATH, PATH and the installed
/// releases are searched. Needs ROCm 5.3 or later (clang 15). The references outlive the result.
[[nodiscard]] std::unique_ptr<Compiler> make_hipcc_compiler(const std::string& program,
                                                            const HipPlaces& places,
                                                            ProgramCompilerOptions options,
                                                            ProcessRunner& processes, FileSystem& files,
                                                            Log& log);

}  // namespace kiln
