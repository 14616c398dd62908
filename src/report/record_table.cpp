#include "report/record_table.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "base/print.h"
#include "base/text.h"

namespace kiln {
namespace {

constexpr const char* kNothing = "-";

bool several_devices(const std::vector<Record>& records) {
  return std::any_of(records.begin(), records.end(),
                     [&](const Record& record) { return record.device.id != records.front().device.id; });
}

/// Metrics in the order in which they first appear: a failed variant has none.
std::vector<MetricValue> metrics_of(const std::vector<Record>& records) {
  std::vector<MetricValue> metrics;
  for (const Record& record : records) {
    for (const MetricValue& metric : record.metrics) {
      const bool known = std::any_of(metrics.begin(), metrics.end(),
                                     [&](const MetricValue& other) { return other.name == metric.name; });
      if (!known) metrics.push_back(metric);
    }
  }
  return metrics;
}

/// "0.025", "2.3", "130": two significant digits, never with an exponent for what a table shows.
std::string two_digits(double value) {
  constexpr double kWhole = 100;
  return value < kWhole ? print("%.2g", value) : print("%.0f", value);
}

TableCell status_cell(const Record& record) {
  return {to_string(record.status), tone_of(record.status)};
}

TableCell time_cell(const Record& record, const TextStyle& style) {
  if (!record.step) return {kNothing, Tone::kDim};
  return {time_text(*record.step, style)};
}

TableCell metric_cell(const Record& record, const std::string& name) {
  for (const MetricValue& metric : record.metrics) {
    if (metric.name == name) return {short_number(metric.value)};
  }
  return {kNothing, Tone::kDim};
}

TableCell check_cell(const Record& record) {
  const std::optional<double> error = largest_error(record);
  if (!error) return {kNothing, Tone::kDim};
  const bool ok = std::all_of(record.checks.begin(), record.checks.end(),
                              [](const CheckResult& check) { return check.ok; });
  return {*error == 0 ? "0" : print("%.1e", *error), ok ? Tone::kPlain : Tone::kBad};
}

/// The largest value over a step's kernels, which is the one that limits. "-" where the back end reports
/// none.
template <class ValueOf>
TableCell largest_cell(const Record& record, const char* format, ValueOf value_of) {
  std::optional<double> largest;
  for (const LaunchUse& launch : record.launches) {
    if (const std::optional<double> value = value_of(launch))
      largest = std::max(largest.value_or(*value), *value);
  }
  return largest ? TableCell{print(format, *largest)} : TableCell{kNothing, Tone::kDim};
}

template <class Value>
std::optional<double> as_real(const std::optional<Value>& value) {
  return value ? std::optional<double>(static_cast<double>(*value)) : std::nullopt;
}

bool has_registers(const std::vector<Record>& records) {
  return std::any_of(records.begin(), records.end(), [](const Record& record) {
    return std::any_of(record.launches.begin(), record.launches.end(),
                       [](const LaunchUse& launch) { return launch.attributes.registers.has_value(); });
  });
}

/// Registers and local memory (stack frame with arrays and spills): the maximum over the step's kernels;
/// occupancy: the minimum.
void add_resource_cells(const Record& record, std::vector<TableCell>& row) {
  row.push_back(largest_cell(record, "%.0f",
                             [](const LaunchUse& launch) { return as_real(launch.attributes.registers); }));
  row.push_back(largest_cell(record, "%.0f",
                             [](const LaunchUse& launch) { return as_real(launch.attributes.local_bytes); }));
  std::optional<double> least;
  for (const LaunchUse& launch : record.launches) {
    if (launch.occupancy) least = std::min(least.value_or(1), *launch.occupancy);
  }
  row.push_back(least ? TableCell{print("%.0f %%", *least * 100)} : TableCell{kNothing, Tone::kDim});
}

}  // namespace

std::string variant_name(const Record& record) {
  return record.label.empty() ? record.workload : record.label;
}

Tone tone_of(RunStatus status) {
  if (status == RunStatus::kUnchecked) return Tone::kWarn;
  return status == RunStatus::kOk ? Tone::kGood : Tone::kBad;
}

std::string short_number(double value) {
  return print("%.4g", value);
}

std::string origin_text(const Record& record) {
  constexpr std::array<Origin, 5> kOrigins = {Origin::kCompiled, Origin::kWaited, Origin::kDisk,
                                              Origin::kMemory, Origin::kBundle};
  std::vector<std::string> parts;
  for (const Origin origin : kOrigins) {
    std::size_t units = 0;
    double seconds = 0;
    for (const UnitUse& unit : record.units) {
      if (unit.origin != origin) continue;
      ++units;
      seconds += unit.compile_seconds;
    }
    if (units == 0) continue;
    std::string part = units == record.units.size() ? "" : std::to_string(units) + " ";
    part += to_string(origin);
    if (origin == Origin::kCompiled) part += " " + format_seconds(seconds);
    parts.push_back(std::move(part));
  }
  return parts.empty() ? kNothing : join(parts, ", ");
}

std::string time_text(const Summary& seconds, const TextStyle& style) {
  std::string median = format_seconds(seconds.median);
  const double half_width = (seconds.ci_high - seconds.ci_low) / 2;
  if (!std::isfinite(half_width) || half_width <= 0 || seconds.median <= 0) return median;
  // The unit that the median's text chose.
  const std::size_t blank = median.find(' ');
  const double shown = parse_real(median.substr(0, blank)).value_or(1);
  return median + style.plus_minus() + two_digits(half_width / seconds.median * shown);
}

TextTable record_table(const std::vector<Record>& records, const TextStyle& style) {
  TextTable table;
  if (records.empty()) return table;
  const bool with_device = several_devices(records);
  const std::vector<MetricValue> metrics = metrics_of(records);
  table.columns = {{"variant"}};
  if (with_device) table.columns.push_back({"device"});
  table.columns.insert(table.columns.end(), {{"status"}, {"code"}, {"median", true}});
  for (const MetricValue& metric : metrics) table.columns.push_back({metric.name + "\n" + metric.unit, true});
  const bool with_resources = has_registers(records);
  if (with_resources)
    table.columns.insert(table.columns.end(),
                         {{"regs", true}, {"local\nbytes", true}, {"occu-\npancy", true}});
  table.columns.push_back({"max. rel.\nerror", true});
  for (const Record& record : records) {
    std::vector<TableCell> row = {{variant_name(record)}};
    if (with_device) row.push_back({record.device.id});
    row.push_back(status_cell(record));
    row.push_back({origin_text(record)});
    row.push_back(time_cell(record, style));
    for (const MetricValue& metric : metrics) row.push_back(metric_cell(record, metric.name));
    if (with_resources) add_resource_cells(record, row);
    row.push_back(check_cell(record));
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace kiln
