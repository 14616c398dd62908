#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/ceilings.h"

namespace kiln {

/// A line of a bar plot: a median with its interval, or what kept it from being measured.
struct Bar {
  std::string label;
  double value = 0, low = 0, high = 0;
  std::string text;     ///< the value for people
  bool best = false;    ///< stands out
  std::string failure;  ///< instead of a bar
};

/// One value for each pair of two parameters' values; absent where nothing was measured.
struct HeatMap {
  std::string x_name, y_name;
  std::vector<std::string> xs, ys;
  std::vector<std::vector<std::optional<double>>> values;  ///< by y, then x
  bool higher_is_better = true;
};

/// A record on a roofline: its rate, and operations for each byte where its traffic is known.
struct RooflinePoint {
  std::string label;
  double rate = 0;  ///< GFLOP/s
  std::optional<double> intensity;
};

/// Pictures as inline SVG (see Svg) for the page of `html_page`; `label` says what they show.
[[nodiscard]] std::string bar_plot(const std::string& label, const std::vector<Bar>& bars);
[[nodiscard]] std::string heat_map_plot(const std::string& label, const HeatMap& map);
/// Log-log: bandwidths are slopes, rates of arithmetic are level; a point without intensity is a level line.
[[nodiscard]] std::string roofline_plot(const std::string& label, const DeviceCeilings& device,
                                        const std::vector<RooflinePoint>& points);

}  // namespace kiln
