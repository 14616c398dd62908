#include "tune/foreign_points.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "base/input_file.h"
#include "base/text.h"
#include "record/json_node.h"
#include "tune/recorded_file.h"

namespace kiln {
namespace {

using Json = JsonNode::Json;

constexpr double kMillisecond = 1e-3;

std::string text_of(const JsonNode& value) {
  return value.is_text() ? value.text() : value.scalar_text();
}

double positive(const JsonNode& node) {
  const double value = node.number();
  if (!std::isfinite(value) || value <= 0) throw node.expected("a time above 0");
  return value;
}

std::vector<std::int64_t> sizes_of(const JsonNode& node) {
  std::vector<std::int64_t> sizes;
  for (const JsonNode& size : node.items()) sizes.push_back(size.integer());
  return sizes;
}

/// JSON lines: the first names the parameters, each other one is a point.
std::vector<ForeignPoint> read_kernel_launcher(const std::string& text, const std::string& file) {
  std::vector<ForeignPoint> points;
  std::vector<std::string> names;
  int number = 0;
  for (const std::string& line : split(text, '\n')) {
    ++number;
    if (trim(line).empty() || trim(line).starts_with('#')) continue;
    read_json(line, file, number, [&](const JsonNode& node) {
      if (names.empty()) {
        if (node.at("version").text() != "1.0") throw node.at("version").expected("version \"1.0\"");
        names = node.at("tunable_parameters").texts();
        return;
      }
      const std::vector<JsonNode> values = node.at("config").items();
      if (values.size() != names.size())
        throw node.at("config").expected(std::to_string(names.size()) + " values");
      ForeignPoint point;
      for (std::size_t i = 0; i < names.size(); ++i) point.values.emplace_back(names[i], text_of(values[i]));
      point.seconds = positive(node.at("time")) * kMillisecond;
      if (const auto size = node.find("problem_size")) point.problem_size = sizes_of(*size);
      if (const auto environment = node.find("environment")) {
        if (const auto device = environment->find("device_name")) point.device = device->text();
        if (const auto date = environment->find("date")) point.date = date->text();
      }
      points.push_back(std::move(point));
    });
  }
  return points;
}

double unit_of(const JsonNode& metadata) {
  const auto unit = metadata.find("TimeUnit");
  const std::string word = unit ? unit->text() : "Milliseconds";
  if (word == "Nanoseconds") return 1e-9;
  if (word == "Microseconds") return 1e-6;
  if (word == "Milliseconds") return 1e-3;
  if (word == "Seconds") return 1;
  throw unit->expected("Nanoseconds, Microseconds, Milliseconds or Seconds");
}

std::vector<ForeignPoint> read_ktt(const JsonNode& root) {
  std::vector<ForeignPoint> points;
  const JsonNode metadata = root.at("Metadata");
  const double unit = unit_of(metadata);
  const auto device = metadata.find("Device");
  for (const JsonNode& result : root.at("Results").items()) {
    if (result.at("Status").text() != "Ok") continue;
    ForeignPoint point;
    point.seconds = positive(result.at("TotalDuration")) * unit;
    if (device) point.device = device->text();
    for (const JsonNode& pair : result.at("Configuration").items())
      point.values.emplace_back(pair.at("Name").text(), text_of(pair.at("Value")));
    points.push_back(std::move(point));
  }
  return points;
}

/// The head of a cache file of Kernel Tuner, which holds for all its points.
ForeignPoint read_cache_head(const JsonNode& root) {
  ForeignPoint head;
  if (const auto device = root.find("device_name")) head.device = device->text_or_empty();
  const auto size = root.find("problem_size");
  if (!size || size->is_text()) return head;  // "callable"
  if (size->is_scalar())
    head.problem_size = {size->integer()};
  else
    head.problem_size = sizes_of(*size);
  return head;
}

std::vector<ForeignPoint> points_of(const RecordedSpace& recorded, const ForeignPoint& head) {
  std::vector<ForeignPoint> points;
  for (std::uint64_t rank = 0; rank < recorded.space.count(); ++rank) {
    const Outcome& outcome = recorded.points[rank].outcome;
    if (outcome.kind != OutcomeKind::kValue) continue;
    ForeignPoint point = head;
    point.seconds = outcome.value * kMillisecond;
    const Point places = recorded.space.point(rank);
    for (std::size_t i = 0; i < places.size(); ++i)
      point.values.emplace_back(recorded.parameters[i].name, recorded.parameters[i].values[places[i]]);
    points.push_back(std::move(point));
  }
  return points;
}

Json json_value(const std::string& text) {
  if (text == "true" || text == "false") return text == "true";
  if (const auto whole = parse_integer(text)) return *whole;
  if (const auto real = parse_real(text)) return *real;
  return text;
}

/// The text of Python's str().
std::string python_text(const std::string& text) {
  return text == "true" ? "True" : text == "false" ? "False" : text;
}

std::vector<std::string> names_of(const std::vector<WisdomRecord>& records) {
  std::vector<std::string> names;
  for (const auto& [name, value] : records.front().values) names.push_back(name);
  for (const WisdomRecord& record : records) {
    std::vector<std::string> own;
    for (const auto& [name, value] : record.values) own.push_back(name);
    if (own != names)
      throw bad_input("the records tune different parameters (" + join(names, ", ") + "; " + join(own, ", ") +
                          "): choose the records of one key by --key (kiln wisdom list)",
                      record.where);
  }
  return names;
}

double milliseconds(double seconds) {
  return seconds * 1e3;
}

Json sizes_json(const NamedSizes& sizes) {
  Json list = Json::array();
  for (const auto& [name, size] : sizes) list.push_back(size);
  return list;
}

Json values_json(const NamedTexts& values) {
  Json object = Json::object();
  for (const auto& [name, text] : values) object[name] = json_value(text);
  return object;
}

std::string kernel_launcher_text(const std::vector<WisdomRecord>& records,
                                 const std::vector<std::string>& names) {
  const Json head{{"version", "1.0"},
                  {"objective", records.front().key.objective},
                  {"tunable_parameters", names},
                  {"key", records.front().key.workload}};
  std::string text = head.dump() + "\n";
  for (const WisdomRecord& record : records) {
    Json config = Json::array();
    for (const auto& [name, value] : record.values) config.push_back(json_value(value));
    const Json line{{"config", config},
                    {"problem_size", sizes_json(record.key.size)},
                    {"time", milliseconds(record.result.time.front())},
                    {"environment",
                     {{"device_name", record.key.device.name},
                      {"date", record.made.date},
                      {"cuda_driver_version", record.made.driver},
                      {"kiln_version", record.made.kiln}}}};
    text += line.dump() + "\n";
  }
  return text;
}

Json timestamp_of(const WisdomRecord& record) {
  return (record.made.date.empty() ? "1970-01-01" : record.made.date) + "T00:00:00+00:00";
}

std::string kernel_tuner_text(const std::vector<WisdomRecord>& records,
                              const std::vector<std::string>& names) {
  const WisdomKey& key = records.front().key;
  Json parameters = Json::object(), cache = Json::object();
  for (const std::string& name : names) parameters[name] = Json::array();
  for (const WisdomRecord& record : records) {
    Json entry = values_json(record.values);
    std::vector<std::string> texts;
    for (const auto& [name, text] : record.values) {
      Json& values = parameters[name];
      const Json value = json_value(text);
      if (std::find(values.begin(), values.end(), value) == values.end()) values.push_back(value);
      texts.push_back(python_text(text));
    }
    entry["time"] = milliseconds(record.result.time.front());
    entry["times"] = Json::array();
    for (const double time : record.result.time) entry["times"].push_back(milliseconds(time));
    for (const char* part :
         {"compile_time", "verification_time", "benchmark_time", "strategy_time", "framework_time"})
      entry[part] = 0.0;
    entry["timestamp"] = timestamp_of(record);
    cache[join(texts, ",")] = std::move(entry);
  }
  const Json root{{"device_name", key.device.name},
                  {"kernel_name", key.workload},
                  {"problem_size", sizes_json(key.size)},
                  {"tune_params_keys", names},
                  {"tune_params", parameters},
                  {"objective", "time"},
                  {"cache", cache}};
  return root.dump(1) + "\n";
}

std::string t4_text(const std::vector<WisdomRecord>& records) {
  Json results = Json::array();
  for (const WisdomRecord& record : records) {
    Json runtimes = Json::array();
    for (const double time : record.result.time) runtimes.push_back(milliseconds(time));
    const Json measurement{
        {"name", "time"}, {"value", milliseconds(record.result.time.front())}, {"unit", "milliseconds"}};
    results.push_back({{"timestamp", timestamp_of(record)},
                       {"configuration", values_json(record.values)},
                       {"times",
                        {{"compilation_time", 0.0},
                         {"framework", 0.0},
                         {"search_algorithm", 0.0},
                         {"validation", 0.0},
                         {"runtimes", runtimes}}},
                       {"invalidity", "correct"},
                       {"correctness", 1},
                       {"measurements", Json::array({measurement})},
                       {"objectives", Json::array({"time"})}});
  }
  const Json root{
      {"schema_version", "1.0.0"}, {"results", results}, {"metadata", {{"timeunit", "milliseconds"}}}};
  return root.dump(1) + "\n";
}

}  // namespace

std::vector<ForeignPoint> read_foreign_points(FileSystem& files, const std::filesystem::path& path) {
  const std::string file = path.string();
  const std::string text = read_input(files, path, {std::uint64_t{4} << 30, false, true});
  if (text.substr(0, text.find('\n')).find("\"tunable_parameters\"") != std::string::npos ||
      trim(text).starts_with('#'))
    return read_kernel_launcher(text, file);
  if (text.find("\"Metadata\"") != std::string::npos && text.find("\"Results\"") != std::string::npos) {
    std::vector<ForeignPoint> points;
    read_json(text, file, 1, [&](const JsonNode& root) { points = read_ktt(root); });
    return points;
  }
  ForeignPoint head;
  const RecordedSpace recorded =
      read_recorded_space(files, path, [&](const JsonNode& root) { head = read_cache_head(root); });
  return points_of(recorded, head);
}

std::string foreign_text(const std::vector<WisdomRecord>& records, ForeignFormat format) {
  if (records.empty()) throw bad_input("there is no record to write");
  const std::vector<std::string> names = names_of(records);
  switch (format) {
    case ForeignFormat::kKernelLauncher:
      return kernel_launcher_text(records, names);
    case ForeignFormat::kKernelTuner:
      return kernel_tuner_text(records, names);
    case ForeignFormat::kT4:
      return t4_text(records);
    case ForeignFormat::kKtt:
      break;
  }
  throw bad_input("ktt is read, not written; expected kernel-tuner, t4 or kernel-launcher");
}

}  // namespace kiln
