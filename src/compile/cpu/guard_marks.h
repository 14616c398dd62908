#pragma once

#include <set>
#include <string_view>
#include <vector>

#include "compile/outline.h"

namespace kiln {

/// Edits that mark the guards of a kernel: the leading `if (i >= n) return;` statements, or a body that is
/// one `if (i < n) {...}`, in which a work-item compares its index with something that its row of work-items
/// shares. The shim then runs only the work-items that pass (kiln_guard in shim/language.h), without the test
/// and the masked memory accesses that it costs. Marked only where it is plain that
/// - nothing before the guards has an effect, reads memory or calls a function;
/// - a work-item that fails does nothing more;
/// - along threadIdx.x those that pass are neighbours (each comparison holds from or up to some index).
/// Empty where any of this is not plain, and where one of `macros` (names that stand for more than numbers)
/// is used.
[[nodiscard]] std::vector<TextEdit> mark_guards(const Outline& text, const DefinitionOutline& kernel,
                                                const std::set<std::string_view>& macros);

/// The macros of `text` whose bodies hold identifiers, for mark_guards.
void collect_macros(const Outline& text, std::set<std::string_view>& macros);

}  // namespace kiln
