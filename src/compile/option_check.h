#pragma once

#include <string>

#include "compile/compiler.h"
#include "workload/workload.h"

namespace kiln {

/// Throws bad_input, at its place in the workload's file, for a kernel's option that the compiler of this
/// back end refuses.
void refuse_options(const Workload& workload, const std::string& backend, const Compiler& compiler);

}  // namespace kiln
