#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/word_table.h"

namespace kiln {

/// An estimate with its interval at 95 %.
struct Interval {
  double median = 0, low = 0, high = 0;
  [[nodiscard]] bool holds(double value) const { return low <= value && value <= high; }
};

/// How a study compares two kernels. Each round visits both, so the two values of one round saw the same
/// clocks and the same neighbours; their ratio or difference is formed within the round, and the rounds are
/// the sample. The interval is that of the median over the rounds, by order statistics (`summarize`): free of
/// any distribution (Conover, Practical Nonparametric Statistics, 3rd ed., 3.2; paired, for drift: Hoefler
/// and Belli, SC'15). It is at 95 % from 6 rounds on. Both spans are as long as each other, at least 1.
[[nodiscard]] Interval paired_ratio(std::span<const double> numerators, std::span<const double> denominators);
[[nodiscard]] Interval paired_difference(std::span<const double> left, std::span<const double> right);

enum class Effect { kFaster, kSlower, kNone };
template <>
inline constexpr auto kWords<Effect> = std::to_array<Word<Effect>>({{Effect::kFaster, "faster"},
                                                                    {Effect::kSlower, "slower"},
                                                                    {Effect::kNone, "none"}});
/// Of a speed-up: none where its interval holds 1.
[[nodiscard]] Effect effect_of(const Interval& speedup);

/// After how many launches a price paid once is earned back by what each launch saves.
struct BreakEven {
  enum class Kind {
    kAfter,     ///< after `launches`, surely not before `low` and, at 95 %, not after `high`
    kNotShown,  ///< the interval of what a launch saves holds 0: not before `low`, if ever
    kNever,     ///< a launch saves nothing: the interval lies below 0
  };
  Kind kind = Kind::kNever;
  std::optional<double> launches, low, high;  ///< whole numbers of launches
};
template <>
inline constexpr auto kWords<BreakEven::Kind> =
    std::to_array<Word<BreakEven::Kind>>({{BreakEven::Kind::kAfter, "after"},
                                          {BreakEven::Kind::kNotShown, "not shown"},
                                          {BreakEven::Kind::kNever, "never"}});
/// `price` in seconds (median and range of what was seen), `saved` in seconds a launch. A price of 0 or less
/// is earned back after 0 launches.
[[nodiscard]] BreakEven break_even(const Interval& price, const Interval& saved);

/// The order in which a round visits `count` cases: a permutation that depends on nothing but the arguments,
/// the same on every machine (SplitMix64 and Fisher-Yates).
[[nodiscard]] std::vector<std::size_t> visit_order(std::uint64_t seed, std::uint64_t round,
                                                   std::size_t count);

}  // namespace kiln
