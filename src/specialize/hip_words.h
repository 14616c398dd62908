#pragma once

#include "specialize/specialization.h"

namespace kiln {

/// Writes what is HIP's own in the texts as CUDA has it, so that other back ends take a HIP text: names of
/// headers (<hip/hip_runtime.h>), index words (hipThreadIdx_x) and the plain ones of AMD's built-in functions
/// (__builtin_amdgcn_s_barrier). For the hip back end HIP_DYNAMIC_SHARED(T, name) and the index words are
/// written out, which not every hipRTC knows, and a text's own operators such as `float4 += float4` are left
/// out, which HIP's vectors have as members. Line numbers stay. A text without all that is left alone.
void translate_hip_words(Specialization& specialization);

}  // namespace kiln
