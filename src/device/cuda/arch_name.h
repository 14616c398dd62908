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

/// `nullopt` for a text that is no such name, as it has to be written: "sm_090" is none.
[[nodiscard]] std::optional<ArchName> parse_arch_name(const std::string& text);

/// The name that a text may stand for that is none: "sm_90" for "90", "9.0", "SM_90", "sm90" and "sm_090".
/// Empty: nothing of the kind.
[[nodiscard]] std::string likely_arch_name(const std::string& text);

}  // namespace kiln
