#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace kiln {

/// The value of whole-number arithmetic (+ - * / % <<) over literals and the names of `constants`, which are
/// such texts themselves: "4 * BLOCK". Absent for all else, and beyond 2^40 in magnitude.
[[nodiscard]] std::optional<std::int64_t> constant_value(const std::string& text,
                                                         const std::map<std::string, std::string>& constants);

}  // namespace kiln
