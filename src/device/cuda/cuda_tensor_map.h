#pragma once

#include "device/cuda/cuda_context.h"
#include "device/tensor_map.h"

namespace kiln {

/// By cuTensorMapEncodeTiled. Throws bad_input for a layout that it does not take, and where the driver is
/// older than CUDA 12.
[[nodiscard]] TensorMap encode_cuda_tensor_map(CudaContext& context, const TensorMapLayout& layout,
                                               const void* data);

}  // namespace kiln
