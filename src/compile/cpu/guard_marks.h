#pragma once

#include <set>
#include <string_view>
#include <vector>

#include "compile/outline.h"

namespace kiln {

/// Edits that mark the guards of a kernel: the leading `if (i >= n) return;` statements, or a body that is
/// one `if (i < n) {...}`, in which a work-item compares its index with a value that its row of work-items
/// shares. The shim then runs only the work-items that pass (kiln_guard in shim/language.h), without the test
/// and without masked memory accesses. A guard is marked only if it is certain that
/// - nothing before the guards has an effect, reads memory or calls a function;
/// - a work-item that fails the test does nothing more;
/// - along threadIdx.x the work-items that pass are neighbours (each comparison holds from or up to some
/// index).
/// Empty if one of these is not certain, or if one of `macros` (names that stand for more than numbers) is
/// used.
[[nodiscard]] std::vector<TextEdit> mark_guards(const Outline& text, const DefinitionOutline& kernel,
                                                const std::set<std::string_view>& macros);

/// The macros of `text` whose bodies hold identifiers, for mark_guards.
void collect_macros(const Outline& text, std::set<std::string_view>& macros);

}  // namespace kiln
