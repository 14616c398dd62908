#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <vector>

#include "base/clock.h"
#include "base/statistics.h"
#include "base/word_table.h"

namespace kiln {

struct SamplerOptions {
  double min_time = 0.5;  ///< seconds of wall clock, at least
  double max_time = 10;   ///< seconds of wall clock, at most (checked after each sample)
  std::size_t min_samples = 5;
  std::size_t max_samples = 1000;
  double target_relative_interval = 0.01;  ///< half width of the median's interval over the median
  /// Seconds of one sample. Sampling is given up once none of three samples and more is as fast as this, none
  /// at all comes near four times this, or the median is slower at 95 %: what is measured cannot be worth
  /// more samples.
  double give_up_above = std::numeric_limits<double>::infinity();
};

enum class StopReason { kStable, kMaxSamples, kMaxTime, kGivenUp };
template <>
inline constexpr auto kWords<StopReason> =
    std::to_array<Word<StopReason>>({{StopReason::kStable, "stable"},
                                     {StopReason::kMaxSamples, "max_samples"},
                                     {StopReason::kMaxTime, "max_time"},
                                     {StopReason::kGivenUp, "given_up"}});

struct Samples {
  std::vector<double> seconds;
  StopReason reason = StopReason::kMaxTime;
  Summary summary;
};

/// Calls `take_one`, which returns the seconds of one sample, until the median is stable (its interval is
/// within the target, and min_time and min_samples are reached), samples or time are out, or sampling is
/// given up. Takes at least one.
[[nodiscard]] Samples sample(const std::function<double()>& take_one, const SamplerOptions& options,
                             const Clock& clock);

}  // namespace kiln
