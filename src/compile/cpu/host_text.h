#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "compile/outline.h"

namespace kiln {

/// A CUDA-dialect text for the host's compiler, with every line in its place. The shim's macros do most of
/// the translation; this function does the rest:
/// - `extern __shared__ T name[];` becomes a pointer; at block scope it is set in place, at namespace scope
/// the unit sets it;
/// - `__noinline__` becomes an attribute, because a macro of that name would break the standard library's
/// headers;
/// - `#pragma unroll 4` becomes GCC's spelling, if `gcc`;
/// - sums that number the work-items of the grid are marked (lane_index.h);
/// - parameters of members that are called like a template's parameter are renamed (shadowing_names.h);
/// - a declaration of `__half` or `__nv_bfloat16` as a class gives the shim's type;
/// - a static_assert that a GPU has an architecture holds;
/// - an explicit instantiation of a kernel loses its `__global__`.
enum class HostParts { kAll, kWithoutLaneIndices };
[[nodiscard]] std::vector<TextEdit> host_edits(const Outline& text, std::string_view original, bool gcc,
                                               HostParts parts = HostParts::kAll);

/// The statements that give the text's namespace-scope dynamic shared arrays their address.
[[nodiscard]] std::string dynamic_shared_assignments(const Outline& text);

}  // namespace kiln
