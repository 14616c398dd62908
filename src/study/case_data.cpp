#include "study/case_data.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

namespace kiln {
namespace {

/// In the order of FirstWay.
constexpr std::array<std::string_view, 5> kWayNames = {"ahead", "cold", "disk", "background",
                                                       "background_disk"};

template <class Value>
void raise(std::optional<std::int64_t>& most, const std::optional<Value>& value) {
  if (value) most = std::max(most.value_or(0), static_cast<std::int64_t>(*value));
}

}  // namespace

const char* to_string(FirstWay way) {
  return kWayNames.at(static_cast<std::size_t>(way)).data();
}

std::optional<FirstWay> parse_first_way(const std::string& text) {
  const auto* const found = std::find(kWayNames.begin(), kWayNames.end(), text);
  if (found == kWayNames.end()) return std::nullopt;
  return static_cast<FirstWay>(found - kWayNames.begin());
}

std::optional<std::uint64_t> CaseCosts::code_bytes() const {
  std::optional<std::uint64_t> sum;
  for (const MachineCode& kernel : machine_code) sum = sum.value_or(0) + kernel.bytes;
  return sum;
}

std::optional<std::uint64_t> CaseCosts::instructions() const {
  std::optional<std::uint64_t> sum;
  for (const MachineCode& kernel : machine_code) {
    if (!kernel.instructions) return std::nullopt;
    sum = sum.value_or(0) + *kernel.instructions;
  }
  return sum;
}

bool CaseData::measured() const {
  return costs && !visits.empty() && may_be_measured(record.status);
}

std::optional<Summary> step_summary(const CaseData& data) {
  if (data.visits.empty()) return std::nullopt;
  std::vector<double> values;
  for (const auto& [round, visit] : data.visits) values.push_back(visit.median());
  return summarize(values);
}

double Visit::median() const {
  return summarize(seconds).median;
}

Resources resources_of(const Record& record) {
  Resources resources;
  for (const LaunchUse& launch : record.launches) {
    raise(resources.registers, launch.attributes.registers);
    raise(resources.local_bytes, launch.attributes.local_bytes);
    if (launch.attributes.static_shared_bytes) {
      raise(resources.shared_bytes,
            std::optional(*launch.attributes.static_shared_bytes + launch.shape.dynamic_shared_bytes));
    }
    if (launch.occupancy) resources.occupancy = std::min(resources.occupancy.value_or(1), *launch.occupancy);
  }
  return resources;
}

std::optional<double> worst_error(const Record& record) {
  std::optional<double> worst;
  for (const CheckResult& check : record.checks) {
    if (check.compared == 0) continue;
    const double error = check.max_relative_error;
    if (!worst || std::isnan(error) || error > *worst) worst = error;
  }
  return worst;
}

}  // namespace kiln
