#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "compile/compiler.h"

namespace kiln {

/// The architecture that an option names: "-arch=sm_90a", or "-arch" and the word after it.
struct ArchOption {
  std::string arch;
  std::size_t words = 0;  ///< number of words of the option; 0: it names no architecture
};
[[nodiscard]] ArchOption arch_option(const std::vector<std::string>& options, std::size_t at);

/// The first option with which CUDA's compilers would make other code than Kiln loads and keys. Users may
/// give one: `-arch=sm_90a`, a device's own features.
[[nodiscard]] std::optional<RefusedOption> find_fixed_cuda_option(const std::vector<std::string>& options);

}  // namespace kiln
