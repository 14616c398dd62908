#include "device/cpu/cpu_kind.h"

#include <algorithm>
#include <cctype>

#include "base/text.h"
#include "device/cpu/cpu_target.h"

namespace kiln {
namespace {

bool owns(const std::string& name) {
  const std::vector<std::string> names = cpu_target_names();
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string likely(const std::string& text) {
  std::string lower = text;
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return nearest_name(lower, cpu_target_names()).value_or("");
}

}  // namespace

BackendKind cpu_kind() {
  static const std::string architectures = join(cpu_target_names(), ", ") + " (CPU)";
  return {.name = "cpu",
          .host_memory = true,
          .synchronous_launches = true,
          .fixes_block_shape = true,
          .unit_name = "cores",
          .architectures = architectures.c_str(),
          .owns_architecture = owns,
          .likely_architecture = likely};
}

}  // namespace kiln
