#pragma once

#include <map>
#include <string>
#include <string_view>

#include "compile/compiler.h"

namespace kiln {

/// What the kernels of a cubin need, by name expression, as NVIDIA's compiler wrote it down; what is not
/// found is absent. `lowered_names` as in CodeObject. Empty for bytes that are no cubin.
[[nodiscard]] std::map<std::string, ResourceUse> cubin_resources(
    std::string_view cubin, const std::map<std::string, std::string>& lowered_names);

}  // namespace kiln
