#include "report/portability.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/text.h"
#include "kiln/error.h"
#include "report/problem_split.h"

namespace kiln {
namespace {

using Records = std::vector<const Record*>;

template <class Item>
void add_once(std::vector<Item>& items, const Item& item) {
  if (std::find(items.begin(), items.end(), item) == items.end()) items.push_back(item);
}

std::vector<std::string> device_names_of(const std::vector<Record>& records) {
  std::vector<std::string> names;
  for (const Record& record : records) add_once(names, device_name(record));
  return names;
}

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

/// The one device that a user's word selects: by name, by id or by a part of its name.
std::string find_device(const std::vector<Record>& records, const std::string& word) {
  const std::vector<std::string> names = device_names_of(records);
  if (std::find(names.begin(), names.end(), word) != names.end()) return word;
  std::vector<std::string> matches;
  for (const Record& record : records) {
    const std::string name = device_name(record);
    if (record.device.id == word || lower(name).find(lower(word)) != std::string::npos)
      add_once(matches, name);
  }
  if (matches.size() == 1) return matches.front();
  if (matches.empty()) throw bad_input("--devices: no record is of '" + word + "'" + suggestion(word, names));
  throw bad_input("--devices: '" + word + "' may be any of " + join(matches, ", ") +
                  "; say more of the name");
}

std::vector<std::string> device_set(const std::vector<Record>& records, const PortabilityOptions& options) {
  if (options.devices.empty()) return device_names_of(records);
  std::vector<std::string> set;
  for (const std::string& word : options.devices) add_once(set, find_device(records, word));
  return set;
}

/// The figures that any record has, in order; the time of a step for a workload without metrics.
std::vector<Figure> figures_of(const Records& records) {
  std::vector<Figure> figures;
  for (const Record* record : records) {
    for (const MetricValue& metric : record->metrics)
      add_once(figures, {metric.name, metric.unit, metric.higher_is_better});
  }
  if (figures.empty()) figures.push_back({"time", "s", false});
  return figures;
}

/// The status of a device that ran the application without a measurement.
constexpr const char* kNotMeasured = "not measured";

bool better(double value, double than, const Figure& figure) {
  return figure.higher_is_better ? value > than : value < than;
}

/// Why there is no value: the worst known reason, a wrong result first.
std::string failure_of(const Records& records) {
  if (records.empty()) return "no record";
  const auto wrong = std::find_if(records.begin(), records.end(),
                                  [](const Record* record) { return record->status == RunStatus::kWrong; });
  const Record& record = wrong != records.end() ? **wrong : *records.back();
  return may_be_measured(record.status) ? kNotMeasured : to_string(record.status);
}

/// The best of the `records` that `device` has measured.
DeviceEfficiency best_on(const Records& records, const std::string& device, const Figure& figure) {
  DeviceEfficiency result;
  Records there;
  for (const Record* record : records) {
    if (device_name(*record) != device) continue;
    there.push_back(record);
    const auto value = figure_value(*record, figure);
    if (!value) continue;
    const bool same_status = result.best == nullptr || result.best->status == record->status;
    if (same_status ? result.value && !better(*value, *result.value, figure)
                    : record->status == RunStatus::kUnchecked)
      continue;
    result.value = value;
    result.best = record;
  }
  result.status = result.best != nullptr ? to_string(result.best->status) : failure_of(there);
  return result;
}

/// One problem: its records, the records of the reference, and the applications in order.
struct Problem {
  ProblemSplit::Values values;
  std::string text;
  Records records, reference;
};

std::vector<Problem> problems_of(const Records& records, const Records& reference,
                                 const ProblemSplit& split) {
  std::vector<Problem> problems;
  const auto find = [&](const Record& record) {
    return std::find_if(problems.begin(), problems.end(),
                        [&](const Problem& problem) { return problem.values == split.problem(record); });
  };
  for (const Record* record : records) {
    auto found = find(*record);
    if (found == problems.end())
      found = problems.insert(found, {split.problem(*record), split.problem_text(*record), {}, {}});
    found->records.push_back(record);
  }
  for (const Record* record : reference) {
    if (const auto found = find(*record); found != problems.end()) found->reference.push_back(record);
  }
  return problems;
}

void set_efficiency(DeviceEfficiency& result, const std::optional<double>& baseline, const Figure& figure) {
  result.baseline = baseline;
  if (!result.value) {
    if (result.status != kNotMeasured) result.efficiency = 0;
  } else if (baseline && result.best->status == RunStatus::kOk) {
    result.efficiency = figure.higher_is_better ? *result.value / *baseline : *baseline / *result.value;
  }
}

void set_means(PortabilityRow& row) {
  std::vector<double> efficiencies;
  for (const DeviceEfficiency& result : row.devices) {
    if (!result.efficiency) return;
    efficiencies.push_back(*result.efficiency);
  }
  row.harmonic = harmonic_mean(efficiencies);
  row.arithmetic = arithmetic_mean(efficiencies);
}

class TableComparison {
 public:
  TableComparison(Portability& report, bool has_reference) : report_(report), has_reference_(has_reference) {}

  void add(const Problem& problem, const Figure& figure, const ProblemSplit& split) {
    std::vector<std::optional<double>> baselines;
    for (const std::string& device : report_.devices) {
      const Records& known = has_reference_ ? problem.reference : problem.records;
      const DeviceEfficiency best = best_on(known, device, figure);
      const bool checked = best.best != nullptr && best.best->status == RunStatus::kOk;
      baselines.push_back(checked ? best.value : std::nullopt);
      if (has_reference_ && !baselines.back())
        report_.notes.push_back("no reference for " + named(problem, figure) + " on " + device);
    }
    std::vector<std::string> applications;
    std::map<std::string, Records> records_of;
    for (const Record* record : problem.records) {
      const std::string variant = split.variant(*record);
      add_once(applications, variant);
      records_of[variant].push_back(record);
    }
    add_row(problem, figure, kBestVariant, problem.records, baselines);
    if (applications.size() < 2) return;
    for (const std::string& variant : applications)
      add_row(problem, figure, variant, records_of[variant], baselines);
  }

 private:
  static std::string named(const Problem& problem, const Figure& figure) {
    return problem.records.front()->workload + (problem.text.empty() ? "" : " " + problem.text) + " (" +
           figure.name + ")";
  }

  void add_row(const Problem& problem, const Figure& figure, const std::string& application,
               const Records& records, const std::vector<std::optional<double>>& baselines) {
    PortabilityRow row;
    row.workload = problem.records.front()->workload;
    row.problem = problem.values;
    row.problem_text = problem.text;
    row.figure = figure;
    row.application = application;
    for (std::size_t i = 0; i < report_.devices.size(); ++i) {
      row.devices.push_back(best_on(records, report_.devices[i], figure));
      set_efficiency(row.devices.back(), baselines[i], figure);
    }
    set_means(row);
    report_.rows.push_back(std::move(row));
  }

  Portability& report_;
  bool has_reference_;
};

void require_known(const std::vector<Record>& records, const PortabilityOptions& options) {
  std::vector<std::string> parameters;
  std::vector<std::string> metrics;
  for (const Record& record : records) {
    for (const BoundParameter& parameter : record.parameters) add_once(parameters, parameter.name);
    for (const MetricValue& metric : record.metrics) add_once(metrics, metric.name);
  }
  const auto require = [](const std::string& option, const std::string& name,
                          const std::vector<std::string>& known) {
    if (std::find(known.begin(), known.end(), name) == known.end())
      throw bad_input(option + ": no record has '" + name + "'" + suggestion(name, known));
  };
  for (const std::string& name : options.problem) require("--problem", name, parameters);
  if (!options.metric.empty() && options.metric != "time") require("--metric", options.metric, metrics);
}

Records of_workload(const std::vector<Record>& records, const std::string& workload) {
  Records chosen;
  for (const Record& record : records) {
    if (record.workload == workload) chosen.push_back(&record);
  }
  return chosen;
}

void compare_workload(const Records& records, const Records& reference, const PortabilityOptions& options,
                      Portability& report) {
  Records all = records;
  all.insert(all.end(), reference.begin(), reference.end());
  const ProblemSplit split(all, options.problem);
  if (!split.by_backend().empty()) {
    const std::vector<std::string> names(split.by_backend().begin(), split.by_backend().end());
    report.notes.push_back(records.front()->workload + ": not part of the problem, as each back end has a " +
                           "value of its own: " + join(names, ", "));
  }
  std::vector<Figure> figures = figures_of(all);
  if (options.metric == "time") figures = {{"time", "s", false}};
  TableComparison comparison(report, report.has_reference);
  for (const Problem& problem : problems_of(records, reference, split)) {
    for (const Figure& figure : figures) {
      if (options.metric.empty() || options.metric == figure.name) comparison.add(problem, figure, split);
    }
  }
}

void note_unchecked(const std::vector<Record>& records, Portability& report) {
  const auto count = std::count_if(records.begin(), records.end(), [](const Record& record) {
    return record.status == RunStatus::kUnchecked;
  });
  if (count == 0) return;
  report.notes.push_back(
      std::to_string(count) + " of " + std::to_string(records.size()) +
      " records are unchecked: no check compared their results; they have no efficiency, and "
      "they are not what others are compared with");
}

}  // namespace

double harmonic_mean(std::span<const double> efficiencies) {
  double inverses = 0;
  for (const double efficiency : efficiencies) {
    if (efficiency <= 0) return 0;
    inverses += 1 / efficiency;
  }
  return efficiencies.empty() ? 0 : static_cast<double>(efficiencies.size()) / inverses;
}

double arithmetic_mean(std::span<const double> efficiencies) {
  double sum = 0;
  for (const double efficiency : efficiencies) sum += efficiency;
  return efficiencies.empty() ? 0 : sum / static_cast<double>(efficiencies.size());
}

std::string device_name(const Record& record) {
  return record.device.name;
}

std::optional<double> figure_value(const Record& record, const Figure& figure) {
  if (!may_be_measured(record.status)) return std::nullopt;
  std::optional<double> value;
  for (const MetricValue& metric : record.metrics) {
    if (metric.name == figure.name) value = metric.value;
  }
  if (!value && figure.name == "time" && record.step) value = record.step->median;
  if (!value || !std::isfinite(*value) || *value <= 0) return std::nullopt;
  return value;
}

Portability compare_devices(const std::vector<Record>& records, const std::vector<Record>& reference,
                            const PortabilityOptions& options) {
  require_known(records, options);
  Portability report;
  report.devices = device_set(records, options);
  report.has_reference = !reference.empty();
  std::vector<std::string> workloads;
  for (const Record& record : records) add_once(workloads, record.workload);
  for (const std::string& workload : workloads)
    compare_workload(of_workload(records, workload), of_workload(reference, workload), options, report);
  note_unchecked(records, report);
  return report;
}

}  // namespace kiln
