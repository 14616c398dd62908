#include "measure/sampler.h"

#include <algorithm>

namespace kiln {
namespace {

/// When the interval is looked at next: summing up costs more the more samples there are, and must not
/// disturb them.
std::size_t next_look(std::size_t samples) {
  constexpr std::size_t kPart = 20;
  return samples + std::max<std::size_t>(1, samples / kPart);
}

}  // namespace

Samples sample(const std::function<double()>& take_one, const SamplerOptions& options, const Clock& clock) {
  constexpr std::size_t kLeastToGiveUp = 3;
  constexpr double kHopeless = 4;
  const std::int64_t begin = clock.steady_ns();
  Samples samples;
  std::size_t look = std::max<std::size_t>(1, options.min_samples);
  double fastest = std::numeric_limits<double>::infinity();
  for (;;) {
    samples.seconds.push_back(take_one());
    fastest = std::min(fastest, samples.seconds.back());
    const std::size_t count = samples.seconds.size();
    const double elapsed = seconds_between(begin, clock.steady_ns());
    const bool out_of_samples = count >= options.max_samples;
    const bool out_of_time = elapsed >= options.max_time;
    const bool may_be_stable = count >= options.min_samples && elapsed >= options.min_time;
    const bool looks = may_be_stable && count >= look;
    const bool too_slow = fastest > options.give_up_above * (count >= kLeastToGiveUp ? 1 : kHopeless);
    if (!looks && !out_of_samples && !out_of_time && !too_slow) continue;

    samples.summary = summarize(samples.seconds);
    look = next_look(count);
    if (too_slow || samples.summary.ci_low > options.give_up_above) {
      samples.reason = StopReason::kGivenUp;
    } else if (may_be_stable && samples.summary.relative_half_width() <= options.target_relative_interval) {
      samples.reason = StopReason::kStable;
    } else if (out_of_samples) {
      samples.reason = StopReason::kMaxSamples;
    } else if (out_of_time) {
      samples.reason = StopReason::kMaxTime;
    } else {
      continue;
    }
    return samples;
  }
}

}  // namespace kiln
