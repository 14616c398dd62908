#pragma once

#include <string>
#include <vector>

#include "specialize/specialization.h"

namespace kiln {

/// Leaves out of the text and of its headers what is for the host only, so that a whole program compiles as a
/// kernel text. Its line numbers stay. What is left out:
///
/// - functions without __device__ or __global__ that name things of the host (launches, `cudaMalloc`,
/// `std::vector`,
///   files, ...) or call such functions, and `main`;
/// - where there is one of them: all other declarations to which no kernel, no device code and no entry may
///   lead by name; kernels, too, if there are entries;
/// - #include lines of C++ headers, such as <iostream> and <vector>, of which nothing that stays is used.
///
/// Names are followed, not types, so that too much stays rather than too little. A declaration that cannot be
/// read, or that begins in one branch of a conditional and ends in another, stays.
///
/// Call it when the entries and all texts are in place. Declarations of the names in `kept` stay. Appends to
/// Specialization::left_out.
void leave_out_host_code(Specialization& specialization, const std::vector<std::string>& kept = {});

/// "left out as host code: saxpy.cu: main, launch and 2 other declarations"; empty where nothing was.
[[nodiscard]] std::string left_out_note(const Specialization& specialization);

}  // namespace kiln
