#pragma once

#include <filesystem>
#include <optional>

#include "base/process.h"
#include "study/case_data.h"
#include "trial/trial.h"

namespace kiln {

/// How the code of a case is measured.
struct CodeMeasurement {
  const JobContext& context;             ///< with the case's own compiler
  ProcessRunner& processes;              ///< for a disassembler
  const std::filesystem::path& scratch;  ///< for cold caches; each is removed at once
  std::size_t repeats = 1;
  std::size_t compiles = 1;  ///< how many of the repeats compile; later ones take the last one's code
};

/// Gets the code of a variant's step `compiles` times as a user would the first time, into a disk cache of
/// its own below `scratch` that goes again, and `repeats` times out of that cache as another process would.
/// One unit after the other, nothing beside it. `nullopt` for code that does not compile.
///
/// With a `trial` of the variant, prepared and found right, each time goes on to the end of the first
/// step: cold and out of the cache or, for code that is `ahead` of time, from code in memory.
[[nodiscard]] std::optional<CaseCosts> measure_code(const Variant& variant, const CodeMeasurement& how,
                                                    Trial* trial, bool ahead);

}  // namespace kiln
