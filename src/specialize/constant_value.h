#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

namespace kiln {

/// The value of whole-number arithmetic over literals and the names of `constants`, which are such texts
/// themselves: "4 * BLOCK". Absent for all else, and beyond 2^40 in magnitude.
[[nodiscard]] std::optional<std::int64_t> constant_value(const std::string& text,
                                                         const std::map<std::string, std::string>& constants);

/// The same with values of names from a function, absent for those that are not known. `a && b`, `a || b` and
/// `a ? b : c` have a value where one side decides it.
[[nodiscard]] std::optional<std::int64_t> value_with_names(
    const std::string& text, const std::function<std::optional<std::int64_t>(const std::string&)>& value_of);

}  // namespace kiln
