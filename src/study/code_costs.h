#pragma once

#include <optional>

#include "job/job_runner.h"
#include "study/case_data.h"

namespace kiln {

/// Gets the code of a variant's step `repeats` times as a user would the first time, into a disk cache of its
/// own below `scratch` that goes again, and each time once more out of that cache as another process would.
/// One unit after the other, nothing beside it. `nullopt` for code that does not compile.
[[nodiscard]] std::optional<CaseCosts> measure_code(const Variant& variant, const JobContext& context,
                                                    const std::filesystem::path& scratch,
                                                    std::size_t repeats);

}  // namespace kiln
