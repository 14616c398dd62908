#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace kiln {

/// Headers of CUDA's libcu++ whose names the texts use, such as `cuda::std::optional`, without an include: a
/// header of CUB, of Thrust or of PyTorch brings them to nvcc. `included`: what the texts include. `has`:
/// whether the compiler gets a header of this name. None if a text declares a namespace `cuda` of its own.
[[nodiscard]] std::vector<std::string> implied_cuda_headers(
    const std::vector<std::string_view>& texts, const std::vector<std::string>& included,
    const std::function<bool(const std::string&)>& has);

}  // namespace kiln
