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

}  // namespace

BackendKind hip_kind() {
  return {.name = "hip",
          .architectures = "gfx90a (AMD)",
          .owns_architecture = owns,
          .likely_architecture = likely,
          .assumed_bandwidth = 5000};
}

}  // namespace kiln
