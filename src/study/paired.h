#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "record/study_results.h"

namespace kiln {

/// How a study compares two kernels. Each round visits both, so the two values of one round saw the same
/// clocks and the same neighbours; their ratio or difference is formed within the round, and the rounds are
/// the sample. The interval is that of the median over the rounds, by order statistics (`summarize`): free of
/// any distribution (Conover, Practical Nonparametric Statistics, 3rd ed., 3.2; paired, for drift: Hoefler
/// and Belli, SC'15). It is at 95 % from 6 rounds on. Both spans are as long as each other, at least 1.
[[nodiscard]] Interval paired_ratio(std::span<const double> numerators, std::span<const double> denominators);
[[nodiscard]] Interval paired_difference(std::span<const double> left, std::span<const double> right);

/// The effect of a speed-up: none if its interval holds 1.
[[nodiscard]] Effect effect_of(const Interval& speedup);

/// `price` in seconds (median and range of what was seen), `saved` in seconds a launch. A price of 0 or less
/// is earned back after 0 launches.
[[nodiscard]] BreakEven break_even(const Interval& price, const Interval& saved);

/// The order in which a round visits `count` cases: a permutation that depends on nothing but the arguments,
/// the same on every machine (SplitMix64 and Fisher-Yates).
[[nodiscard]] std::vector<std::size_t> visit_order(std::uint64_t seed, std::uint64_t round,
                                                   std::size_t count);

}  // namespace kiln
