#include "study/case_data.h"

#include <algorithm>
#include <cmath>

namespace kiln {
namespace {

template <class Value>
void raise(std::optional<std::int64_t>& most, const std::optional<Value>& value) {
  if (value) most = std::max(most.value_or(0), static_cast<std::int64_t>(*value));
}

}  // namespace

bool CaseData::measured() const {
  return costs && !visits.empty() && may_be_measured(record.status);
}

std::optional<Summary> step_summary(const CaseData& data) {
  if (data.visits.empty()) return std::nullopt;
  std::vector<double> values;
  for (const auto& [round, visit] : data.visits) values.push_back(visit.median());
  return summarize(values);
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
