#include <algorithm>
#include <cmath>

#include "base/print.h"
#include "report/axis.h"
#include "report/plots.h"
#include "report/record_table.h"
#include "report/svg.h"

namespace kiln {
namespace {

constexpr double kTextBegin = 236;
constexpr double kMost = 8;  // ratios beyond it, and below its inverse, are not drawn

/// Holds 1, all values and, up to kMost, all intervals, with some room on both sides.
Axis axis_of(const std::vector<RatioMark>& marks) {
  constexpr double kRoom = 1.15;  // of the logarithms
  constexpr double kLeast = 0.01;
  double reach = kLeast;
  for (const RatioMark& mark : marks) {
    for (const double ratio : {mark.low, mark.high, mark.value}) {
      if (ratio > 0 && std::isfinite(ratio)) reach = std::max(reach, std::abs(std::log(ratio)));
    }
  }
  reach = std::min(reach * kRoom, std::log(kMost));
  return {std::exp(-reach), std::exp(reach), 6, kTextBegin, true};
}

std::string ratio_text(const RatioMark& mark) {
  return print("%.3f [%.3f, %.3f]", mark.value, mark.low, mark.high);
}

/// One end of an interval: a cap, or an arrow where it leaves the picture.
void draw_end(Svg& svg, const Axis& axis, double value, double y) {
  constexpr double kCap = 4;
  const double inside = std::clamp(value, axis.low, axis.high);
  const double x = axis.at(inside);
  if (inside == value) {
    svg.line(x, y - kCap, x, y + kCap, "interval");
    return;
  }
  const double back = value > axis.high ? -kCap : kCap;
  svg.polyline({{x + back, y - kCap}, {x, y}, {x + back, y + kCap}}, "interval");
}

void draw_mark(Svg& svg, const Axis& axis, const RatioMark& mark, double top) {
  constexpr std::size_t kLetters = 56;
  constexpr double kRadius = 3.5;
  const bool none = mark.low <= 1 && mark.high >= 1;
  const char* css = none ? "effect none" : mark.value > 1 ? "effect faster" : "effect slower";
  const std::string text = ratio_text(mark);
  const double y = top + kTextLine + 10;
  svg.text(0, top + kTextLine, shortened(mark.label, kLetters), "label");
  svg.text(kPlotWidth, y + 4, text, "value", "end");
  const auto inside = [&](double ratio) { return axis.at(std::clamp(ratio, axis.low, axis.high)); };
  svg.line(inside(mark.low), y, inside(mark.high), y, "interval");
  draw_end(svg, axis, mark.low, y);
  draw_end(svg, axis, mark.high, y);
  const std::string word = none ? "no measurable effect" : mark.value > 1 ? "faster" : "slower";
  svg.circle(inside(mark.value), y, kRadius, css, mark.label + ": " + text + ", " + word);
}

}  // namespace

std::string ratio_plot(const std::string& label, const std::string& axis_title,
                       const std::vector<RatioMark>& marks) {
  constexpr double kAxisHeight = 32;
  constexpr double kGap = 34;
  const double bottom = kRowHeight * static_cast<double>(marks.size());
  Svg svg(kPlotWidth, bottom + kAxisHeight, label);
  const Axis axis = axis_of(marks);
  for (const double tick : ratio_ticks(axis, kGap)) {
    svg.line(axis.at(tick), 0, axis.at(tick), bottom + 2, tick == 1 ? "unity" : "grid");
    svg.text(axis.at(tick), bottom + kTextLine + 2, short_number(tick), "value", "middle");
  }
  svg.text((axis.begin + axis.end) / 2, bottom + 2 * kTextLine + 4, axis_title, "label", "middle");
  double top = 0;
  for (const RatioMark& mark : marks) {
    if (std::isfinite(mark.value) && mark.value > 0) draw_mark(svg, axis, mark, top);
    top += kRowHeight;
  }
  return svg.str();
}

}  // namespace kiln
