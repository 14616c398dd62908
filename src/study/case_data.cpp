#include "study/case_data.h"

#include <algorithm>

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

CaseResult result_of(const StudyCase& which, const CaseData& data) {
  CaseResult result;
  result.name = which.name;
  result.status = data.record.status;
  result.message = data.record.message;
  if (const auto step = step_summary(data))
    result.step = {{step->median, step->ci_low, step->ci_high}, step->count, step->min, step->max};
  for (const MetricValue& metric : data.record.metrics)
    result.metrics.push_back({metric.name, metric.unit, metric.value});
  if (data.costs) {
    result.code_bytes = data.costs->code_bytes();
    result.instructions = data.costs->instructions();
  }
  result.resources = resources_of(data.record);
  result.error = largest_error(data.record);
  return result;
}

}  // namespace kiln
