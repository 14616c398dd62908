#include "report/axis.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "base/text.h"

namespace kiln {

double Axis::at(double value) const {
  const double share = log ? std::log(value / low) / std::log(high / low) : (value - low) / (high - low);
  return begin + share * (end - begin);
}

std::vector<double> even_ticks(double low, double high, std::size_t most) {
  if (!(high > low) || !std::isfinite(high - low)) return {};
  constexpr std::array<double, 3> kSteps = {1, 2, 5};
  constexpr double kDecade = 10;
  constexpr double kSlack = 1e-9;  // of a step: 0.3 is a multiple of 0.1
  double decade = std::pow(kDecade, std::floor(std::log10(high - low)) - 1);
  for (;; decade *= kDecade) {
    for (const double digit : kSteps) {
      const double step = digit * decade;
      const double first = std::ceil(low / step - kSlack);
      const double last = std::floor(high / step + kSlack);
      if (last - first >= static_cast<double>(std::max<std::size_t>(most, 2))) continue;
      std::vector<double> ticks;
      for (double i = first; i <= last; ++i) ticks.push_back(i * step + 0.0);  // no -0
      return ticks;
    }
  }
}

std::vector<double> ratio_ticks(const Axis& axis, double gap) {
  constexpr std::array<double, 11> kAboveOne = {2, 1.5, 1.2, 1.1, 1.05, 1.02, 1.01, 4, 8, 1.005, 1.002};
  std::vector<double> ticks;
  const auto add = [&](double value) {
    const bool shown = value >= axis.low && value <= axis.high;
    const bool free = std::none_of(ticks.begin(), ticks.end(), [&](double tick) {
      return std::abs(axis.at(tick) - axis.at(value)) < gap;
    });
    if (shown && free) ticks.push_back(value);
  };
  add(1);
  for (const double value : kAboveOne) {
    add(value);
    // 0.5 is the ratio of 2, 0.8 and 0.9 read better than the inverses of 1.25 and 1.11.
    add(value < 2 ? 2 - value : 1 / value);
  }
  std::sort(ticks.begin(), ticks.end());
  return ticks;
}

std::vector<double> log_ticks(const Axis& axis, double gap) {
  if (!(axis.low > 0) || !(axis.high > axis.low) || !std::isfinite(axis.high)) return {};
  constexpr double kDecade = 10;
  const int first = static_cast<int>(std::floor(std::log10(axis.low)));
  const int last = static_cast<int>(std::ceil(std::log10(axis.high)));
  // From dense to sparse: digits of a decade, and how many decades there are from one such to the next.
  std::vector<std::pair<std::vector<double>, int>> choices = {{{1, 2, 5}, 1}, {{1, 3}, 1}};
  for (int decades = 1; decades <= last - first + 1; ++decades) choices.push_back({{1}, decades});
  std::vector<double> ticks;
  for (const auto& [digits, decades] : choices) {
    ticks.clear();
    for (int exponent = first; exponent <= last; ++exponent) {
      if (exponent % decades != 0) continue;
      for (const double digit : digits) {
        const double value = digit * std::pow(kDecade, exponent);
        if (value >= axis.low && value <= axis.high) ticks.push_back(value);
      }
    }
    const auto close = std::adjacent_find(ticks.begin(), ticks.end(), [&](double a, double b) {
      return std::abs(axis.at(b) - axis.at(a)) < gap;
    });
    if (close == ticks.end()) break;
  }
  return ticks;
}

std::string power_text(int exponent) {
  constexpr int kPlainFrom = -2;
  constexpr int kPlainTo = 3;
  constexpr double kDecade = 10;
  if (exponent >= kPlainFrom && exponent <= kPlainTo) return format_number(std::pow(kDecade, exponent));
  static const std::array<const char*, 10> raised = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string text = "10";
  for (const char c : std::to_string(exponent))
    text += c == '-' ? "⁻" : raised.at(static_cast<std::size_t>(c - '0'));
  return text;
}

TimeUnit time_unit(double most) {
  constexpr double kMilli = 1e3;
  constexpr double kMicro = 1e6;
  constexpr double kNano = 1e9;
  if (most >= 1) return {1, "s"};
  if (most * kMilli >= 1) return {kMilli, "ms"};
  if (most * kMicro >= 1) return {kMicro, "us"};
  return {kNano, "ns"};
}

}  // namespace kiln
