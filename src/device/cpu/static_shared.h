#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace kiln {

/// Bytes of `__shared__` variables by the name, without scope and arguments, of the function that declares
/// them. They come from a CPU unit's symbols, where they are thread-local variables of block scope. Of
/// several instantiations of a template the largest counts. Empty for a unit without symbols.
[[nodiscard]] std::map<std::string, std::uint64_t> static_shared_bytes(std::string_view binary);

/// "f" for "ns::f<float, 4>".
[[nodiscard]] std::string function_of(const std::string& name_expression);

}  // namespace kiln
