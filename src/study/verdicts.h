#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "record/study_results.h"

// The findings of a study, in one sentence each.
namespace kiln {

/// Facts in the sentence of a ratio beside the ratio.
struct RatioFacts {
  std::string what;                                          ///< "natpro at compile time", "fast-math"
  std::optional<std::uint64_t> code_bytes, base_code_bytes;  ///< sizes of a step's code; absent if unknown
  std::optional<double> error, base_error;                   ///< of the checks
  bool unchecked = false;  ///< no check has compared the results of one of the two
};

[[nodiscard]] std::string verdict_of(const CaseRatio& ratio, const RatioFacts& facts);
[[nodiscard]] std::string verdict_of(const CaseBreakEven& found, bool unchecked);
[[nodiscard]] std::string verdict_of(const FirstResult& found, bool unchecked);

}  // namespace kiln
