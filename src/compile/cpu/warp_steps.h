#pragma once

#include <vector>

#include "compile/cpu/unit_lanes.h"
#include "compile/outline.h"

namespace kiln {

/// Edits for code that relies on the lanes of a warp running in step, as the last rounds of many reductions
/// and scans do: `s[t] += s[t + 16]; s[t] += s[t + 8];`. In two cases a statement becomes a step of the warp:
/// all lanes read, then all write, with a kiln_warp_step() between and behind:
/// - a function assigns to an element of a volatile array what it reads from elements of the array; then each
///   of its assignments to the array is one. Parameters of kernels are not in shared memory and do not count;
/// - an assignment to an element of common memory reads another one, which an earlier lane may have written
///   (find_warp_conflicts): `c[order[i]] = c[i]`.
/// A statement, or the condition of a loop, also waits before it reads what other lanes stored, or stores
/// what they read.
[[nodiscard]] std::vector<TextEdit> mark_warp_steps(const Outline& text, const UnitLanes& unit);

}  // namespace kiln
