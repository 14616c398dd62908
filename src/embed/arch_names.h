#pragma once

#include <map>
#include <string>
#include <vector>

#include "compile/compiler.h"
#include "device/target.h"

namespace kiln {

/// The targets that a list names: "native,sm_90,hip:gfx90a". `place` is what messages begin with: "--arch".
/// Throws bad_input for a name that no compiler knows, environment_error where there is no compiler.
[[nodiscard]] std::vector<Target> targets_of(const std::string& archs,
                                             const std::map<std::string, Compiler*>& compilers,
                                             const std::string& place = "--arch");

}  // namespace kiln
