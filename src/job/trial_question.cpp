#include "job/trial_question.h"

#include <cmath>

#include <nlohmann/json.hpp>

#include "record/json_node.h"
#include "record/record_json.h"

namespace kiln {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kQuestion = "question to a process that runs trials";

/// The assignments from which `configure` makes the same configuration again. What the job leaves free stays
/// free, since a launch may have another default; paths are those that were found.
Json assignments_of(const Configuration& configuration) {
  Json all = Json::array();
  for (const auto& [name, value] : configuration.given()) {
    const ParameterSpec* parameter = configuration.workload().find_parameter(name);
    const bool path = parameter != nullptr && parameter->kind == ParameterKind::kPath;
    all.push_back({name, path ? configuration.value(name).to_string() : value.text});
  }
  return all;
}

std::vector<std::pair<std::string, RawValue>> read_assignments(const JsonNode& node) {
  std::vector<std::pair<std::string, RawValue>> all;
  for (const JsonNode& item : node.items()) {
    const std::vector<std::string> pair = item.texts();
    if (pair.size() != 2) throw item.expected("a name and a value");
    all.emplace_back(pair[0], RawValue{pair[1], false, node.location()});
  }
  return all;
}

Json measure_of(const MeasureSpec& measure) {
  return {{"enabled", measure.enabled},
          {"min_time", measure.min_time},
          {"max_time", measure.max_time},
          {"min_samples", measure.min_samples},
          {"max_samples", measure.max_samples},
          {"cold", measure.cold},
          {"energy", measure.energy}};
}

MeasureSpec read_measure(const JsonNode& node) {
  MeasureSpec measure;
  measure.enabled = node.at("enabled").truth();
  measure.min_time = node.at("min_time").number();
  measure.max_time = node.at("max_time").number();
  measure.min_samples = node.at("min_samples").count();
  measure.max_samples = node.at("max_samples").count();
  measure.cold = node.at("cold").truth();
  measure.energy = node.at("energy").truth();
  return measure;
}

Json parse(const std::string& line, const char* what) {
  Json json = Json::parse(line, nullptr, false);
  if (!json.is_object())
    throw internal_error(std::string(what) + ": expected a JSON object, found '" + line + "'");
  return json;
}

}  // namespace

std::string trial_question(const Variant& variant, const TrialRequest& request) {
  Json question;
  question["device"] = variant.device;
  question["label"] = variant.label;
  question["values"] = assignments_of(variant.configuration);
  question["keep"] = Json::array();
  for (const KeptOutput& output : variant.keep) question["keep"].push_back({output.buffer, output.file});
  question["measure"] = measure_of(request.measure);
  question["give_up_above"] = std::isfinite(request.give_up_above) ? Json(request.give_up_above) : Json();
  question["input_seed"] = request.input_seed;
  question["clocks"] = request.clocks;
  return question.dump(-1, ' ', false, Json::error_handler_t::replace);
}

TrialQuestion read_trial_question(const std::string& line, const std::shared_ptr<const Workload>& workload,
                                  DeviceRegistry& devices, FileSystem& files, const std::string& instead) {
  const Json json = parse(line, kQuestion);
  const JsonNode node(json, {kQuestion, 0, 0});
  const std::string device = instead.empty() ? node.at("device").text() : instead;
  ConfigurationResult found =
      configure(workload, read_assignments(node.at("values")), devices.open(device)->info(), files);
  TrialQuestion question{{std::move(found.configuration), node.at("label").text(), device}, {}};
  for (const JsonNode& item : node.at("keep").items()) {
    const std::vector<std::string> pair = item.texts();
    if (pair.size() != 2) throw item.expected("a buffer and a file");
    question.variant.keep.push_back({pair[0], pair[1]});
  }
  question.request.measure = read_measure(node.at("measure"));
  if (const JsonNode limit = node.at("give_up_above"); !limit.is_null())
    question.request.give_up_above = limit.number();
  question.request.input_seed = node.at("input_seed").count();
  question.request.clocks = node.at("clocks").truth();
  return question;
}

std::string error_answer(const Error& error) {
  return Json{{"error", error.what()}, {"kind", static_cast<int>(error.kind())}}.dump(
      -1, ' ', false, Json::error_handler_t::replace);
}

std::optional<Record> read_answer(const std::string& line) {
  if (line.starts_with(kRecordBeginning))
    return record_from_json(line, "answer of a process that runs trials", 1);
  const Json json = parse(line, "answer of a process that runs trials");
  if (json.contains("stopped")) return std::nullopt;
  throw Error(static_cast<ErrorKind>(json.value("kind", static_cast<int>(ErrorKind::kInternal))),
              json.value("error", line));
}

}  // namespace kiln
