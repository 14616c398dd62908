#include "workload/device_words.h"

#include <algorithm>

namespace kiln {
namespace {

// Valid for every GPU of CUDA or HIP; used if the device is unknown.
constexpr double kUsualBlockLimit = 1024;
constexpr double kUsualSharedLimit = 48 * 1024;

/// What the target alone decides.
bool is_target_word(const std::string& name) {
  return name == "cpu" || name == "sm" || name == "cdna" || name == "shared_limit";
}

}  // namespace

const std::vector<std::string>& device_words() {
  static const std::vector<std::string> words{
      "cpu", "sm", "cdna", "compute_units", "memory_bandwidth", "block_limit", "shared_limit"};
  return words;
}

bool is_device_word(const std::string& name) {
  return std::find(device_words().begin(), device_words().end(), name) != device_words().end();
}

void define_device_words(const DeviceInfo& device, Variables& variables) {
  variables["cpu"] = device.target.is_host() ? 1 : 0;
  variables["sm"] = device.target.compute_capability();
  variables["cdna"] = device.target.cdna_generation();
  variables["compute_units"] = device.compute_units;
  variables["memory_bandwidth"] = device.memory_bandwidth;
  const auto known_or = [](std::uint64_t limit, double otherwise) {
    return limit > 0 ? static_cast<double>(limit) : otherwise;
  };
  variables["block_limit"] = known_or(device.limits.max_threads_per_block, kUsualBlockLimit);
  variables["shared_limit"] = known_or(device.limits.max_shared_bytes_per_block, kUsualSharedLimit);
}

std::vector<std::string> defaults_by_device(const Workload& workload, const std::string& backend) {
  std::vector<std::string> found;
  for (const ParameterSpec& parameter : workload.parameters) {
    if (parameter.kind != ParameterKind::kScalar && parameter.kind != ParameterKind::kChoice) continue;
    if (parameter.fixed_binding == Binding::kRun) continue;
    if (parameter.defaults.empty()) continue;
    const auto asks = [&](const ExpressionText& text) {
      const std::vector<std::string> names = workload.names_in(text);
      return std::any_of(names.begin(), names.end(), [](const std::string& name) {
        return is_device_word(name) && !is_target_word(name);
      });
    };
    if (asks(parameter.default_on(backend))) found.push_back(parameter.name);
  }
  return found;
}

}  // namespace kiln
