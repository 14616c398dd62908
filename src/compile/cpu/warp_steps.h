#pragma once

#include <vector>

#include "compile/outline.h"

namespace kiln {

/// Edits for code that relies on the lanes of a warp running in step, as the last rounds of many reductions
/// and scans do: `s[t] += s[t + 16]; s[t] += s[t + 8];` with `volatile float* s`. Where a function assigns to
/// an element of a volatile array what it reads from elements of the array, each of its assignments to the
/// array becomes a step of the warp: all lanes read, then all write, with a __syncwarp() before and after.
/// Parameters of kernels are not in shared memory and do not count.
[[nodiscard]] std::vector<TextEdit> mark_warp_steps(const Outline& text);

}  // namespace kiln
