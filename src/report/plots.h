#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/ceilings.h"

namespace kiln {

class Svg;

/// A line of a bar plot: a time with its interval, or what kept it from being measured.
struct Bar {
  std::string label;
  double value = 0, low = 0, high = 0;  ///< seconds
  std::string text;                     ///< the value for people
  bool best = false;                    ///< stands out
  std::string failure;                  ///< instead of a bar
};

/// Lets the fastest of those that were measured stand out.
void mark_best(std::vector<Bar>& bars);

/// One value for each pair of two parameters' values; absent where nothing was measured.
struct HeatMap {
  std::string x_name, y_name;
  std::vector<std::string> xs, ys;
  std::vector<std::vector<std::optional<double>>> values;  ///< by y, then x
  bool higher_is_better = true;
};

/// A record on a roofline: its rate, and operations for each byte where its traffic is known.
struct RooflinePoint {
  std::string group, label;  ///< points of a group look alike and have a line of the legend
  double rate = 0;           ///< GFLOP/s
  std::optional<double> intensity;
};

/// A line of a plot of ratios: a speed-up with its interval.
struct RatioMark {
  std::string label;
  double value = 1, low = 1, high = 1;
};

/// A line over numbers of launches; all curves of a plot share these.
struct Curve {
  std::string label;
  std::vector<double> values;
  std::vector<std::string> titles;  ///< of each value, for people
};

/// Pictures as inline SVG (see Svg) for the page of `html_page`; `label` says what they show. They are drawn
/// for the width of a phone. Axes have ticks and units; several series have a legend.
[[nodiscard]] std::string bar_plot(const std::string& label, const std::vector<Bar>& bars);
/// The same as dots with their intervals over a logarithmic axis, for times of which bars would hide the
/// shortest; all above 0.
[[nodiscard]] std::string dot_plot(const std::string& label, const std::vector<Bar>& bars);
/// How often the shortest time fits into the longest, where that is too often for bars (more than 20 times).
[[nodiscard]] std::optional<double> span_too_wide_for_bars(const std::vector<Bar>& bars);
[[nodiscard]] std::string heat_map_plot(const std::string& label, const HeatMap& map);
/// Log-log: bandwidths are slopes, rates of arithmetic are level; a point without intensity is a level line.
[[nodiscard]] std::string roofline_plot(const std::string& label, const DeviceCeilings& device,
                                        const std::vector<RooflinePoint>& points);
/// Over a logarithmic axis with a line at 1; an interval that holds 1 looks different from one that does not,
/// and one that leaves the picture (eight times as fast or slow) ends in an arrow.
[[nodiscard]] std::string ratio_plot(const std::string& label, const std::string& axis,
                                     const std::vector<RatioMark>& marks);
/// Over the logarithm of `launches`, from 0, with a line at 1.
[[nodiscard]] std::string curve_plot(const std::string& label, const std::string& axis,
                                     const std::vector<double>& launches, const std::vector<Curve>& curves);

/// The width of all of them, in units of the picture.
inline constexpr double kPlotWidth = 360;
inline constexpr double kRowHeight = 32;  // of a bar with its label above it
inline constexpr double kTextLine = 12;
inline constexpr double kLegendLine = 16;
/// The style of series `number`, counted from 0; looks repeat after kSeriesLooks.
inline constexpr std::size_t kSeriesLooks = 8;
[[nodiscard]] std::string series_class(const char* kind, std::size_t number);
/// From place to place across, with a cap at each end.
void draw_interval(Svg& svg, double low, double high, double y);
/// Whole letters of UTF-8, with an ellipsis for what is cut off.
[[nodiscard]] std::string shortened(const std::string& text, std::size_t letters);

}  // namespace kiln
