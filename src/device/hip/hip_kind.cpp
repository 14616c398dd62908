#include "device/hip/hip_kind.h"

#include <algorithm>
#include <cctype>

namespace kiln {
namespace {

bool owns(const std::string& name) {
  return name.starts_with("gfx");
}

std::string likely(const std::string& text) {
  std::string lower = text;
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return owns(lower) ? lower : "";
}

/// Without ":xnack-".
std::string processor_of(const std::string& architecture) {
  return architecture.substr(0, architecture.find(':'));
}

int cdna_generation(const std::string& architecture) {
  const std::string processor = processor_of(architecture);
  if (processor == "gfx908") return 1;
  if (processor == "gfx90a") return 2;
  if (processor == "gfx940" || processor == "gfx941" || processor == "gfx942") return 3;
  return processor == "gfx950" ? 4 : 0;
}

std::uint64_t shared_limit(const std::string& architecture) {
  constexpr std::uint64_t kKilobyte = 1024;
  return kKilobyte * (processor_of(architecture) == "gfx950" ? 160 : 64);
}

}  // namespace

BackendKind hip_kind() {
  return {.name = "hip",
          .architectures = "gfx90a (AMD)",
          .owns_architecture = owns,
          .likely_architecture = likely,
          .cdna_generation = cdna_generation,
          .shared_limit = shared_limit,
          .assumed_architecture = "gfx90a",
          .assumed_bandwidth = 5000};
}

}  // namespace kiln
