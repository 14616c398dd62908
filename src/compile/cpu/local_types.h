#pragma once

#include <string>
#include <vector>

#include "compile/outline.h"

namespace kiln {

/// Edits that give a type to each variable of a function whose declaration defines its type: `union { int i;
/// float f; } u;` becomes `union kiln_type_7 { int i; float f; }; kiln_type_7 u;`. A kernel that is split at
/// its barriers then has such a variable for each work-item.
[[nodiscard]] std::vector<TextEdit> name_local_types(const Outline& text);

/// A text with these edits.
[[nodiscard]] std::string with_local_types(std::string text);

}  // namespace kiln
