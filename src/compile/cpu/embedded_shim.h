#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kiln {

struct EmbeddedFile {
  std::string name;
  std::string_view text;
  bool each_time = false;  ///< each inclusion takes effect again
};

struct ShimPart : EmbeddedFile {
  /// Words of a text that uses the part; a unit whose text has none of them does not compile the part. Empty:
  /// the part is in each unit.
  std::vector<std::string_view> used_where = {};
  /// The same for the text that splitting kernels at their barriers has written.
  std::vector<std::string_view> written_where = {};
  /// How the names begin that the part defines, if a text that splitting has written is spared the part where
  /// it has none of them: such a text has no macros, so a name is seen. Empty: it is not.
  std::vector<std::string_view> names = {};
};

/// The parts of the shim, in the order in which they start a unit.
[[nodiscard]] const std::vector<ShimPart>& cpu_shim_parts();

/// Headers of CUDA that kernel texts include, by the name in the #include.
[[nodiscard]] const std::vector<EmbeddedFile>& cpu_stand_in_headers();

}  // namespace kiln
