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

/// why_unchecked() as far as it is known before the variant runs: no check is declared, no condition holds,
/// optional files are missing, regions are empty.
[[nodiscard]] std::optional<std::string> why_unchecked(const Configuration& configuration, FileSystem& files);

/// Message of a check that compared nothing.
inline constexpr const char* kEmptyRegion = "compared nothing: the region is empty";
inline constexpr const char* kNoExpectedValue = "compared nothing: there is no expected value in the input";

}  // namespace kiln
