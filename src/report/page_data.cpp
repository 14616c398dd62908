#include "report/page_data.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/text.h"
#include "report/page_study_data.h"
#include "report/portability_text.h"

namespace kiln {
namespace {

using Json = nlohmann::ordered_json;

/// The rows of one problem and one figure; of several figures only the first is used.
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

std::string block_title(const PortabilityRow& row) {
  return printable_line(row.workload + (row.problem_text.empty() ? "" : " " + row.problem_text));
}

bool has_problem(const Record& record, const PortabilityRow& row) {
  if (record.workload != row.workload) return false;
  return std::all_of(row.problem.begin(), row.problem.end(), [&](const auto& wanted) {
    return std::any_of(record.parameters.begin(), record.parameters.end(), [&](const BoundParameter& bound) {
      return bound.name == wanted.first && bound.value == wanted.second;
    });
  });
}

/// The words of a label that set a parameter to a number.
Json swept_numbers(const std::string& label) {
  Json numbers = Json::object();
  for (const std::string& word : split(label, ' ')) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos) continue;
    const auto value = parse_real(word.substr(equals + 1));
    if (value && std::isfinite(*value)) numbers[printable_line(word.substr(0, equals))] = *value;
  }
  return numbers;
}

Json step_json(const std::optional<Summary>& step) {
  if (!step || !std::isfinite(step->median) || !std::isfinite(step->ci_low) || !std::isfinite(step->ci_high))
    return {};
  return Json::array({step->median, step->ci_low, step->ci_high});
}

Json metrics_json(const Record& record) {
  Json metrics = Json::array();
  for (const MetricValue& metric : record.metrics) {
    if (!std::isfinite(metric.value)) continue;
    metrics.push_back({{"name", printable_line(metric.name)},
                       {"unit", printable_line(metric.unit)},
                       {"value", metric.value},
                       {"higher", metric.higher_is_better}});
  }
  return metrics;
}

Json record_json(const Record& record, const Portability& report, const std::vector<FigureRows>& blocks) {
  Json parameters = Json::object();
  for (const BoundParameter& parameter : record.parameters)
    parameters[printable_line(parameter.name)] = printable_line(parameter.value);
  const auto block = std::find_if(blocks.begin(), blocks.end(), [&](const FigureRows& rows) {
    return has_problem(record, report.rows[rows.first]);
  });
  return {{"workload", printable_line(record.workload)},
          {"device", printable_line(device_name(record))},
          {"label", printable_line(record.label)},
          {"run", printable_line(record.run_id)},
          {"time", printable_line(record.time)},
          {"status", to_string(record.status)},
          {"step", step_json(record.step)},
          {"metrics", metrics_json(record)},
          {"parameters", parameters},
          {"swept", swept_numbers(record.label)},
          {"block", block == blocks.end() ? Json() : Json(block - blocks.begin())}};
}

/// The record's index in `records`; absent for a record of a reference.
std::optional<std::size_t> index_of(const Record* record, const std::vector<Record>& records) {
  const auto found =
      std::find_if(records.begin(), records.end(), [&](const Record& one) { return &one == record; });
  if (found == records.end()) return std::nullopt;
  return static_cast<std::size_t>(found - records.begin());
}

Json variant_json(const PageContent& content, const PortabilityRow& row, const std::string& name) {
  Json records = Json::array();
  Json states = Json::array();
  for (const DeviceEfficiency& result : row.devices) {
    const auto index = index_of(result.best, content.records);
    records.push_back(index ? Json(*index) : Json());
    const bool timed = result.best != nullptr && result.best->step;
    states.push_back(printable_line(result.best != nullptr && !timed ? "not timed" : result.status));
  }
  return {{"name", printable_line(name)}, {"records", records}, {"states", states}};
}

/// The variants of a block without the row of the best variants, unless the block has no other row.
Json block_json(const PageContent& content, const FigureRows& block) {
  const PortabilityRow& first = content.report.rows[block.first];
  const bool single = block.count == 1;
  Json variants = Json::array();
  for (std::size_t i = block.first + (single ? 0 : 1); i < block.first + block.count; ++i) {
    const PortabilityRow& row = content.report.rows[i];
    variants.push_back(variant_json(content, row, single ? block_title(row) : row.application));
  }
  return {
      {"title", block_title(first)}, {"workload", printable_line(first.workload)}, {"variants", variants}};
}

Json ceilings_json(const DeviceCeilings& device) {
  Json ceilings = Json::array();
  for (const Ceiling& ceiling : device.ceilings)
    ceilings.push_back({{"name", printable_line(ceiling.name)},
                        {"unit", printable_line(ceiling.unit)},
                        {"value", ceiling.value}});
  return {{"device", printable_line(device.device_name)}, {"ceilings", ceilings}};
}

Json timeline_json(const Timeline& timeline) {
  Json lanes = Json::array();
  for (const std::string& lane : timeline.lanes) lanes.push_back(printable_line(lane));
  Json spans = Json::array();
  for (const TimelineSpan& span : timeline.spans)
    spans.push_back({{"lane", span.lane},
                     {"kind", printable_line(span.kind)},
                     {"name", printable_line(span.name)},
                     {"begin", span.begin},
                     {"seconds", span.seconds}});
  const std::string part = timeline.left_out == 0 ? ""
                                                  : "; the longest, without " +
                                                        std::to_string(timeline.left_out) + " shorter spans";
  return {{"caption", printable_line(timeline.file) + ": spans of the trace by kind" + part},
          {"lanes", lanes},
          {"spans", spans}};
}

/// JSON for an element <script>: "</script>" and "<!--" cannot occur.
std::string for_script(const Json& json) {
  std::string text;
  for (const char c : json.dump(-1, ' ', true, Json::error_handler_t::replace)) {
    if (c == '<') {
      text += "\\u003c";
    } else {
      text += c;
    }
  }
  return text;
}

}  // namespace

std::string page_data_json(const PageContent& content) {
  Json json = {{"devices", Json::array()},  {"records", Json::array()}, {"blocks", Json::array()},
               {"ceilings", Json::array()}, {"studies", Json::array()}, {"timelines", Json::array()}};
  const std::vector<FigureRows> blocks = first_figures(content.report);
  for (const std::string& device : content.report.devices) json["devices"].push_back(printable_line(device));
  for (const Record& record : content.records)
    json["records"].push_back(record_json(record, content.report, blocks));
  for (const FigureRows& block : blocks) json["blocks"].push_back(block_json(content, block));
  for (const DeviceCeilings& device : content.ceilings) json["ceilings"].push_back(ceilings_json(device));
  for (const StudyReport& study : content.studies) json["studies"].push_back(page_study_json(study));
  for (const Timeline& timeline : content.timelines) json["timelines"].push_back(timeline_json(timeline));
  return for_script(json);
}

std::string records_of_row(const PageContent& content, std::size_t row) {
  std::vector<std::string> indices;
  for (const DeviceEfficiency& result : content.report.rows[row].devices) {
    if (const auto index = index_of(result.best, content.records)) indices.push_back(std::to_string(*index));
  }
  return join(indices, " ");
}

}  // namespace kiln
