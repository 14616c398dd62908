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

/// The parts of the shim, in the order in which they start a unit.
[[nodiscard]] const std::vector<EmbeddedFile>& cpu_shim_parts();

/// Headers that kernel texts include for CUDA's sake, by the name that they are included by.
[[nodiscard]] const std::vector<EmbeddedFile>& cpu_stand_in_headers();

}  // namespace kiln
