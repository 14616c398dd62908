#pragma once

#include <map>
#include <string>
#include <variant>
#include <vector>

#include "specialize/specialization.h"

namespace kiln {

/// A line, to follow a unit's text, that makes a compiler's host side name each entry, so that templates are
/// instantiated.
[[nodiscard]] std::string entry_uses(const std::vector<EntryPoint>& entries);

/// Finds the symbol of each name expression in a binary, for a compiler that does not report it. It is the
/// symbol itself (extern "C"), or the symbol whose demangled name equals the expression except for blanks.
/// Otherwise it is the symbol whose template arguments have the same values once enumerators and macros of
/// `source_text` are numbers, or the only remaining symbol of that function. If an expression has no symbol,
/// returns a sentence that names it.
[[nodiscard]] std::variant<std::map<std::string, std::string>, std::string> find_lowered_names(
    const std::vector<EntryPoint>& entries, const std::vector<std::string>& symbols,
    const std::string& source_text = "");

}  // namespace kiln
