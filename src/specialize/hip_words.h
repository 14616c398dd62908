#pragma once

#include "specialize/specialization.h"

namespace kiln {

/// Replaces HIP's own names in the texts by CUDA's, so that other back ends take a HIP text: names of headers
/// (<hip/hip_runtime.h>), index words (hipThreadIdx_x) and the simple built-in functions of AMD
/// (__builtin_amdgcn_s_barrier). For the hip back end it expands HIP_DYNAMIC_SHARED(T, name) and the index
/// words, which not every hipRTC knows, and leaves out a text's own operators such as `float4 += float4`,
/// which HIP's vectors have as members. Line numbers stay. A text without such names is not changed.
void translate_hip_words(Specialization& specialization);

}  // namespace kiln
