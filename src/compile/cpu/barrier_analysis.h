#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "compile/outline.h"

namespace kiln {

/// Whether work-items of a kernel may wait for each other: at a barrier, a warp operation, or through
/// something that the texts do not show. The answer errs towards "yes": it follows names, not types, through
/// the bodies of functions, classes and macros of all `texts` (kernel text and headers), from the identifiers
/// of `name_expression`.
[[nodiscard]] bool may_wait(std::string_view name_expression, const std::vector<const Outline*>& texts);

/// What the #include directives of a text name, in any branch.
[[nodiscard]] std::vector<std::string> included_names(const Outline& text);

/// Headers that `text` includes and that are neither among `known` nor the compiler's or Kiln's own: what
/// they hold is not seen.
[[nodiscard]] bool includes_unseen_header(const Outline& text, const std::set<std::string>& known);

}  // namespace kiln
