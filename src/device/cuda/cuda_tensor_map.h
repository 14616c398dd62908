#pragma once

#include "device/cuda/cuda_context.h"
#include "device/tensor_map.h"

namespace kiln {

/// Encodes a tensor map with cuTensorMapEncodeTiled. Throws bad_input for a layout that it refuses, and for a
/// driver older than CUDA 12.
[[nodiscard]] TensorMap encode_cuda_tensor_map(CudaContext& context, const TensorMapLayout& layout,
                                               const void* data);

}  // namespace kiln
