#pragma once

#include <memory>
#include <string>

#include "compile/program_compiler.h"
#include "device/cuda/cuda_folders.h"

namespace kiln {

/// Compiles CUDA C++ to a cubin with nvcc, as programs are built ahead of time, from the text and the options
/// that NVRTC gets. `program` is a name or a path; if it is empty, CUDA_HOME, PATH and the installed toolkits
/// are searched. The references outlive the result.
[[nodiscard]] std::unique_ptr<Compiler> make_nvcc_compiler(const std::string& program,
                                                           const CudaPlaces& places,
                                                           ProgramCompilerOptions options,
                                                           ProcessRunner& processes, FileSystem& files,
                                                           Log& log);

}  // namespace kiln
