#include <algorithm>
#include <cmath>

#include "report/axis.h"
#include "report/plots.h"
#include "report/record_table.h"
#include "report/svg.h"

namespace kiln {
namespace {

constexpr double kRoofLeft = 34;
constexpr double kRoofBottom = 244;
constexpr double kRoofTop = 20;
constexpr double kRight = kPlotWidth - 10;

/// Decades of both axes that hold all ceilings, their corners and all points.
struct Axes {
  int x_low = -2, x_high = 2, y_low = 0, y_high = 0;  ///< powers of ten
  Axis across, up;

  [[nodiscard]] double x(double intensity) const { return across.at(intensity); }
  [[nodiscard]] double y(double rate) const { return up.at(rate); }
};

double highest(const DeviceCeilings& device, const std::string& unit) {
  double most = 0;
  for (const Ceiling& ceiling : device.ceilings) {
    if (ceiling.unit == unit) most = std::max(most, ceiling.value);
  }
  return most;
}

int decade_below(double value) {
  return static_cast<int>(std::floor(std::log10(value)));
}

int decade_above(double value) {
  return static_cast<int>(std::ceil(std::log10(value)));
}

Axes axes_of(const DeviceCeilings& device, const std::vector<RooflinePoint>& points) {
  const double bandwidth = highest(device, "GB/s");
  double rate = highest(device, "GFLOP/s");
  Axes axes;
  for (const RooflinePoint& point : points) {
    rate = std::max(rate, point.rate);
    if (!point.intensity) continue;
    axes.x_low = std::min(axes.x_low, decade_below(*point.intensity));
    axes.x_high = std::max(axes.x_high, decade_above(*point.intensity));
  }
  if (bandwidth > 0 && rate > 0) axes.x_high = std::max(axes.x_high, decade_above(rate / bandwidth) + 1);
  constexpr double kRoom = 1.1;
  constexpr int kDecades = 5;
  axes.y_high = decade_above(std::max({rate, bandwidth, 1.0}) * kRoom);
  axes.y_low = axes.y_high - kDecades;
  for (const RooflinePoint& point : points) axes.y_low = std::min(axes.y_low, decade_below(point.rate));
  axes.across = {std::pow(10.0, axes.x_low), std::pow(10.0, axes.x_high), kRoofLeft, kRight, true};
  axes.up = {std::pow(10.0, axes.y_low), std::pow(10.0, axes.y_high), kRoofBottom, kRoofTop, true};
  return axes;
}

void draw_grid(Svg& svg, const Axes& axes) {
  for (int e = axes.x_low; e <= axes.x_high; ++e) {
    const double x = axes.x(std::pow(10.0, e));
    svg.line(x, kRoofTop, x, kRoofBottom, "grid");
    svg.text(x, kRoofBottom + 14, power_text(e), "value", "middle");
  }
  for (int e = axes.y_low; e <= axes.y_high; ++e) {
    const double y = axes.y(std::pow(10.0, e));
    svg.line(kRoofLeft, y, kRight, y, "grid");
    svg.text(kRoofLeft - 4, y + 4, power_text(e), "value", "end");
  }
  svg.text((kRoofLeft + kRight) / 2, kRoofBottom + 28, "FLOP per byte", "label", "middle");
  svg.text(0, 12, "GFLOP/s", "label");
}

std::string ceiling_text(const Ceiling& ceiling) {
  return ceiling.name + " " + short_number(ceiling.value) + " " + ceiling.unit;
}

/// From where it enters the picture to the highest level line.
void draw_slope(Svg& svg, const Axes& axes, const Ceiling& ceiling, double top_rate) {
  const double from = std::max(axes.up.low / ceiling.value, axes.across.low);
  const double to = std::min(top_rate / ceiling.value, axes.across.high);
  if (to <= from) return;
  svg.line(axes.x(from), axes.y(from * ceiling.value), axes.x(to), axes.y(to * ceiling.value), "ceiling",
           ceiling_text(ceiling));
}

void draw_level(Svg& svg, const Axes& axes, const Ceiling& ceiling, double bandwidth) {
  const double corner = bandwidth > 0 ? ceiling.value / bandwidth : axes.across.low;
  const double y = axes.y(ceiling.value);
  svg.line(axes.x(std::clamp(corner, axes.across.low, axes.across.high)), y, kRight, y, "ceiling",
           ceiling_text(ceiling));
}

/// Ceilings lie too close together to be named where they stand.
std::string ceilings_text(const DeviceCeilings& device, const std::string& unit, const char* what) {
  std::string text;
  for (const Ceiling& ceiling : device.ceilings) {
    if (ceiling.unit == unit)
      text += (text.empty() ? what : ", ") + ceiling.name + " " + short_number(ceiling.value);
  }
  return text.empty() ? text : text + " " + unit;
}

std::vector<std::string> groups_of(const std::vector<RooflinePoint>& points) {
  std::vector<std::string> groups;
  for (const RooflinePoint& point : points) {
    if (std::find(groups.begin(), groups.end(), point.group) == groups.end()) groups.push_back(point.group);
  }
  return groups;
}

/// The records' looks begin after that of the ceilings, which are of the text's colour.
std::string look(const char* kind, std::size_t group) {
  return series_class(kind, group % (kSeriesLooks - 1) + 1);
}

void draw_legend(Svg& svg, const std::vector<std::string>& ceilings, const std::vector<std::string>& groups) {
  constexpr double kRadius = 4;
  double y = kRoofBottom + 48;
  for (const std::string& text : ceilings) {
    svg.text(0, y, text, "value");
    y += kLegendLine;
  }
  for (std::size_t i = 0; i < groups.size(); ++i) {
    svg.circle(kRadius + 1, y - kRadius, kRadius, look("point", i), "");
    svg.text(3 * kRadius, y, groups[i], "label");
    y += kLegendLine;
  }
}

}  // namespace

std::string roofline_plot(const std::string& label, const DeviceCeilings& device,
                          const std::vector<RooflinePoint>& points) {
  const Axes axes = axes_of(device, points);
  const std::vector<std::string> groups = groups_of(points);
  std::vector<std::string> ceilings = {ceilings_text(device, "GFLOP/s", "level: "),
                                       ceilings_text(device, "GB/s", "slopes: ")};
  std::erase(ceilings, "");
  const auto lines = static_cast<double>(groups.size() + ceilings.size());
  Svg svg(kPlotWidth, kRoofBottom + 36 + kLegendLine * lines, label);
  draw_grid(svg, axes);
  const double bandwidth = highest(device, "GB/s");
  const double rate = highest(device, "GFLOP/s");
  for (const Ceiling& ceiling : device.ceilings) {
    if (ceiling.unit == "GB/s") {
      draw_slope(svg, axes, ceiling, rate > 0 ? rate : axes.up.high);
    } else {
      draw_level(svg, axes, ceiling, bandwidth);
    }
  }
  for (const RooflinePoint& point : points) {
    const auto group =
        static_cast<std::size_t>(std::find(groups.begin(), groups.end(), point.group) - groups.begin());
    const std::string title = point.label + ": " + short_number(point.rate) + " GFLOP/s";
    if (point.intensity) {
      svg.circle(axes.x(*point.intensity), axes.y(point.rate), 4, look("point", group),
                 title + " at " + short_number(*point.intensity) + " FLOP per byte");
    } else {
      svg.line(kRoofLeft, axes.y(point.rate), kRight, axes.y(point.rate), look("level", group), title);
    }
  }
  draw_legend(svg, ceilings, groups);
  return svg.str();
}

}  // namespace kiln
