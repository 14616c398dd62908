#pragma once

#include <vector>

#include "specialize/host_libraries.h"

namespace kiln {

/// What kernels use of PyTorch's C++ interface, whose headers are for host code: `at::Half`, accessors of
/// tensors, `at::acc_type`, `gpuAtomicAdd`, macros for loops. A PackedTensorAccessor has PyTorch's members in
/// PyTorch's order: the address, sizes and strides, in elements.
[[nodiscard]] const std::vector<LibraryTypes>& types_of_torch();

}  // namespace kiln
