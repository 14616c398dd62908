#include <algorithm>
#include <cmath>

#include "report/plots.h"
#include "report/record_table.h"
#include "report/svg.h"

namespace kiln {
namespace {

constexpr double kWidth = 400;
constexpr double kHeight = 300;
constexpr double kLeft = 44;
constexpr double kBottom = 264;
constexpr double kTop = 10;
constexpr double kRight = 378;

/// Decades of both axes that hold all ceilings, their corners and all points.
struct Axes {
  double x_low = -2, x_high = 2, y_low = 0, y_high = 0;  ///< powers of ten

  [[nodiscard]] double x(double intensity) const {
    return kLeft + (std::log10(intensity) - x_low) / (x_high - x_low) * (kRight - kLeft);
  }
  [[nodiscard]] double y(double rate) const {
    return kBottom - (std::log10(rate) - y_low) / (y_high - y_low) * (kBottom - kTop);
  }
};

double highest(const DeviceCeilings& device, const std::string& unit) {
  double most = 0;
  for (const Ceiling& ceiling : device.ceilings) {
    if (ceiling.unit == unit) most = std::max(most, ceiling.value);
  }
  return most;
}

Axes axes_of(const DeviceCeilings& device, const std::vector<RooflinePoint>& points) {
  const double bandwidth = highest(device, "GB/s");
  double rate = highest(device, "GFLOP/s");
  Axes axes;
  for (const RooflinePoint& point : points) {
    rate = std::max(rate, point.rate);
    if (!point.intensity) continue;
    axes.x_low = std::min(axes.x_low, std::floor(std::log10(*point.intensity)));
    axes.x_high = std::max(axes.x_high, std::ceil(std::log10(*point.intensity)));
  }
  if (bandwidth > 0 && rate > 0)
    axes.x_high = std::max(axes.x_high, std::ceil(std::log10(rate / bandwidth)) + 1);
  axes.y_high = std::ceil(std::log10(std::max({rate, bandwidth, 1.0}) * 1.1));
  axes.y_low = axes.y_high - 5;
  for (const RooflinePoint& point : points)
    axes.y_low = std::min(axes.y_low, std::floor(std::log10(point.rate)));
  return axes;
}

void draw_grid(Svg& svg, const Axes& axes) {
  const auto power = [](double exponent) { return short_number(std::pow(10.0, exponent)); };
  for (double e = axes.x_low; e <= axes.x_high; ++e) {
    const double x = axes.x(std::pow(10.0, e));
    svg.line(x, kTop, x, kBottom, "grid");
    svg.text(x, kBottom + 14, power(e), "value", "middle");
  }
  for (double e = axes.y_low; e <= axes.y_high; ++e) {
    const double y = axes.y(std::pow(10.0, e));
    svg.line(kLeft, y, kRight, y, "grid");
    svg.text(kLeft - 4, y + 4, power(e), "value", "end");
  }
  svg.text((kLeft + kRight) / 2, kHeight - 4, "FLOP per byte", "label", "middle");
  svg.text(kLeft + 4, kTop + 10, "GFLOP/s", "label");
}

std::string ceiling_text(const Ceiling& ceiling) {
  return ceiling.name + " " + short_number(ceiling.value) + " " + ceiling.unit;
}

/// From where it enters the picture to the highest level line.
void draw_slope(Svg& svg, const Axes& axes, const Ceiling& ceiling, double top_rate) {
  const double bottom_rate = std::pow(10.0, axes.y_low);
  const double from = std::max(bottom_rate / ceiling.value, std::pow(10.0, axes.x_low));
  const double to = std::min(top_rate / ceiling.value, std::pow(10.0, axes.x_high));
  if (to <= from) return;
  svg.line(axes.x(from), axes.y(from * ceiling.value), axes.x(to), axes.y(to * ceiling.value), "ceiling",
           ceiling_text(ceiling));
}

void draw_level(Svg& svg, const Axes& axes, const Ceiling& ceiling, double bandwidth) {
  const double corner = bandwidth > 0 ? ceiling.value / bandwidth : std::pow(10.0, axes.x_low);
  const double y = axes.y(ceiling.value);
  svg.line(axes.x(std::clamp(corner, std::pow(10.0, axes.x_low), std::pow(10.0, axes.x_high))), y, kRight, y,
           "ceiling", ceiling_text(ceiling));
  svg.text(kRight - 2, y - 3, ceiling_text(ceiling), "value", "end");
}

}  // namespace

std::string roofline_plot(const std::string& label, const DeviceCeilings& device,
                          const std::vector<RooflinePoint>& points) {
  const Axes axes = axes_of(device, points);
  Svg svg(kWidth, kHeight, label);
  draw_grid(svg, axes);
  const double bandwidth = highest(device, "GB/s");
  const double rate = highest(device, "GFLOP/s");
  for (const Ceiling& ceiling : device.ceilings) {
    if (ceiling.unit == "GB/s") {
      draw_slope(svg, axes, ceiling, rate > 0 ? rate : std::pow(10.0, axes.y_high));
    } else {
      draw_level(svg, axes, ceiling, bandwidth);
    }
  }
  for (const RooflinePoint& point : points) {
    const std::string title = point.label + ": " + short_number(point.rate) + " GFLOP/s";
    if (point.intensity) {
      svg.circle(axes.x(*point.intensity), axes.y(point.rate), 4, "point",
                 title + " at " + short_number(*point.intensity) + " FLOP per byte");
    } else {
      svg.line(kLeft, axes.y(point.rate), kRight, axes.y(point.rate), "level", title);
    }
  }
  return svg.str();
}

}  // namespace kiln
