#include "device/cuda/cuda_kind.h"

#include "device/cuda/arch_name.h"

namespace kiln {
namespace {

bool owns(const std::string& name) {
  return name.starts_with("sm_") || name.starts_with("compute_");
}

int compute_capability(const std::string& architecture) {
  const auto name = parse_arch_name(architecture);
  return name ? static_cast<int>(name->number) : 0;
}

}  // namespace

BackendKind cuda_kind() {
  return {.name = "cuda",
          .unfused_option = "--fmad=false",
          .architectures = "sm_90, sm_90a or compute_90 (NVIDIA)",
          .owns_architecture = owns,
          .likely_architecture = likely_arch_name,
          .compute_capability = compute_capability,
          .assumed_architecture = "sm_120",
          .assumed_bandwidth = 5000};
}

}  // namespace kiln
