#include "record/study_results.h"

#include <algorithm>

namespace kiln {

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

double Visit::median() const {
  return summarize(seconds).median;
}

double AmortisationCurve::after(double launches) const {
  const double slow = before ? std::min(launches, std::max(1.0, before->launches)) : 1;
  const double slow_seconds = before ? before->launch_seconds : launch_seconds;
  return first_seconds + (slow - 1) * slow_seconds + (launches - slow) * launch_seconds;
}

const CaseRatio* StudyReport::ratio_of(const std::string& name) const {
  for (const auto* list : {&constants, &factorial, &controls}) {
    const auto found = std::find_if(list->begin(), list->end(),
                                    [&](const CaseRatio& ratio) { return ratio.subject == name; });
    if (found != list->end()) return &*found;
  }
  return nullptr;
}

const CaseCosts* StudyReport::costs_of(const std::string& name) const {
  const auto found = costs.find(name);
  return found != costs.end() && found->second ? &*found->second : nullptr;
}

}  // namespace kiln
