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

/// The level of the architecture, "x86-64-v3", includes the levels below. The device must have each of the
/// further instruction sets.
std::optional<int> suits(const std::string& device, const std::string& code) {
  const std::vector<std::string> has = split(device, ' ');
  const std::vector<std::string> needs = split(code, ' ');
  const bool same_kind = needs.front().empty() || has.front().starts_with("x86-64")
                             ? needs.front().empty() || needs.front().starts_with("x86-64")
                             : has.front() == needs.front();
  if (!same_kind || needs.front() > has.front()) return std::nullopt;
  for (std::size_t i = 1; i < needs.size(); ++i) {
    if (std::find(has.begin() + 1, has.end(), needs[i]) == has.end()) return std::nullopt;
  }
  constexpr int kLevel = 1000;
  const std::string& level = needs.front();
  const int number = level.empty() ? 0 : static_cast<int>(level.size()) + level.back();
  return kLevel * number + static_cast<int>(needs.size());
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
          .likely_architecture = likely,
          .shared_limit = [](const std::string&) { return kBlockSharedBytes; },
          .suits = suits};
}

}  // namespace kiln
