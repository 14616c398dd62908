#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "compile/outline.h"

namespace kiln {

struct TypeDefinition {
  std::string_view name;  ///< empty: none
  bool derived = false;   ///< from a base; of an enumeration: its type is named
  std::size_t open = 0;   ///< its "{"
  std::size_t close = 0;
};

/// The definition of a struct, class, union or enumeration with which the statement at `at` begins and which
/// ends before `end`. Absent for a variable of such a type: `struct Pair p{1, 2}`.
[[nodiscard]] std::optional<TypeDefinition> type_definition(const std::vector<Token>& tokens, std::size_t at,
                                                            std::size_t end);

/// Edits that give a type to each variable of a function whose declaration defines its type: `union { int i;
/// float f; } u;` becomes `union kiln_type_7 { int i; float f; }; kiln_type_7 u;`. A kernel that is split at
/// its barriers then has such a variable for each work-item.
[[nodiscard]] std::vector<TextEdit> name_local_types(const Outline& text);

}  // namespace kiln
