#include <algorithm>
#include <optional>

#include "report/axis.h"
#include "report/plots.h"
#include "report/record_table.h"
#include "report/svg.h"

namespace kiln {
namespace {

struct Range {
  double low = 0, high = 0;
};

/// Of what `ends_of` tells of each bar that was measured; empty where none was.
template <class EndsOf>
std::optional<Range> range_of_bars(const std::vector<Bar>& bars, EndsOf ends_of) {
  std::optional<Range> range;
  for (const Bar& bar : bars) {
    if (!bar.failure.empty()) continue;
    const Range ends = ends_of(bar);
    range = range ? Range{std::min(range->low, ends.low), std::max(range->high, ends.high)} : ends;
  }
  return range;
}

/// "20 ms"
std::string time_tick(double seconds) {
  constexpr double kSlack = 1 + 1e-9;  // 1 us is not 1000 ns
  const TimeUnit unit = time_unit(seconds * kSlack);
  return short_number(seconds * unit.in_a_second) + " " + unit.name;
}

void draw_axis(Svg& svg, const Axis& axis, double bottom) {
  constexpr double kGap = 46;
  for (const double tick : log_ticks(axis, kGap)) {
    svg.line(axis.at(tick), 0, axis.at(tick), bottom, "grid");
    svg.text(axis.at(tick), bottom + kTextLine, time_tick(tick), "value", "middle");
  }
}

}  // namespace

std::optional<double> span_too_wide_for_bars(const std::vector<Bar>& bars) {
  constexpr double kMost = 20;
  const auto range = range_of_bars(bars, [](const Bar& bar) { return Range{bar.value, bar.value}; });
  if (!range || !(range->low > 0) || range->high <= kMost * range->low) return std::nullopt;
  return range->high / range->low;
}

std::string dot_plot(const std::string& label, const std::vector<Bar>& bars) {
  constexpr double kBegin = 16;
  constexpr double kEnd = 290;
  constexpr double kAxisHeight = 18;
  constexpr double kRadius = 3.5;
  constexpr double kRoom = 1.1;
  constexpr std::size_t kLetters = 56;
  const double bottom = kRowHeight * static_cast<double>(bars.size());
  Svg svg(kPlotWidth, bottom + kAxisHeight, label);
  const auto range = range_of_bars(bars, [](const Bar& bar) {
    return Range{bar.low > 0 ? std::min(bar.low, bar.value) : bar.value, std::max(bar.high, bar.value)};
  });
  const Axis axis{range ? range->low / kRoom : 1, range ? range->high * kRoom : 2, kBegin, kEnd, true};
  if (range) draw_axis(svg, axis, bottom);
  double top = 0;
  for (const Bar& bar : bars) {
    const double y = top + kTextLine + 10;
    svg.text(0, top + kTextLine, shortened(bar.label, kLetters), "label");
    if (!bar.failure.empty()) {
      svg.text(0, y + 4, bar.failure, "bad");
    } else {
      const double low = axis.at(std::max(bar.low, axis.low));
      const double high = axis.at(std::max(bar.high, bar.value));
      draw_interval(svg, low, high, y);
      svg.circle(axis.at(bar.value), y, kRadius, series_class("dot", bar.best ? 1 : 0),
                 bar.label + ": " + bar.text);
      svg.text(std::max(high, axis.at(bar.value) + kRadius) + 6, y + 4, bar.text, "value");
    }
    top += kRowHeight;
  }
  return svg.str();
}

}  // namespace kiln
