#pragma once

#include <string>
#include <vector>

#include "hip_shim/code_object_writer.h"

namespace kiln::hip_shim {

/// What PTX text and the log of `ptxas -v` say of each kernel: parameters and launch bounds from the text,
/// registers and memory from the log.
[[nodiscard]] std::vector<KernelNote> kernel_notes(const std::string& ptx, const std::string& log);

/// The log without the lines of `ptxas -v`.
[[nodiscard]] std::string without_ptxas_lines(const std::string& log);

}  // namespace kiln::hip_shim
