#pragma once

#include <string>

namespace kiln {

/// Facts of this build, for `kiln --version` and every record. No date: equal sources give equal builds.
struct BuildInfo {
  std::string version;  ///< "0.2.0"
  std::string
      revision;  ///< of the source tree, "1d2331e0c5a2" or "1d2331e0c5a2-dirty"; "unknown" without git
  std::string compiler;    ///< that built Kiln, "GNU 12.2.0"
  std::string build_type;  ///< "Release"
};

[[nodiscard]] BuildInfo build_info();

}  // namespace kiln
