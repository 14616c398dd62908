#include "study/paired.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/statistics.h"
#include "kiln/error.h"

namespace kiln {
namespace {

template <class Combine>
Interval paired(std::span<const double> left, std::span<const double> right, Combine combine) {
  if (left.size() != right.size()) throw internal_error("paired samples differ in number");
  std::vector<double> values(left.size());
  std::transform(left.begin(), left.end(), right.begin(), values.begin(), combine);
  const Summary summary = summarize(values);
  return {summary.median, summary.ci_low, summary.ci_high};
}

/// SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, OOPSLA 2014).
std::uint64_t next_random(std::uint64_t& state) {
  state += 0x9e3779b97f4a7c15;
  std::uint64_t mixed = state;
  mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9;
  mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111eb;
  return mixed ^ (mixed >> 31);
}

/// Uniform in [0, bound), with no bias: draws that would favour small values are drawn again.
std::uint64_t next_below(std::uint64_t& state, std::uint64_t bound) {
  const std::uint64_t reject_below = (0 - bound) % bound;
  for (;;) {
    const std::uint64_t draw = next_random(state);
    if (draw >= reject_below) return draw % bound;
  }
}

}  // namespace

Interval paired_ratio(std::span<const double> numerators, std::span<const double> denominators) {
  return paired(numerators, denominators, [](double top, double bottom) { return top / bottom; });
}

Interval paired_difference(std::span<const double> left, std::span<const double> right) {
  return paired(left, right, [](double a, double b) { return a - b; });
}

Effect effect_of(const Interval& speedup) {
  if (speedup.low > 1) return Effect::kFaster;
  return speedup.high < 1 ? Effect::kSlower : Effect::kNone;
}

BreakEven break_even(const Interval& price, const Interval& saved) {
  if (saved.high <= 0) return {};
  const auto launches = [](double cost, double gain) { return std::max(0.0, std::ceil(cost / gain)); };
  BreakEven result;
  result.low = launches(price.low, saved.high);
  result.kind = BreakEven::Kind::kNotShown;
  if (saved.low <= 0) return result;
  result.kind = BreakEven::Kind::kAfter;
  result.launches = launches(price.median, saved.median);
  result.high = launches(price.high, saved.low);
  return result;
}

std::vector<std::size_t> visit_order(std::uint64_t seed, std::uint64_t round, std::size_t count) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::uint64_t state = seed;
  state = next_random(state) ^ round;
  for (std::size_t left = count; left > 1; --left) std::swap(order[left - 1], order[next_below(state, left)]);
  return order;
}

}  // namespace kiln
