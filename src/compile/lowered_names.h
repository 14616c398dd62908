#pragma once

#include <map>
#include <string>
#include <variant>
#include <vector>

#include "specialize/specialization.h"

namespace kiln {

/// A line that has a compiler's host side name each entry, so that templates are instantiated. To stand
/// behind a unit's text.
[[nodiscard]] std::string entry_uses(const std::vector<EntryPoint>& entries);

/// Which of the kernels' symbols in a binary each name expression is, for a compiler that does not tell: the
/// symbol itself (extern "C"), the one whose demangled name is spelled as the expression is but for blanks,
/// the one whose template arguments have the same values once enumerators and macros of `source_text` are
/// numbers, or the only one left of that function. Else a sentence saying which expression has none.
[[nodiscard]] std::variant<std::map<std::string, std::string>, std::string> find_lowered_names(
    const std::vector<EntryPoint>& entries, const std::vector<std::string>& symbols,
    const std::string& source_text = "");

}  // namespace kiln
