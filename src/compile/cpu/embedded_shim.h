#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kiln {

struct EmbeddedFile {
  std::string name;
  std::string_view text;
  bool each_time = false;  ///< included again, it takes effect again
};

struct ShimPart : EmbeddedFile {
  /// What a text contains that uses the part; a unit without such a text does not pay for compiling it.
  /// Empty: each unit has it.
  std::vector<std::string_view> used_where;
};

/// The parts of the shim, in the order in which they start a unit.
[[nodiscard]] const std::vector<ShimPart>& cpu_shim_parts();

/// Headers that kernel texts include for CUDA's sake, by the name that they are included by.
[[nodiscard]] const std::vector<EmbeddedFile>& cpu_stand_in_headers();

}  // namespace kiln
