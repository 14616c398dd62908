#include "report/ceilings.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/input_file.h"
#include "kiln/error.h"
#include "record/json_node.h"

namespace kiln {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kCeilingsFormat = 1;
constexpr const char* kRateUnits[] = {"GB/s", "GFLOP/s"};

bool is_rate(const std::string& unit) {
  return std::find(std::begin(kRateUnits), std::end(kRateUnits), unit) != std::end(kRateUnits);
}

std::string precision_of(const Record& record) {
  for (const BoundParameter& parameter : record.parameters) {
    if (parameter.name == "T") return parameter.value;
  }
  return "";
}

/// The time that the metric was computed from: the time of the launch with the metric's name, else of the
/// step.
const Summary* time_of(const Record& record, const std::string& metric) {
  for (const LaunchUse& launch : record.launches) {
    if (launch.step == metric && launch.seconds) return &*launch.seconds;
  }
  return record.step ? &*record.step : nullptr;
}

Ceiling ceiling_of(const Record& record, const MetricValue& metric) {
  const std::string precision = precision_of(record);
  const bool compute = metric.unit == "GFLOP/s";
  Ceiling ceiling{compute && !precision.empty() ? metric.name + " " + precision : metric.name,
                  metric.unit,
                  metric.value,
                  metric.value,
                  metric.value,
                  record.label};
  if (const Summary* seconds = time_of(record, metric.name);
      seconds != nullptr && seconds->ci_low > 0 && seconds->ci_high > 0) {
    ceiling.low = metric.value * (seconds->median / seconds->ci_high);
    ceiling.high = metric.value * (seconds->median / seconds->ci_low);
  }
  return ceiling;
}

void keep_higher(std::vector<Ceiling>& ceilings, const Ceiling& ceiling) {
  const auto known = std::find_if(ceilings.begin(), ceilings.end(),
                                  [&](const Ceiling& other) { return other.name == ceiling.name; });
  if (known == ceilings.end()) {
    ceilings.push_back(ceiling);
  } else if (ceiling.value > known->value) {
    *known = ceiling;
  }
}

Json ceiling_json(const Ceiling& ceiling) {
  return {{"name", ceiling.name},
          {"unit", ceiling.unit},
          {"value", ceiling.value},
          {"interval", Json::array({ceiling.low, ceiling.high})},
          {"label", ceiling.label}};
}

Ceiling ceiling_from(const JsonNode& node) {
  Ceiling ceiling;
  ceiling.name = node.at("name").text();
  ceiling.unit = node.at("unit").text();
  if (!is_rate(ceiling.unit)) throw node.at("unit").expected("GB/s or GFLOP/s");
  ceiling.value = node.at("value").number();
  if (!(ceiling.value > 0) || std::isinf(ceiling.value)) throw node.at("value").expected("a number above 0");
  const std::vector<JsonNode> interval = node.at("interval").items();
  if (interval.size() != 2) throw node.at("interval").expected("a list of two numbers");
  ceiling.low = interval[0].number();
  ceiling.high = interval[1].number();
  ceiling.label = node.at("label").text();
  return ceiling;
}

}  // namespace

DeviceCeilings ceilings_of(const std::vector<Record>& records) {
  if (records.empty()) throw internal_error("ceilings of no records");
  const Record& first = records.front();
  DeviceCeilings device{first.time,
                        first.kiln_version,
                        first.kiln_revision,
                        first.device.id,
                        first.device.name,
                        first.device.target.backend,
                        {}};
  for (const Record& record : records) {
    if (record.status != RunStatus::kOk) continue;
    for (const MetricValue& metric : record.metrics) {
      if (is_rate(metric.unit) && metric.value > 0 && std::isfinite(metric.value))
        keep_higher(device.ceilings, ceiling_of(record, metric));
    }
  }
  return device;
}

std::string ceilings_to_json(const DeviceCeilings& device) {
  Json list = Json::array();
  for (const Ceiling& ceiling : device.ceilings) list.push_back(ceiling_json(ceiling));
  const Json json = {
      {"format", kCeilingsFormat},
      {"time", device.time},
      {"kiln", {{"version", device.kiln_version}, {"revision", device.kiln_revision}}},
      {"device", {{"id", device.device_id}, {"name", device.device_name}, {"backend", device.backend}}},
      {"ceilings", list}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

DeviceCeilings read_ceilings(FileSystem& files, const std::filesystem::path& path) {
  DeviceCeilings device;
  read_json(read_input(files, path, kResultInput), path.string(), 1, [&](const JsonNode& node) {
    if (const JsonNode format = node.at("format"); format.integer() != kCeilingsFormat)
      throw format.expected("format " + std::to_string(kCeilingsFormat) + " of Kiln's ceilings");
    device.time = node.at("time").text();
    device.kiln_version = node.at("kiln").at("version").text();
    device.kiln_revision = node.at("kiln").at("revision").text();
    device.device_id = node.at("device").at("id").text();
    device.device_name = node.at("device").at("name").text();
    device.backend = node.at("device").at("backend").text();
    for (const JsonNode& ceiling : node.at("ceilings").items())
      device.ceilings.push_back(ceiling_from(ceiling));
  });
  return device;
}

}  // namespace kiln
