#pragma once

#include <map>
#include <string>
#include <string_view>

#include "compile/compiler.h"

namespace kiln {

/// The resources of the kernels of a cubin, by name expression, as NVIDIA's compiler recorded them; a value
/// that is not found is absent. `lowered_names` as in CodeObject. Empty for bytes that are not a cubin.
[[nodiscard]] std::map<std::string, ResourceUse> cubin_resources(
    std::string_view cubin, const std::map<std::string, std::string>& lowered_names);

}  // namespace kiln
