#include "device/target.h"

#include "device/cuda/arch_name.h"

namespace kiln {

int Target::compute_capability() const {
  const auto name = backend == "cuda" ? parse_arch_name(arch) : std::nullopt;
  return name ? static_cast<int>(name->number) : 0;
}

}  // namespace kiln
