#include "report/portability_text.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>

#include "base/print.h"
#include "base/text.h"
#include "record/json_value.h"
#include "record/study_content.h"
#include "report/csv.h"
#include "report/record_table.h"

namespace kiln {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kUnknown = "-";

std::string ratio_text(const std::optional<double>& ratio) {
  return ratio ? print("%.3f", *ratio) : kUnknown;
}

TableCell value_cell(const DeviceEfficiency& result) {
  if (!result.value) return {result.status, Tone::kBad};
  const bool unchecked = result.best->status == RunStatus::kUnchecked;
  return {short_number(*result.value) + (unchecked ? " (unchecked)" : ""),
          unchecked ? Tone::kWarn : Tone::kPlain};
}

TableCell mean_cell(const std::optional<double>& mean) {
  return {ratio_text(mean), mean && *mean == 0 ? Tone::kBad : Tone::kStrong};
}

/// Calls `block` with the first row of each problem and figure.
void for_each_block(const Portability& report, const std::function<void(std::size_t)>& block) {
  for (std::size_t i = 0; i < report.rows.size(); i += portability_rows(report, i)) block(i);
}

Json seconds_json(const DeviceEfficiency& result) {
  if (result.best == nullptr || !result.best->step) return {};
  const Summary& step = *result.best->step;
  return {{"median", step.median}, {"interval", Json::array({step.ci_low, step.ci_high})}};
}

Json row_json(const Portability& report, const PortabilityRow& row) {
  Json problem = Json::object();
  for (const auto& [name, value] : row.problem) problem[name] = value;
  Json devices = Json::array();
  for (std::size_t i = 0; i < row.devices.size(); ++i) {
    const DeviceEfficiency& result = row.devices[i];
    devices.push_back({{"device", report.devices[i]},
                       {"status", result.status},
                       {"value", json_or_null(result.value)},
                       {"seconds", seconds_json(result)},
                       {"label", result.best != nullptr ? Json(result.best->label) : Json()},
                       {"run_id", result.best != nullptr ? Json(result.best->run_id) : Json()},
                       {"baseline", json_or_null(result.baseline)},
                       {"efficiency", json_or_null(result.efficiency)}});
  }
  return {{"workload", row.workload},
          {"problem", problem},
          {"figure",
           {{"name", row.figure.name},
            {"unit", row.figure.unit},
            {"higher_is", row.figure.higher_is_better ? "better" : "worse"}}},
          {"application", row.application},
          {"devices", devices},
          {"harmonic_mean", json_or_null(row.harmonic)},
          {"arithmetic_mean", json_or_null(row.arithmetic)}};
}

std::string number_text(const std::optional<double>& value) {
  return value ? format_number(*value) : "";
}

std::string problem_words(const PortabilityRow& row) {
  std::vector<std::string> words;
  for (const auto& [name, value] : row.problem) words.push_back(assignment(name, value));
  return join(words, " ");
}

}  // namespace

std::size_t portability_rows(const Portability& report, std::size_t first) {
  const PortabilityRow& begin = report.rows[first];
  std::size_t last = first + 1;
  while (last < report.rows.size() && report.rows[last].workload == begin.workload &&
         report.rows[last].problem == begin.problem && report.rows[last].figure == begin.figure)
    ++last;
  return last - first;
}

std::string portability_heading(const PortabilityRow& row) {
  return row.workload + (row.problem_text.empty() ? "" : " " + row.problem_text) + ": " + row.figure.name +
         (row.figure.unit.empty() ? "" : ", " + row.figure.unit);
}

TextTable portability_table(const Portability& report, std::size_t first) {
  TextTable table{{{"application"}}, {}};
  for (const std::string& device : report.devices) {
    table.columns.push_back({device, true});
    table.columns.push_back({"effi-\nciency", true});
  }
  table.columns.push_back({"harmonic\nmean", true});
  table.columns.push_back({"arithmetic\nmean", true});
  for (std::size_t i = first; i < first + portability_rows(report, first); ++i) {
    const PortabilityRow& row = report.rows[i];
    std::vector<TableCell> cells = {{row.application}};
    for (const DeviceEfficiency& result : row.devices) {
      cells.push_back(value_cell(result));
      cells.push_back({ratio_text(result.efficiency)});
    }
    cells.push_back(mean_cell(row.harmonic));
    cells.push_back(mean_cell(row.arithmetic));
    table.rows.push_back(std::move(cells));
  }
  return table;
}

std::string devices_text(const std::vector<Record>& records, const TextStyle* style) {
  const bool several = std::any_of(records.begin(), records.end(), [&](const Record& record) {
    return device_name(record) != device_name(records.front());
  });
  if (!several) return "";
  const Portability report = compare_devices(records, {}, {});
  return style != nullptr ? portability_to_terminal(report, *style) : portability_to_markdown(report);
}

std::string portability_to_terminal(const Portability& report, const TextStyle& style) {
  std::string text;
  for_each_block(report, [&](std::size_t first) {
    text += (text.empty() ? "" : "\n") + portability_heading(report.rows[first]) + "\n\n" +
            render_terminal(portability_table(report, first), style);
  });
  for (const std::string& note : report.notes) text += "\nnote: " + note;
  return text + (report.notes.empty() ? "" : "\n");
}

std::string portability_to_markdown(const Portability& report) {
  std::string text;
  for_each_block(report, [&](std::size_t first) {
    text += (text.empty() ? "" : "\n") + std::string("### ") +
            markdown_text(portability_heading(report.rows[first])) + "\n\n" +
            render_markdown(portability_table(report, first));
  });
  if (!report.notes.empty()) text += "\n";
  for (const std::string& note : report.notes) text += "- " + markdown_text(note) + "\n";
  return text;
}

std::string portability_to_csv(const Portability& report) {
  std::string text = csv_line({"workload", "problem", "figure", "unit", "higher_is", "application", "device",
                               "status", "value", "median_seconds", "low_seconds", "high_seconds", "label",
                               "baseline", "efficiency", "harmonic_mean", "arithmetic_mean"});
  for (const PortabilityRow& row : report.rows) {
    for (std::size_t i = 0; i < row.devices.size(); ++i) {
      const DeviceEfficiency& result = row.devices[i];
      const bool timed = result.best != nullptr && result.best->step;
      text += csv_line(
          {row.workload, problem_words(row), row.figure.name, row.figure.unit,
           row.figure.higher_is_better ? "better" : "worse", row.application, report.devices[i],
           result.status, number_text(result.value), timed ? format_number(result.best->step->median) : "",
           timed ? format_number(result.best->step->ci_low) : "",
           timed ? format_number(result.best->step->ci_high) : "",
           result.best != nullptr ? result.best->label : "", number_text(result.baseline),
           number_text(result.efficiency), number_text(row.harmonic), number_text(row.arithmetic)});
    }
  }
  return text;
}

std::string portability_to_json(const Portability& report, const std::vector<StudyReport>& studies) {
  Json rows = Json::array();
  for (const PortabilityRow& row : report.rows) rows.push_back(row_json(report, row));
  Json list = Json::array();
  for (const StudyReport& study : studies) {
    list.push_back({{"device", study.device_name},
                    {"study", Json::parse(study_line(static_cast<const StudyHeader&>(study)))},
                    {"result", Json::parse(study_line(static_cast<const StudyResult&>(study)))}});
  }
  const Json json = {{"format", 1},
                     {"devices", report.devices},
                     {"baseline", report.has_reference ? "reference" : "best known"},
                     {"results", rows},
                     {"studies", list},
                     {"notes", report.notes}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace kiln
