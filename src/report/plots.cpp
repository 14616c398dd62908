#include "report/plots.h"

#include <algorithm>

#include "base/text.h"
#include "report/axis.h"
#include "report/record_table.h"
#include "report/svg.h"

namespace kiln {
namespace {

/// Lines down from the top, and the numbers and the unit below.
void draw_time_axis(Svg& svg, const Axis& axis, double bottom) {
  constexpr std::size_t kTicks = 6;
  const TimeUnit unit = time_unit(axis.high);
  for (const double tick : even_ticks(0, axis.high * unit.in_a_second, kTicks)) {
    const double x = axis.at(tick / unit.in_a_second);
    svg.line(x, 0, x, bottom, "grid");
    svg.text(x, bottom + kTextLine, short_number(tick), "value", tick > 0 ? "middle" : "start");
  }
  svg.text(kPlotWidth, bottom + kTextLine, unit.name, "label", "end");
}

double ramp(const HeatMap& map, double value, double least, double most) {
  constexpr double kFaint = 0.1;
  constexpr double kFull = 0.8;
  const double share = most > least ? (value - least) / (most - least) : 1;
  return kFaint + (kFull - kFaint) * (map.higher_is_better ? share : 1 - share);
}

}  // namespace

void mark_best(std::vector<Bar>& bars) {
  const auto fastest = std::min_element(bars.begin(), bars.end(), [](const Bar& a, const Bar& b) {
    if (a.failure.empty() != b.failure.empty()) return a.failure.empty();
    return a.value < b.value;
  });
  if (fastest != bars.end()) fastest->best = fastest->failure.empty();
}

void draw_interval(Svg& svg, double low, double high, double y) {
  constexpr double kCap = 4;
  svg.line(low, y, high, y, "interval");
  svg.line(low, y - kCap, low, y + kCap, "interval");
  svg.line(high, y - kCap, high, y + kCap, "interval");
}

std::string shortened(const std::string& text, std::size_t letters) {
  const auto begins_letter = [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; };
  std::size_t count = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (begins_letter(text[i]) && ++count > letters) return text.substr(0, i) + "\xe2\x80\xa6";
  }
  return text;
}

std::string series_class(const char* kind, std::size_t number) {
  return std::string(kind) + " s" + std::to_string(number % kSeriesLooks);
}

std::string bar_plot(const std::string& label, const std::vector<Bar>& bars) {
  constexpr double kBarWidth = 270;
  constexpr double kBarHeight = 12;
  constexpr double kAxisHeight = 18;
  constexpr std::size_t kLetters = 56;
  double most = 0;
  for (const Bar& bar : bars) most = std::max({most, bar.value, bar.high});
  const double bottom = kRowHeight * static_cast<double>(bars.size());
  Svg svg(kPlotWidth, bottom + (most > 0 ? kAxisHeight : 0), label);
  const Axis axis{0, most > 0 ? most : 1, 0, kBarWidth};
  if (most > 0) draw_time_axis(svg, axis, bottom);
  double y = 0;
  for (const Bar& bar : bars) {
    const double top = y + kTextLine + 4;
    svg.text(0, y + kTextLine, shortened(bar.label, kLetters), "label");
    if (!bar.failure.empty()) {
      svg.text(0, top + kBarHeight - 2, bar.failure, "bad");
    } else {
      svg.rect(0, top, axis.at(bar.value), kBarHeight, bar.best ? "bar best" : "bar",
               bar.label + ": " + bar.text);
      draw_interval(svg, axis.at(bar.low), axis.at(bar.high), top + kBarHeight / 2);
      svg.text(axis.at(std::max(bar.high, bar.value)) + 6, top + kBarHeight - 2, bar.text, "value");
    }
    y += kRowHeight;
  }
  return svg.str();
}

std::string heat_map_plot(const std::string& label, const HeatMap& map) {
  constexpr double kLeft = 56;
  constexpr double kTop = 34;
  constexpr double kRow = 28;
  double least = 0;
  double most = 0;
  bool any = false;
  for (const auto& row : map.values) {
    for (const auto& value : row) {
      if (!value) continue;
      least = any ? std::min(least, *value) : *value;
      most = any ? std::max(most, *value) : *value;
      any = true;
    }
  }
  const double column = (kPlotWidth - kLeft) / static_cast<double>(map.xs.size());
  Svg svg(kPlotWidth, kTop + kRow * static_cast<double>(map.ys.size()), label);
  svg.text(kLeft + (kPlotWidth - kLeft) / 2, 12, map.x_name, "label", "middle");
  svg.text(0, kTop - 6, map.y_name, "label");
  for (std::size_t x = 0; x < map.xs.size(); ++x)
    svg.text(kLeft + column * (static_cast<double>(x) + 0.5), kTop - 6, map.xs[x], "value", "middle");
  for (std::size_t y = 0; y < map.ys.size(); ++y) {
    const double top = kTop + kRow * static_cast<double>(y);
    svg.text(kLeft - 6, top + kRow / 2 + 4, map.ys[y], "value", "end");
    for (std::size_t x = 0; x < map.xs.size(); ++x) {
      const std::optional<double>& value = map.values[y][x];
      const double left = kLeft + column * static_cast<double>(x);
      const std::string place = assignment(map.x_name, map.xs[x]) + " " + assignment(map.y_name, map.ys[y]);
      svg.rect(left, top, column - 1, kRow - 1, value ? "cell" : "cell none",
               place + ": " + (value ? short_number(*value) : "not measured"),
               value ? ramp(map, *value, least, most) : 1);
      if (value)
        svg.text(left + column / 2, top + kRow / 2 + 4, short_number(*value), "cell-value", "middle");
    }
  }
  return svg.str();
}

}  // namespace kiln
