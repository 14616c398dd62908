#pragma once

#include <map>
#include <string>
#include <vector>

#include "compile/compiler.h"
#include "device/target.h"

namespace kiln {

/// The targets of an "--arch" option: "native,sm_90,hip:gfx90a". Throws bad_input for a name that no compiler
/// knows, environment_error where there is no compiler.
[[nodiscard]] std::vector<Target> targets_of(const std::string& archs,
                                             const std::map<std::string, Compiler*>& compilers);

}  // namespace kiln
