#include "record/record_json.h"

#include <nlohmann/json.hpp>
#include <optional>

#include "base/text.h"
#include "record/json_value.h"

namespace kiln {
namespace {

using Json = nlohmann::ordered_json;

Json text_or_null(const std::string& text) {
  return text.empty() ? Json() : Json(text);
}

template <class Items, class ToJson>
Json list_of(const Items& items, ToJson to_json) {
  Json list = Json::array();
  for (const auto& item : items) list.push_back(to_json(item));
  return list;
}

Json extents(const Dim3& dim) {
  return Json::array({dim.x, dim.y, dim.z});
}

Json device_json(const DeviceInfo& device) {
  return {{"id", device.id},
          {"name", device.name},
          {"backend", device.target.backend},
          {"arch", device.target.arch},
          {"warp_size", device.target.warp_size},
          {"compute_units", device.compute_units},
          {"memory_bytes", device.memory_bytes},
          {"l2_bytes", device.l2_bytes},
          {"driver", text_or_null(device.driver)}};
}

Json compiler_json(const CompilerIdentity& compiler) {
  return {{"name", compiler.name}, {"version", compiler.version}, {"fingerprint", compiler.fingerprint}};
}

/// A value as JSON's own number or bool where it is one.
Json parameter_value(const BoundParameter& parameter) {
  if (parameter.quoted) return parameter.value;
  if (parameter.value == "true" || parameter.value == "false") return parameter.value == "true";
  if (const auto whole = parse_integer(parameter.value)) return *whole;
  if (const auto real = parse_real(parameter.value)) return json_number(*real);
  return parameter.value;
}

Json parameter_json(const BoundParameter& parameter) {
  return {{"value", parameter_value(parameter)}, {"bind", parameter.compile_time ? "compile" : "run"}};
}

Json unit_json(const UnitUse& unit) {
  return {{"source", unit.source},
          {"entries", unit.entries},
          {"origin", to_string(unit.origin)},
          {"key", unit.key},
          {"compile_seconds", json_number(unit.compile_seconds)},
          {"load_seconds", json_number(unit.load_seconds)},
          {"options", unit.options},
          {"binary_bytes", unit.binary_bytes},
          {"note", text_or_null(unit.note)}};
}

Json summary_json(const std::optional<Summary>& summary) {
  if (!summary) return {};
  return {{"samples", summary->count},
          {"min", json_number(summary->min)},
          {"median", json_number(summary->median)},
          {"mean", json_number(summary->mean)},
          {"max", json_number(summary->max)},
          {"deviation", json_number(summary->deviation)},
          {"interval", Json::array({json_number(summary->ci_low), json_number(summary->ci_high)})}};
}

Json attributes_json(const FunctionAttributes& attributes) {
  return {{"registers", json_or_null(attributes.registers)},
          {"static_shared_bytes", json_or_null(attributes.static_shared_bytes)},
          {"local_bytes", json_or_null(attributes.local_bytes)},
          {"max_threads_per_block", json_or_null(attributes.max_threads_per_block)},
          {"binary_bytes", json_or_null(attributes.binary_bytes)}};
}

Json clocks_json(const std::optional<DeviceClocks>& clocks) {
  if (!clocks) return {};
  return {{"compute_mhz", json_or_null(clocks->compute_mhz)},
          {"memory_mhz", json_or_null(clocks->memory_mhz)},
          {"compute_max_mhz", json_or_null(clocks->compute_max_mhz)},
          {"memory_max_mhz", json_or_null(clocks->memory_max_mhz)},
          {"limited_by", clocks->limited_by}};
}

Json launch_json(const LaunchUse& launch) {
  return {{"step", launch.step},
          {"kernel", launch.kernel},
          {"grid", extents(launch.shape.grid)},
          {"block", extents(launch.shape.block)},
          {"cluster", extents(launch.shape.cluster)},
          {"cooperative", launch.shape.cooperative},
          {"dynamic_shared_bytes", launch.shape.dynamic_shared_bytes},
          {"attributes", attributes_json(launch.attributes)},
          {"occupancy", json_or_null(launch.occupancy)},
          {"seconds", summary_json(launch.seconds)}};
}

Json worst_json(const CheckResult& check) {
  if (check.worst_index.empty()) return {};
  return {{"index", check.worst_index},
          {"value", json_number(check.worst_value)},
          {"expected", json_number(check.worst_expected)}};
}

Json check_json(const CheckResult& check) {
  return {{"name", check.name},
          {"against", check.against},
          {"ok", check.ok},
          {"compared", check.compared},
          {"skipped", check.skipped},
          {"mismatches", check.mismatches},
          {"worst", worst_json(check)},
          {"max_relative_error", json_number(check.max_relative_error)},
          {"rtol", json_number(check.rtol)},
          {"atol", json_number(check.atol)},
          {"message", check.message}};
}

Json metric_json(const MetricValue& metric) {
  return {{"value", json_number(metric.value)},
          {"unit", metric.unit},
          {"higher_is", metric.higher_is_better ? "better" : "worse"}};
}

Json parameters_json(const Record& record) {
  Json object = Json::object();
  for (const BoundParameter& parameter : record.parameters)
    object[parameter.name] = parameter_json(parameter);
  return object;
}

Json metrics_json(const Record& record) {
  Json object = Json::object();
  for (const MetricValue& metric : record.metrics) object[metric.name] = metric_json(metric);
  return object;
}

}  // namespace

std::string record_to_json(const Record& record) {
  const Json json = {{"format", kRecordFormat},
                     {"run_id", record.run_id},
                     {"time", record.time},
                     {"kiln", {{"version", record.kiln_version}, {"revision", record.kiln_revision}}},
                     {"job_file", record.job_file},
                     {"workload", record.workload},
                     {"source_digest", record.source_digest},
                     {"label", record.label},
                     {"device", device_json(record.device)},
                     {"compiler", compiler_json(record.compiler)},
                     {"parameters", parameters_json(record)},
                     {"fast_math", record.fast_math},
                     {"launch_bounds", record.launch_bounds},
                     {"lineinfo", record.lineinfo},
                     {"seed", record.seed},
                     {"cache_mode", record.cache_mode},
                     {"status", to_string(record.status)},
                     {"message", text_or_null(record.message)},
                     {"log", text_or_null(record.log)},
                     {"units", list_of(record.units, unit_json)},
                     {"launches", list_of(record.launches, launch_json)},
                     {"step_seconds", summary_json(record.step)},
                     {"steps_per_sample", record.steps_per_sample},
                     {"profiled_steps", record.profiled_steps},
                     {"stop_reason", text_or_null(record.stop_reason)},
                     {"clocks_before", clocks_json(record.clocks_before)},
                     {"clocks_after", clocks_json(record.clocks_after)},
                     {"checks", list_of(record.checks, check_json)},
                     {"metrics", metrics_json(record)},
                     {"first_launch_seconds", json_number(record.first_launch_seconds)}};
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace kiln
