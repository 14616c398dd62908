#include "report/page_plots.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/text.h"
#include "report/plots.h"
#include "report/portability_text.h"
#include "report/record_table.h"

namespace kiln {
namespace {

/// The rows of one problem and figure; of several figures only the first is taken.
struct FigureRows {
  std::size_t first = 0, count = 0;
};

std::vector<FigureRows> first_figures(const Portability& report) {
  std::vector<FigureRows> blocks;
  for (std::size_t i = 0; i < report.rows.size(); i += portability_rows(report, i)) {
    const PortabilityRow& row = report.rows[i];
    const bool repeated = std::any_of(blocks.begin(), blocks.end(), [&](const FigureRows& block) {
      const PortabilityRow& known = report.rows[block.first];
      return known.workload == row.workload && known.problem == row.problem;
    });
    if (!repeated) blocks.push_back({i, portability_rows(report, i)});
  }
  return blocks;
}

std::string problem_name(const PortabilityRow& row) {
  return row.workload + (row.problem_text.empty() ? "" : " " + row.problem_text);
}

bool has_problem(const Record& record, const PortabilityRow& row) {
  if (record.workload != row.workload) return false;
  return std::all_of(row.problem.begin(), row.problem.end(), [&](const auto& wanted) {
    return std::any_of(record.parameters.begin(), record.parameters.end(), [&](const BoundParameter& bound) {
      return bound.name == wanted.first && bound.value == wanted.second;
    });
  });
}

bool drawable(const Summary& summary) {
  return std::isfinite(summary.median) && std::isfinite(summary.ci_low) && std::isfinite(summary.ci_high);
}

/// The variants of a block on one device; of a block with a single variant that one.
std::vector<Bar> bars_of(const Portability& report, const FigureRows& block, std::size_t device) {
  std::vector<Bar> bars;
  const std::size_t begin = block.count > 1 ? block.first + 1 : block.first;
  for (std::size_t i = begin; i < block.first + block.count; ++i) {
    const PortabilityRow& row = report.rows[i];
    const DeviceEfficiency& result = row.devices[device];
    const bool single = block.count == 1;
    Bar bar;
    bar.label = single ? problem_name(row) : row.application;
    if (result.best != nullptr && result.best->step && drawable(*result.best->step)) {
      const Summary& step = *result.best->step;
      bar.value = step.median;
      bar.low = step.ci_low;
      bar.high = step.ci_high;
      bar.text = format_seconds(step.median);
      if (result.best->status == RunStatus::kUnchecked) bar.label += " (unchecked)";
    } else {
      bar.failure = result.best != nullptr ? "not timed" : result.status;
    }
    bars.push_back(bar);
  }
  mark_best(bars);
  return bars;
}

/// A label's words as names and numbers; what is no number is left out.
std::map<std::string, double> numbers_of(const std::string& label) {
  std::map<std::string, double> numbers;
  for (const std::string& word : split(label, ' ')) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos) continue;
    if (const auto value = parse_real(word.substr(equals + 1))) numbers[word.substr(0, equals)] = *value;
  }
  return numbers;
}

using Sample = std::pair<std::map<std::string, double>, double>;

/// The two names with the most values, of those with at least two; fewer than two names: none. The one with
/// more values is first.
std::vector<std::string> swept_numbers(const std::vector<Sample>& samples) {
  std::map<std::string, std::set<double>> values;
  for (const auto& [numbers, figure] : samples) {
    for (const auto& [name, value] : numbers) values[name].insert(value);
  }
  std::vector<std::pair<std::size_t, std::string>> names;
  for (const auto& [name, set] : values) {
    if (set.size() > 1) names.emplace_back(set.size(), name);
  }
  std::stable_sort(names.begin(), names.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  if (names.size() < 2) return {};
  return {names[0].second, names[1].second};
}

HeatMap map_of(const std::vector<Sample>& samples, const std::vector<std::string>& names,
               bool higher_is_better) {
  std::set<double> xs;
  std::set<double> ys;
  std::map<std::pair<double, double>, double> best;
  for (const auto& [numbers, figure] : samples) {
    if (!numbers.contains(names[0]) || !numbers.contains(names[1])) continue;
    const double x = numbers.at(names[0]);
    const double y = numbers.at(names[1]);
    xs.insert(x);
    ys.insert(y);
    const auto [known, fresh] = best.emplace(std::pair(y, x), figure);
    if (!fresh)
      known->second = higher_is_better ? std::max(known->second, figure) : std::min(known->second, figure);
  }
  HeatMap map{names[0], names[1], {}, {}, {}, higher_is_better};
  for (const double x : xs) map.xs.push_back(format_number(x));
  for (const double y : ys) {
    map.ys.push_back(format_number(y));
    map.values.emplace_back();
    for (const double x : xs) {
      const auto found = best.find({y, x});
      map.values.back().push_back(found == best.end() ? std::nullopt : std::optional(found->second));
    }
  }
  return map;
}

std::optional<double> rate_in(const Record& record, const std::string& unit) {
  for (const MetricValue& metric : record.metrics) {
    if (metric.unit == unit && metric.value > 0 && std::isfinite(metric.value)) return metric.value;
  }
  return std::nullopt;
}

}  // namespace

Plot time_plot(const std::string& caption, const std::vector<Bar>& bars) {
  const auto span = span_too_wide_for_bars(bars);
  if (!span) return {bar_plot(caption, bars), caption};
  const std::string whole = caption + "; dots on a logarithmic axis, for the longest time is " +
                            short_number(std::round(*span)) + " times the shortest";
  return {dot_plot(whole, bars), whole};
}

std::vector<Plot> time_plots(const Portability& report) {
  std::vector<Plot> plots;
  for (const FigureRows& block : first_figures(report)) {
    for (std::size_t device = 0; device < report.devices.size(); ++device) {
      const std::vector<Bar> bars = bars_of(report, block, device);
      if (std::none_of(bars.begin(), bars.end(), [](const Bar& bar) { return bar.failure.empty(); }))
        continue;
      const std::string caption = problem_name(report.rows[block.first]) + " on " + report.devices[device] +
                                  ": median time of a step, with its 95 % interval";
      plots.push_back(time_plot(caption, bars));
    }
  }
  return plots;
}

std::vector<Plot> heat_maps(const std::vector<Record>& records, const Portability& report) {
  std::vector<Plot> plots;
  for (const FigureRows& block : first_figures(report)) {
    const PortabilityRow& row = report.rows[block.first];
    for (const std::string& device : report.devices) {
      std::vector<Sample> samples;
      bool unchecked = false;
      for (const RunStatus status : {RunStatus::kOk, RunStatus::kUnchecked}) {
        if (!samples.empty()) break;
        unchecked = status == RunStatus::kUnchecked;
        for (const Record& record : records) {
          const auto value = figure_value(record, row.figure);
          if (value && record.status == status && device_name(record) == device && has_problem(record, row))
            samples.emplace_back(numbers_of(record.label), *value);
        }
      }
      const std::vector<std::string> names = swept_numbers(samples);
      if (names.empty()) continue;
      const std::string caption = problem_name(row) + " on " + device + ": " + row.figure.name +
                                  (row.figure.unit.empty() ? "" : " in " + row.figure.unit) +
                                  ", the best for each " + names[0] + " and " + names[1] +
                                  "; the deeper the colour, the better" +
                                  (unchecked ? "; the results are unchecked" : "");
      plots.push_back({heat_map_plot(caption, map_of(samples, names, row.figure.higher_is_better)), caption});
    }
  }
  return plots;
}

std::vector<Plot> rooflines(const std::vector<Record>& records, const std::vector<DeviceCeilings>& ceilings) {
  std::vector<Plot> plots;
  for (const DeviceCeilings& device : ceilings) {
    std::vector<RooflinePoint> points;
    for (const Record& record : records) {
      const auto rate = rate_in(record, "GFLOP/s");
      if (!may_be_measured(record.status) || !rate || device_name(record) != device.device_name) continue;
      const auto bandwidth = rate_in(record, "GB/s");
      const char* remark = record.status == RunStatus::kUnchecked ? " (unchecked)" : "";
      points.push_back({record.workload, record.workload + " " + variant_name(record) + remark, *rate,
                        bandwidth ? std::optional(*rate / *bandwidth) : std::nullopt});
    }
    const std::string caption =
        device.device_name + ": measured ceilings, and " + std::to_string(points.size()) +
        (points.size() == 1 ? " record" : " records") + " (dashed: the bytes are not known)";
    plots.push_back({roofline_plot(caption, device, points), caption});
  }
  return plots;
}

}  // namespace kiln
