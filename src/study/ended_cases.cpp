#include "study/ended_cases.h"

#include <algorithm>

namespace kiln {
namespace {

/// Sections may share a workload and the names of cases, but not their values.
bool has_values_of(const Record& record, const Configuration& configuration) {
  return std::all_of(record.parameters.begin(), record.parameters.end(), [&](const BoundParameter& bound) {
    const auto& values = configuration.values();
    return std::any_of(values.begin(), values.end(), [&](const auto& entry) {
      return entry.first == bound.name && entry.second.to_string() == bound.value;
    });
  });
}

}  // namespace

EndedCases find_ended_cases(const StudyPlan& plan, const std::vector<Record>& kept,
                            const std::string& run_id) {
  EndedCases ended;
  for (const Record& record : kept) {
    if (record.run_id != run_id || !ended_process(record.status)) continue;
    for (const DeviceCases& cases : plan.devices) {
      if (cases.device.id != record.device.id || cases.workload->name != record.workload) continue;
      for (const Variant& variant : cases.variants) {
        if (variant.label == record.label && has_values_of(record, variant.configuration))
          ended[block_of(cases)].insert_or_assign(variant.label, record);
      }
    }
  }
  return ended;
}

}  // namespace kiln
