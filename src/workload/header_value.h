#pragma once

#include <optional>
#include <string>

#include "base/file.h"
#include "workload/configuration.h"

namespace kiln {

/// A parameter's value as a file gives it.
struct HeaderValue {
  std::string path;
  Number value = 0.0;
  SourceLocation where;  ///< of the number, if the format reports it; else of the parameter's `from`
};

/// Reads the value of a parameter with `from:`. `nullopt` for any other, while the file's path is not set,
/// and for a key that the file lacks. Throws bad_input naming the file: not there, too short, no number, not
/// a whole number of records.
[[nodiscard]] std::optional<HeaderValue> read_header(const Configuration& configuration,
                                                     const ParameterSpec& parameter, FileSystem& files);

}  // namespace kiln
