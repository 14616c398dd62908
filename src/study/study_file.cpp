#include "study/study_file.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <system_error>

#include "base/text.h"
#include "record/json_value.h"
#include "record/record_json.h"

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

Json header_json(const StudyHeader& header) {
  Json sections = Json::array();
  for (const StudyHeader::Section& section : header.sections)
    sections.push_back({{"name", section.name}, {"workload", section.workload}});
  return {{"kind", "study"},
          {"format", kStudyFormat},
          {"run_id", header.run_id},
          {"time", header.time},
          {"kiln", {{"version", header.kiln_version}, {"revision", header.kiln_revision}}},
          {"study_file", header.study_file},
          {"sections", sections},
          {"digest", header.digest},
          {"order_seed", header.seed},
          {"rounds", header.rounds},
          {"samples", header.samples},
          {"compiles", header.compiles},
          {"devices", header.devices}};
}

Json machine_code_json(const std::vector<MachineCode>& kernels) {
  Json list = Json::array();
  for (const MachineCode& kernel : kernels) {
    list.push_back({{"kernel", kernel.kernel},
                    {"bytes", kernel.bytes},
                    {"instructions", json_or_null(kernel.instructions)}});
  }
  return list;
}

std::vector<MachineCode> read_machine_code(const Json& json) {
  std::vector<MachineCode> kernels;
  for (const Json& item : json) {
    MachineCode kernel{item.at("kernel").get<std::string>(), item.at("bytes").get<std::uint64_t>(), {}};
    if (!item.at("instructions").is_null()) item.at("instructions").get_to(kernel.instructions.emplace());
    kernels.push_back(std::move(kernel));
  }
  return kernels;
}

Json first_times_json(const std::map<FirstWay, FirstTimes>& first) {
  Json all = Json::object();
  for (const auto& [way, times] : first) {
    Json& json = all[to_string(way)];
    json["seconds"] = times.seconds;
    if (!times.swap_seconds.empty()) json["swap_seconds"] = times.swap_seconds;
  }
  return all;
}

std::string compiler_text(const CompilerIdentity& compiler) {
  return compiler.version.starts_with(compiler.name) ? compiler.version
                                                     : compiler.name + " " + compiler.version;
}

Json case_json(const DeviceCases& cases, const StudyCase& which, const CaseData& data) {
  Json costs;
  if (data.costs) {
    costs = {{"compile_seconds", data.costs->compile_seconds},
             {"load_seconds", data.costs->load_seconds},
             {"disk_seconds", data.costs->disk_seconds},
             {"binary_bytes", data.costs->binary_bytes},
             {"keys", data.costs->keys},
             {"first_results", first_times_json(data.costs->first)},
             {"machine_code", machine_code_json(data.costs->machine_code)}};
  }
  return {{"kind", "case"},
          {"section", cases.section},
          {"device", cases.device.id},
          {"case", which.name},
          {"group", to_string(which.group)},
          {"constants", which.constants},
          {"fast_math", which.fast_math},
          {"launch_bounds", which.launch_bounds},
          {"compiler", which.compiler.empty() ? "run-time" : which.compiler},
          {"compiled_by", compiler_text(data.record.compiler)},
          {"costs", costs},
          {"record", Json::parse(record_to_json(data.record))}};
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

const char* effect_text(Effect effect) {
  switch (effect) {
    case Effect::kFaster:
      return "faster";
    case Effect::kSlower:
      return "slower";
    case Effect::kNone:
      return "none";
  }
  return "";
}

Json ratios_json(const std::vector<CaseRatio>& ratios) {
  Json list = Json::array();
  for (const CaseRatio& ratio : ratios) {
    list.push_back({{"case", ratio.subject},
                    {"base", ratio.base},
                    {"speedup", interval_json(ratio.speedup)},
                    {"effect", effect_text(effect_of(ratio.speedup))},
                    {"same_code", ratio.same_code},
                    {"registers_saved", json_or_null(ratio.registers_saved)},
                    {"instructions", json_or_null(ratio.instructions)},
                    {"base_instructions", json_or_null(ratio.base_instructions)},
                    {"verdict", ratio.sentence()}});
  }
  return list;
}

const char* kind_text(BreakEven::Kind kind) {
  switch (kind) {
    case BreakEven::Kind::kAfter:
      return "after";
    case BreakEven::Kind::kNotShown:
      return "not shown";
    case BreakEven::Kind::kNever:
      return "never";
  }
  return "";
}

Json break_even_json(const CaseBreakEven& found) {
  return {{"case", found.subject},
          {"base", found.base},
          {"price_seconds", interval_json(found.price)},
          {"saved_seconds", interval_json(found.saved)},
          {"kind", kind_text(found.result.kind)},
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

std::map<FirstWay, FirstTimes> read_first_times(const Json& json) {
  std::map<FirstWay, FirstTimes> first;
  for (const auto& [name, times] : json.items()) {
    const auto way = parse_first_way(name);
    if (!way) throw std::out_of_range("the way '" + name + "' to a first result is not known");
    times.at("seconds").get_to(first[*way].seconds);
    if (times.contains("swap_seconds")) times.at("swap_seconds").get_to(first[*way].swap_seconds);
    if (first[*way].seconds.empty()) throw std::out_of_range("a first result has no times");
  }
  return first;
}

CaseCosts read_costs(const Json& json) {
  CaseCosts costs;
  json.at("compile_seconds").get_to(costs.compile_seconds);
  json.at("load_seconds").get_to(costs.load_seconds);
  json.at("disk_seconds").get_to(costs.disk_seconds);
  json.at("binary_bytes").get_to(costs.binary_bytes);
  json.at("keys").get_to(costs.keys);
  costs.first = read_first_times(json.at("first_results"));
  costs.machine_code = read_machine_code(json.at("machine_code"));
  return costs;
}

StudyBlock read_block(const Json& json) {
  return {json.at("section").get<std::string>(), json.at("device").get<std::string>()};
}

void read_line(const Json& json, StudyContent& content) {
  const std::string kind = json.at("kind").get<std::string>();
  if (kind == "study") {
    json.at("digest").get_to(content.header.digest);
    json.at("run_id").get_to(content.header.run_id);
    json.at("devices").get_to(content.header.devices);
    for (const Json& section : json.at("sections"))
      content.header.sections.push_back(
          {section.at("name").get<std::string>(), section.at("workload").get<std::string>()});
  } else if (kind == "case") {
    CaseData& data = content.devices[read_block(json)][json.at("case").get<std::string>()];
    if (!json.at("costs").is_null()) data.costs = read_costs(json.at("costs"));
  } else if (kind == "visit") {
    Visit visit;
    json.at("seconds").get_to(visit.seconds);
    json.at("launches").get_to(visit.launches);
    if (visit.seconds.empty()) throw std::out_of_range("a visit has no samples");
    content.devices[read_block(json)][json.at("case").get<std::string>()]
        .visits[json.at("round").get<std::size_t>()] = std::move(visit);
  } else if (kind == "result") {
    content.finished.push_back(read_block(json));
  } else {
    throw std::out_of_range("the kind '" + kind + "' is not known");
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
    try {
      read_line(Json::parse(line.text), content);
    } catch (const std::exception& error) {
      throw bad_input(std::string("is no line of a study's file: ") + error.what(),
                      {path().string(), line.number, 0});
    }
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
  return text_of(header_json(header));
}

std::string case_to_json(const DeviceCases& cases, const StudyCase& which, const CaseData& data) {
  return text_of(case_json(cases, which, data));
}

void StudyFile::add_case(const DeviceCases& cases, const StudyCase& which, const CaseData& data) {
  file_.append(case_to_json(cases, which, data));
}

void StudyFile::add_visit(const DeviceCases& cases, const std::string& name, std::size_t round,
                          const Visit& visit) {
  file_.append(text_of({{"kind", "visit"},
                        {"section", cases.section},
                        {"device", cases.device.id},
                        {"case", name},
                        {"round", round},
                        {"seconds", visit.seconds},
                        {"launches", visit.launches}}));
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
