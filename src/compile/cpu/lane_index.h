#pragma once

#include <cstddef>
#include <vector>

#include "compile/outline.h"

namespace kiln {

/// Edits that wrap each `blockIdx.x * blockDim.x + threadIdx.x` (in either order, with casts and brackets) in
/// a call of the shim's kiln_global_x, which has the same value. In the loop over work-items that value is a
/// loop counter of the right width. The unsigned sum itself may wrap as far as a compiler knows, so it would
/// not see that neighbouring work-items access neighbouring memory.
[[nodiscard]] std::vector<TextEdit> mark_lane_indices(const Outline& text);

/// Length in tokens of such a sum at `begin`; 0 if there is none.
[[nodiscard]] std::size_t lane_index_length(const std::vector<Token>& tokens, std::size_t begin);

}  // namespace kiln
