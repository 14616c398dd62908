#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/statistics.h"
#include "record/record.h"
#include "record/study_results.h"
#include "study/cases.h"

namespace kiln {

/// Everything known of a case on a device.
struct CaseData {
  std::optional<CaseCosts> costs;       ///< absent: not compiled yet, or it does not compile
  Record record;                        ///< as a job's, with times once the rounds are done
  std::map<std::size_t, Visit> visits;  ///< by round, from 1

  /// It ran, no check disagreed, and it was sampled.
  [[nodiscard]] bool measured() const;
};

/// By name of the case.
using DeviceData = std::map<std::string, CaseData>;

/// Resources of the largest kernel of a step.
[[nodiscard]] Resources resources_of(const Record& record);

/// The medians of a case's rounds, summed up; absent for a case without any.
[[nodiscard]] std::optional<Summary> step_summary(const CaseData& data);

/// The result's facts about a case.
[[nodiscard]] CaseResult result_of(const StudyCase& which, const CaseData& data);

}  // namespace kiln
