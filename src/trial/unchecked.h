#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/file.h"
#include "record/record.h"
#include "workload/configuration.h"

namespace kiln {

/// Why no check shows that the result of a variant is right: none has compared an element. `nullopt` if one
/// has. `results` are the results of checks whose condition holds.
[[nodiscard]] std::optional<std::string> why_unchecked(const Workload& workload,
                                                       const std::vector<CheckResult>& results);

/// The same as far as it is known before the variant runs: no check is declared, no condition holds, files
/// that are optional are not there, regions are empty.
[[nodiscard]] std::optional<std::string> why_unchecked(const Configuration& configuration, FileSystem& files);

/// What a check says that compared nothing.
inline constexpr const char* kEmptyRegion = "compared nothing: the region is empty";
inline constexpr const char* kNoExpectedValue = "compared nothing: there is no expected value in the input";

}  // namespace kiln
