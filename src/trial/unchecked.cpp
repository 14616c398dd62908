#include "trial/unchecked.h"

#include <algorithm>

#include "base/text.h"
#include "trial/host_fill.h"

namespace kiln {
namespace {

constexpr const char* kNoChecks = "the workload has no check (`verify`)";
constexpr const char* kNoneApplies = "no check applies: the condition (`when`) of each is false";

bool has_empty_region(const Configuration& configuration, const CheckSpec& check) {
  return std::any_of(check.region.begin(), check.region.end(), [&](const auto& range) {
    const Workload& workload = configuration.workload();
    return !workload.changes(range.first) && !workload.changes(range.second) &&
           configuration.evaluate(range.first) >= configuration.evaluate(range.second);
  });
}

bool has_expectation(const Configuration& configuration, const CheckSpec& check, FileSystem& files) {
  if (check.expected || !check.reference_kernel.empty()) return true;
  if (check.expected_file) return number_from_file(configuration, *check.expected_file, files).has_value();
  return file_is_there(configuration, *check.file, files);
}

/// Why a check will compare nothing; empty if it may compare something.
std::string no_effect(const Configuration& configuration, const CheckSpec& check, FileSystem& files) {
  if (has_empty_region(configuration, check)) return kEmptyRegion;
  return has_expectation(configuration, check, files) ? "" : kNoExpectedValue;
}

}  // namespace

std::optional<std::string> why_unchecked(const Workload& workload, const std::vector<CheckResult>& results) {
  if (workload.checks.empty()) return kNoChecks;
  std::vector<std::string> reasons;
  for (const CheckResult& result : results) {
    if (result.compared > 0) return std::nullopt;
    reasons.push_back(result.name + ": " + result.message);
  }
  return reasons.empty() ? kNoneApplies : join(reasons, "; ");
}

std::optional<std::string> why_unchecked(const Configuration& configuration, FileSystem& files) {
  if (configuration.workload().checks.empty()) return kNoChecks;
  std::vector<std::string> reasons;
  for (const CheckSpec& check : configuration.workload().checks) {
    if (check.when && !configuration.evaluate_condition(*check.when)) continue;
    const std::string reason = no_effect(configuration, check, files);
    if (reason.empty()) return std::nullopt;
    reasons.push_back(check.name + ": " + reason);
  }
  return reasons.empty() ? kNoneApplies : join(reasons, "; ");
}

}  // namespace kiln
