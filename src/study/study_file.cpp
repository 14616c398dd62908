#include "study/study_file.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <system_error>

#include "base/text.h"
#include "record/json_value.h"
#include "record/record_fields.h"
#include "record/record_json.h"
#include "record/study_fields.h"

namespace kiln {
namespace {

using Json = nlohmann::ordered_json;

Json number_or_null(const std::optional<double>& value) {
  return value ? json_number(*value) : Json();
}

std::string text_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Json interval_json(const Interval& interval) {
  return {{"median", json_number(interval.median)},
          {"interval", Json::array({json_number(interval.low), json_number(interval.high)})}};
}

/// A line of that kind with the rows of its own.
template <class Write>
std::string line_of(const char* kind, Write write) {
  JsonWriter writer;
  writer("kind", kind);
  write(writer);
  return json_line(std::move(writer));
}

std::string compiler_text(const CompilerIdentity& compiler) {
  return compiler.version.starts_with(compiler.name) ? compiler.version
                                                     : compiler.name + " " + compiler.version;
}

Json summary_json(const std::optional<Summary>& summary) {
  if (!summary) return {};
  return {{"rounds", summary->count},
          {"median", json_number(summary->median)},
          {"interval", Json::array({json_number(summary->ci_low), json_number(summary->ci_high)})},
          {"min", json_number(summary->min)},
          {"max", json_number(summary->max)}};
}

Json case_result_json(const StudyCase& which, const CaseData& data) {
  const Resources resources = resources_of(data.record);
  Json metrics = Json::object();
  for (const MetricValue& metric : data.record.metrics)
    metrics[metric.name] = {{"value", json_number(metric.value)}, {"unit", metric.unit}};
  return {{"case", which.name},
          {"status", to_string(data.record.status)},
          {"message", data.record.message.empty() ? Json() : Json(data.record.message)},
          {"step_seconds", summary_json(step_summary(data))},
          {"metrics", metrics},
          {"code_bytes", data.costs ? json_or_null(data.costs->code_bytes()) : Json()},
          {"instructions", data.costs ? json_or_null(data.costs->instructions()) : Json()},
          {"registers", json_or_null(resources.registers)},
          {"local_bytes", json_or_null(resources.local_bytes)},
          {"shared_bytes", json_or_null(resources.shared_bytes)},
          {"occupancy", number_or_null(resources.occupancy)},
          {"max_relative_error", number_or_null(worst_error(data.record))}};
}

Json ratios_json(const std::vector<CaseRatio>& ratios) {
  Json list = Json::array();
  for (const CaseRatio& ratio : ratios) {
    list.push_back({{"case", ratio.subject},
                    {"base", ratio.base},
                    {"speedup", interval_json(ratio.speedup)},
                    {"effect", to_string(effect_of(ratio.speedup))},
                    {"same_code", ratio.same_code},
                    {"registers_saved", json_or_null(ratio.registers_saved)},
                    {"instructions", json_or_null(ratio.instructions)},
                    {"base_instructions", json_or_null(ratio.base_instructions)},
                    {"verdict", ratio.sentence()}});
  }
  return list;
}

Json break_even_json(const CaseBreakEven& found) {
  return {{"case", found.subject},
          {"base", found.base},
          {"price_seconds", interval_json(found.price)},
          {"saved_seconds", interval_json(found.saved)},
          {"kind", to_string(found.result.kind)},
          {"launches", number_or_null(found.result.launches)},
          {"interval", Json::array({number_or_null(found.result.low), number_or_null(found.result.high)})},
          {"verdict", found.sentence()}};
}

Json curve_json(const AmortisationCurve& curve, const std::vector<double>& launches) {
  Json before;
  if (curve.before) {
    before = {{"case", curve.before->subject},
              {"launch_seconds", json_number(curve.before->launch_seconds)},
              {"swap_seconds", json_number(curve.before->swap_seconds)},
              {"launches", json_number(curve.launches_before())}};
  }
  Json seconds = Json::array();
  for (const double count : launches) seconds.push_back(json_number(curve.seconds(count)));
  return {{"case", curve.subject},
          {"way", to_string(curve.way)},
          {"first_seconds", json_number(curve.first_seconds)},
          {"launch_seconds", json_number(curve.launch_seconds)},
          {"before_swap", before},
          {"seconds", seconds}};
}

Json amortisation_json(const std::vector<Amortisation>& amortisation) {
  Json list = Json::array();
  for (const Amortisation& flavour : amortisation) {
    Json curves = Json::array();
    for (const AmortisationCurve& curve : flavour.curves)
      curves.push_back(curve_json(curve, flavour.launches));
    list.push_back({{"fast_math", flavour.fast_math},
                    {"launch_bounds", flavour.launch_bounds},
                    {"launches", flavour.launches},
                    {"curves", curves}});
  }
  return list;
}

void require_values(const JsonNode& node, const char* key, const std::vector<double>& values) {
  if (values.empty()) throw node.at(key).expected("at least one number");
}

StudyBlock block_in(const JsonNode& node) {
  return {node.at("section").text(), node.at("device").text()};
}

void read_case(const JsonNode& node, StudyContent& content) {
  CaseData& data = content.devices[block_in(node)][node.at("case").text()];
  JsonReader reader(node);
  reader("costs", data.costs);
  if (!data.costs) return;
  const JsonNode costs = node.at("costs");
  require_values(costs, "compile_seconds", data.costs->compile_seconds);
  require_values(costs, "load_seconds", data.costs->load_seconds);
  require_values(costs, "disk_seconds", data.costs->disk_seconds);
  for (const auto& [way, times] : data.costs->first)
    require_values(costs.at("first_results").at(to_string(way)), "seconds", times.seconds);
}

void read_visit(const JsonNode& node, StudyContent& content) {
  Visit visit;
  JsonReader reader(node);
  fields(reader, visit);
  require_values(node, "seconds", visit.seconds);
  content.devices[block_in(node)][node.at("case").text()].visits[node.at("round").count()] = std::move(visit);
}

void read_line(const JsonNode& node, StudyContent& content) {
  const std::string kind = node.at("kind").text();
  if (kind == "study") {
    JsonReader reader(node);
    fields(reader, content.header);
  } else if (kind == "case") {
    read_case(node, content);
  } else if (kind == "visit") {
    read_visit(node, content);
  } else if (kind == "result") {
    content.finished.push_back(block_in(node));
  } else {
    throw node.at("kind").expected("study, case, visit or result");
  }
}

}  // namespace

StudyFile::StudyFile(FileSystem& files, std::filesystem::path folder)
    : files_(files),
      folder_(std::move(folder)),
      file_(files, folder_ / "study.jsonl", std::string(kStudyBeginning)) {}

std::optional<StudyContent> StudyFile::read() const {
  auto text = file_.read();
  if (!text) return std::nullopt;
  StudyContent content;
  for (const JsonLines::Line& line : text->lines) {
    read_json(line.text, path().string(), line.number,
              [&](const JsonNode& node) { read_line(node, content); });
  }
  if (text->lines.empty()) return std::nullopt;
  if (content.header.digest.empty())
    throw bad_input("does not begin with the line of a study", {path().string(), 1, 0});
  content.notes = std::move(text->notes);
  return content;
}

/// Where another process has just begun a study, its file stays.
void StudyFile::create(const StudyHeader& header) {
  const std::string line = header_to_json(header);
  if (files_.status(path())) {  // without a whole line
    file_.append(line);
  } else if (!files_.create_file(path(), line + "\n")) {
    throw bad_input(path().string() + ": another process has just begun a study here");
  }
}

void StudyFile::begin(const StudyHeader& header) {
  try {
    files_.make_directories(folder_, false);
    if (const auto old = read()) {
      const auto blocks = old->header.devices.size() * old->header.sections.size();
      if (std::set(old->finished.begin(), old->finished.end()).size() < blocks) {
        throw bad_input(path().string() +
                        " holds a study that was cut short: --resume goes on with it; "
                        "remove the file to begin anew");
      }
      if (!files_.rename(path(), folder_ / ("study-" + old->header.run_id + ".jsonl")))
        throw environment_error("cannot move the finished study " + path().string() + " aside");
    }
    create(header);
  } catch (const std::filesystem::filesystem_error& error) {
    throw bad_input("the output folder '" + folder_.string() +
                    "' cannot be written: " + error.code().message());
  }
}

std::optional<StudyContent> StudyFile::resume(const std::string& digest) {
  auto content = read();
  if (content && content->header.digest != digest) {
    throw bad_input(path().string() +
                    " is of another study, device, compiler or version of Kiln; it cannot be gone on with");
  }
  return content;
}

StudyBlock block_of(const DeviceCases& cases) {
  return {cases.section, cases.device.id};
}

std::string header_to_json(const StudyHeader& header) {
  return line_of("study", [&](JsonWriter& writer) {
    writer("format", kStudyFormat);
    fields(writer, header);
  });
}

std::string case_to_json(const DeviceCases& cases, const StudyCase& which, const CaseData& data) {
  return line_of("case", [&](JsonWriter& writer) {
    writer("section", cases.section);
    writer("device", cases.device.id);
    writer("case", which.name);
    writer("group", which.group);
    writer("constants", which.constants);
    writer("fast_math", which.fast_math);
    writer("launch_bounds", which.launch_bounds);
    writer("compiler", which.compiler.empty() ? std::string("run-time") : which.compiler);
    writer("compiled_by", compiler_text(data.record.compiler));
    writer("costs", data.costs);
    writer.group("record", [&](JsonWriter& record) {
      record("format", kRecordFormat);
      fields(record, data.record);
    });
  });
}

void StudyFile::add_case(const DeviceCases& cases, const StudyCase& which, const CaseData& data) {
  file_.append(case_to_json(cases, which, data));
}

void StudyFile::add_visit(const DeviceCases& cases, const std::string& name, std::size_t round,
                          const Visit& visit) {
  file_.append(line_of("visit", [&](JsonWriter& writer) {
    writer("section", cases.section);
    writer("device", cases.device.id);
    writer("case", name);
    writer("round", round);
    fields(writer, visit);
  }));
}

std::string result_to_json(const DeviceCases& cases, const DeviceData& data, const Findings& findings) {
  Json list = Json::array();
  for (const StudyCase& which : cases.cases) {
    if (const auto found = data.find(which.name); found != data.end())
      list.push_back(case_result_json(which, found->second));
  }
  Json even = Json::array();
  for (const CaseBreakEven& found : findings.break_even) even.push_back(break_even_json(found));
  Json first = Json::array();
  for (const FirstResult& found : findings.first_results) {
    first.push_back({{"case", found.subject},
                     {"way", to_string(found.way)},
                     {"seconds", interval_json(found.seconds)},
                     {"swap_seconds", number_or_null(found.swap_seconds)},
                     {"verdict", found.sentence()}});
  }
  return text_of({{"kind", "result"},
                  {"section", cases.section},
                  {"device", cases.device.id},
                  {"cases", list},
                  {"unread", cases.unread},
                  {"left_out", cases.excluded},
                  {"no_ahead", cases.no_ahead},
                  {"constants", ratios_json(findings.constants)},
                  {"all_but", ratios_json(findings.all_but)},
                  {"factorial", ratios_json(findings.factorial)},
                  {"switches", ratios_json(findings.switches)},
                  {"compilers", ratios_json(findings.compilers)},
                  {"controls", ratios_json(findings.controls)},
                  {"break_even", even},
                  {"first_results", first},
                  {"amortisation", amortisation_json(findings.amortisation)}});
}

void StudyFile::add_result(const DeviceCases& cases, const DeviceData& data, const Findings& findings) {
  file_.append(result_to_json(cases, data, findings));
}

}  // namespace kiln
