#pragma once

#include <string>
#include <utility>
#include <vector>

namespace kiln {

/// Writes out names that macros with parameters paste together: where the texts have `#define NAME(x)
/// x##_v2`,
/// `__global__ void NAME(fill)(float* x)` becomes `__global__ void fill_v2(float* x)`. Macros that the texts
/// define in several ways stay, and so does all within preprocessor lines. Lines stay where they are.
void write_out_pasted_names(const std::vector<std::string*>& texts,
                            const std::vector<std::pair<std::string, std::string>>& defines);

}  // namespace kiln
