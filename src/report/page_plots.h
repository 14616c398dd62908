#pragma once

#include <string>
#include <vector>

#include "report/ceilings.h"
#include "report/plots.h"
#include "report/portability.h"

namespace kiln {

/// A picture and what stands over it.
struct Plot {
  std::string svg, caption;
};

/// Times as bars; where those would hide the shortest as dots over a logarithmic axis, which the caption
/// says.
[[nodiscard]] Plot time_plot(const std::string& caption, const std::vector<Bar>& bars);

/// For each problem and device: the median time of each variant's best ok record, with its interval; without
/// a time of any there is no plot.
[[nodiscard]] std::vector<Plot> time_plots(const Portability& report);

/// For each problem and device where labels give two numbers several values: the best of the problem's first
/// figure for each pair, over whatever else varies.
[[nodiscard]] std::vector<Plot> heat_maps(const std::vector<Record>& records, const Portability& report);

/// For each device with ceilings: its roofline and the ok records on it that have a rate in GFLOP/s.
[[nodiscard]] std::vector<Plot> rooflines(const std::vector<Record>& records,
                                          const std::vector<DeviceCeilings>& ceilings);

}  // namespace kiln
