#pragma once

#include "specialize/specialization.h"

namespace kiln {

/// In the conditionals of the user's texts `__NVCC__`, and the guards of CUDA's headers of vectors, become
/// `__CUDACC__`: the text is compiled as nvcc does it, by compilers that do not define these. Votes without a
/// mask, such as `__any(x)`, become votes of the active work-items, and `const __restrict__ float2* a` loses
/// the word that no other compiler takes in this place. For the hip back end only that, and the word is left
/// out of `uint32_t __restrict__ n`, too.
void translate_nvcc_words(Specialization& specialization);

}  // namespace kiln
