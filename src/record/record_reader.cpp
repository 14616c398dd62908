#include "record/record_reader.h"

#include <optional>

#include "base/input_file.h"
#include "base/text.h"
#include "kiln/error.h"
#include "record/json_lines.h"
#include "record/json_node.h"
#include "record/record_json.h"

namespace kiln {
namespace {

using Path = std::filesystem::path;

template <class Value, class Read>
std::optional<Value> if_known(const JsonNode& node, Read read) {
  if (node.is_null()) return std::nullopt;
  return static_cast<Value>(read(node));
}

std::optional<std::uint64_t> known_count(const JsonNode& node) {
  return if_known<std::uint64_t>(node, [](const JsonNode& known) { return known.count(); });
}

DeviceInfo device_of(const JsonNode& node) {
  DeviceInfo device;
  device.id = node.at("id").text();
  device.name = node.at("name").text();
  device.target.backend = node.at("backend").text();
  device.target.arch = node.at("arch").text();
  device.target.warp_size = static_cast<int>(node.at("warp_size").count());
  device.compute_units = static_cast<int>(node.at("compute_units").count());
  device.memory_bytes = node.at("memory_bytes").count();
  device.l2_bytes = node.at("l2_bytes").count();
  device.driver = node.at("driver").text_or_empty();
  return device;
}

BoundParameter parameter_of(const std::string& name, const JsonNode& node) {
  const JsonNode value = node.at("value");
  const std::string bind = node.at("bind").text();
  if (bind != "compile" && bind != "run") throw node.at("bind").expected("compile or run");
  return {name, value.is_text() ? value.text() : value.scalar_text(), bind == "compile", value.is_text()};
}

UnitUse unit_of(const JsonNode& node) {
  UnitUse unit;
  unit.source = node.at("source").text();
  unit.entries = node.at("entries").texts();
  unit.origin = node.at("origin").word<Origin>();
  unit.key = node.at("key").text();
  unit.compile_seconds = node.at("compile_seconds").number();
  unit.load_seconds = node.at("load_seconds").number();
  unit.options = node.at("options").texts();
  unit.binary_bytes = node.at("binary_bytes").count();
  unit.note = node.at("note").text_or_empty();
  return unit;
}

std::optional<Summary> summary_of(const JsonNode& node) {
  if (node.is_null()) return std::nullopt;
  const std::vector<JsonNode> interval = node.at("interval").items();
  if (interval.size() != 2) throw node.at("interval").expected("a list of two numbers");
  return Summary{node.at("samples").count(), node.at("min").number(), node.at("median").number(),
                 node.at("mean").number(),   node.at("max").number(), node.at("deviation").number(),
                 interval[0].number(),       interval[1].number()};
}

Dim3 extents_of(const JsonNode& node) {
  const std::vector<JsonNode> items = node.items();
  if (items.size() != 3) throw node.expected("a list of three counts");
  return {items[0].count(), items[1].count(), items[2].count()};
}

FunctionAttributes attributes_of(const JsonNode& node) {
  FunctionAttributes attributes;
  attributes.registers =
      if_known<int>(node.at("registers"), [](const JsonNode& known) { return known.count(); });
  attributes.static_shared_bytes = known_count(node.at("static_shared_bytes"));
  attributes.local_bytes = known_count(node.at("local_bytes"));
  attributes.max_threads_per_block = known_count(node.at("max_threads_per_block"));
  attributes.binary_bytes = known_count(node.at("binary_bytes"));
  return attributes;
}

LaunchUse launch_of(const JsonNode& node) {
  LaunchUse launch;
  launch.step = node.at("step").text();
  launch.kernel = node.at("kernel").text();
  launch.shape.grid = extents_of(node.at("grid"));
  launch.shape.block = extents_of(node.at("block"));
  launch.shape.cluster = extents_of(node.at("cluster"));
  launch.shape.cooperative = node.at("cooperative").truth();
  launch.shape.dynamic_shared_bytes = node.at("dynamic_shared_bytes").count();
  launch.attributes = attributes_of(node.at("attributes"));
  launch.occupancy =
      if_known<double>(node.at("occupancy"), [](const JsonNode& known) { return known.number(); });
  launch.seconds = summary_of(node.at("seconds"));
  return launch;
}

std::optional<DeviceClocks> clocks_of(const JsonNode& node) {
  if (node.is_null()) return std::nullopt;
  const auto megahertz = [&](const char* key) {
    return if_known<unsigned>(node.at(key), [](const JsonNode& known) { return known.count(); });
  };
  return DeviceClocks{megahertz("compute_mhz"), megahertz("memory_mhz"), megahertz("compute_max_mhz"),
                      megahertz("memory_max_mhz"), node.at("limited_by").texts()};
}

CheckResult check_of(const JsonNode& node) {
  CheckResult check;
  check.name = node.at("name").text();
  check.against = node.at("against").text();
  check.ok = node.at("ok").truth();
  check.compared = node.at("compared").count();
  check.skipped = node.at("skipped").count();
  check.mismatches = node.at("mismatches").count();
  if (const JsonNode worst = node.at("worst"); !worst.is_null()) {
    check.worst_index = worst.at("index").text();
    check.worst_value = worst.at("value").number();
    check.worst_expected = worst.at("expected").number();
  }
  check.max_relative_error = node.at("max_relative_error").number();
  check.rtol = node.at("rtol").number();
  check.atol = node.at("atol").number();
  check.message = node.at("message").text();
  return check;
}

MetricValue metric_of(const std::string& name, const JsonNode& node) {
  const std::string higher = node.at("higher_is").text();
  if (higher != "better" && higher != "worse") throw node.at("higher_is").expected("better or worse");
  return {name, node.at("unit").text(), node.at("value").number(), higher == "better"};
}

void read_origin(const JsonNode& node, Record& record) {
  record.run_id = node.at("run_id").text();
  record.time = node.at("time").text();
  record.kiln_version = node.at("kiln").at("version").text();
  record.kiln_revision = node.at("kiln").at("revision").text();
  record.job_file = node.at("job_file").text();
  record.workload = node.at("workload").text();
  record.source_digest = node.at("source_digest").text();
  record.label = node.at("label").text();
  record.device = device_of(node.at("device"));
  const JsonNode compiler = node.at("compiler");
  record.compiler = {compiler.at("name").text(), compiler.at("version").text(),
                     compiler.at("fingerprint").text()};
}

void read_values(const JsonNode& node, Record& record) {
  for (const auto& [name, value] : node.at("parameters").members())
    record.parameters.push_back(parameter_of(name, value));
  record.fast_math = node.at("fast_math").truth();
  record.launch_bounds = node.at("launch_bounds").truth();
  record.lineinfo = node.at("lineinfo").truth();
  record.seed = node.at("seed").integer();
  record.cache_mode = node.at("cache_mode").text();
}

void read_results(const JsonNode& node, Record& record) {
  record.status = node.at("status").word<RunStatus>();
  record.message = node.at("message").text_or_empty();
  record.log = node.at("log").text_or_empty();
  for (const JsonNode& unit : node.at("units").items()) record.units.push_back(unit_of(unit));
  for (const JsonNode& launch : node.at("launches").items()) record.launches.push_back(launch_of(launch));
  record.step = summary_of(node.at("step_seconds"));
  record.steps_per_sample = node.at("steps_per_sample").count();
  if (const auto steps = node.find("profiled_steps")) record.profiled_steps = steps->count();
  record.stop_reason = node.at("stop_reason").text_or_empty();
  record.clocks_before = clocks_of(node.at("clocks_before"));
  record.clocks_after = clocks_of(node.at("clocks_after"));
  for (const JsonNode& check : node.at("checks").items()) record.checks.push_back(check_of(check));
  for (const auto& [name, metric] : node.at("metrics").members())
    record.metrics.push_back(metric_of(name, metric));
  record.first_launch_seconds = node.at("first_launch_seconds").number();
}

void read_file_into(FileSystem& files, const Path& path, Log& log, std::vector<Record>& records) {
  const JsonLines content =
      split_json_lines(read_input(files, path, kResultInput), path.string(), kRecordBeginning);
  for (const std::string& note : content.notes) log.warn(note);
  for (const JsonLines::Line& line : content.lines)
    records.push_back(record_from_json(line.text, path.string(), line.number));
}

}  // namespace

Record record_from_json(const std::string& line, const std::string& file, int line_number) {
  Record record;
  read_json(line, file, line_number, [&](const JsonNode& node) {
    if (const JsonNode format = node.at("format"); format.integer() != kRecordFormat)
      throw format.expected("format " + std::to_string(kRecordFormat) + " of Kiln's records");
    read_origin(node, record);
    read_values(node, record);
    read_results(node, record);
  });
  return record;
}

std::vector<Record> read_records(FileSystem& files, const std::vector<Path>& paths, Log& log) {
  std::vector<Record> records;
  for (const Path& path : paths) read_file_into(files, path, log, records);
  return records;
}

}  // namespace kiln
