#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "compile/cpu/one_warp_code.h"
#include "compile/outline.h"

namespace kiln {

/// Edits for code that relies on the lanes of a warp running in step, as the last rounds of many reductions
/// and scans do: `s[t] += s[t + 16]; s[t] += s[t + 8];`. In two cases a statement becomes a step of the warp:
/// all lanes read, then all write, with a kiln_warp_step() between and behind:
/// - a function assigns to an element of a volatile array what it reads from elements of the array; then each
///   of its assignments to the array is one. Parameters of kernels are not in shared memory and do not count;
/// - in code that only one warp runs, an assignment to an element of shared memory, or of a pointer that a
///   function gets, reads another element, which a later lane may have written: `c[order[i]] = c[i]`.
/// In such code a statement also waits before it reads what other lanes stored, or stores what they read.
/// `shared`: arrays in shared memory
/// that this text or another one of the unit declares outside of functions.
[[nodiscard]] std::vector<TextEdit> mark_warp_steps(const Outline& text, const UnitNumbers& numbers,
                                                    const std::set<std::string>& shared);

/// The names of the arrays in shared memory that a text declares outside of functions.
[[nodiscard]] std::set<std::string> shared_arrays(std::string_view text);

}  // namespace kiln
