#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "compile/outline.h"

namespace kiln {

/// Whether work-items of a kernel may wait for each other: at a barrier, at a warp operation, or through code
/// that the texts do not show. In doubt the answer is "yes": it follows names, not types, through the bodies
/// of functions, classes and macros of all `texts` (kernel text and headers), from the identifiers of
/// `name_expression`.
[[nodiscard]] bool may_wait(std::string_view name_expression, const std::vector<const Outline*>& texts);

/// The headers that the #include directives of a text name, in any branch.
[[nodiscard]] std::vector<std::string> included_names(const Outline& text);

/// Whether `text` includes a header that is not in `known` and is neither the compiler's nor Kiln's own: its
/// content is unknown.
[[nodiscard]] bool includes_unseen_header(const Outline& text, const std::set<std::string>& known);

}  // namespace kiln
