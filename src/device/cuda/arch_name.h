#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace kiln {

/// The name of an NVIDIA architecture, in its parts.
struct ArchName {
  std::string prefix;  ///< "sm_" or "compute_"
  std::int64_t number = 0;
  std::string suffix;  ///< "a", "f" or nothing
};

/// `nullopt` for a text that is not exactly such a name: "sm_090" is refused.
[[nodiscard]] std::optional<ArchName> parse_arch_name(const std::string& text);

/// The name that a misspelt text probably means: "sm_90" for "90", "9.0", "SM_90", "sm90" and "sm_090". Empty
/// if no name is near.
[[nodiscard]] std::string likely_arch_name(const std::string& text);

}  // namespace kiln
