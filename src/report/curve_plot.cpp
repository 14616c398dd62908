#include <algorithm>
#include <cmath>

#include "report/axis.h"
#include "report/plots.h"
#include "report/record_table.h"
#include "report/svg.h"

namespace kiln {
namespace {

constexpr double kCurveLeft = 34;
constexpr double kCurveTop = 20;
constexpr double kCurveBottom = 220;

void draw_axes(Svg& svg, const Axis& across, const Axis& up, const std::string& title) {
  constexpr std::size_t kTicks = 7;
  for (const double tick : even_ticks(up.low, up.high, kTicks)) {
    svg.line(kCurveLeft, up.at(tick), across.end, up.at(tick), tick == 1 ? "unity" : "grid");
    svg.text(kCurveLeft - 4, up.at(tick) + 4, short_number(tick), "value", "end");
  }
  svg.line(kCurveLeft, up.at(1), across.end, up.at(1), "unity");
  const int last = static_cast<int>(std::floor(std::log10(across.high) + 1e-9));
  for (int e = 0; e <= last; ++e) {
    const double x = across.at(std::pow(10.0, e));
    svg.line(x, kCurveTop, x, kCurveBottom, "grid");
    svg.text(x, kCurveBottom + 14, power_text(e), "value", "middle");
  }
  svg.text((kCurveLeft + across.end) / 2, kCurveBottom + 28, "launches", "label", "middle");
  svg.text(0, 12, title, "label");
}

}  // namespace

std::string curve_plot(const std::string& label, const std::string& axis_title,
                       const std::vector<double>& launches, const std::vector<Curve>& curves) {
  constexpr double kRoom = 1.08;
  constexpr double kSample = 26;
  constexpr std::size_t kLetters = 56;
  double most = 1;
  for (const Curve& curve : curves) {
    for (const double value : curve.values) {
      if (std::isfinite(value)) most = std::max(most, value);
    }
  }
  const double most_launches = launches.empty() ? 1 : std::max(launches.back(), 10.0);
  const Axis across{1, most_launches, kCurveLeft + 6, kPlotWidth - 10, true};
  const Axis up{0, most * kRoom, kCurveBottom, kCurveTop};
  const double legend = kCurveBottom + 44;
  Svg svg(kPlotWidth, legend + kLegendLine * static_cast<double>(curves.size()), label);
  draw_axes(svg, across, up, axis_title);
  for (std::size_t i = 0; i < curves.size(); ++i) {
    const Curve& curve = curves[i];
    std::vector<std::pair<double, double>> places;
    for (std::size_t at = 0; at < std::min(launches.size(), curve.values.size()); ++at) {
      if (!std::isfinite(curve.values[at])) continue;
      places.emplace_back(across.at(launches[at]), up.at(curve.values[at]));
      svg.circle(places.back().first, places.back().second, 2, series_class("dot", i),
                 at < curve.titles.size() ? curve.titles[at] : "");
    }
    svg.polyline(places, series_class("curve", i));
    const double y = legend + kLegendLine * static_cast<double>(i) + 4;
    svg.line(0, y, kSample, y, series_class("curve", i));
    svg.text(kSample + 6, y + 4, shortened(curve.label, kLetters), "label");
  }
  return svg.str();
}

}  // namespace kiln
