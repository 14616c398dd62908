#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "job/record.h"
#include "study/cases.h"

namespace kiln {

/// What the step's code of a case costs before it can run; lists hold one value for each cold compile.
struct CaseCosts {
  std::vector<double> compile_seconds;  ///< with nothing in any cache
  std::vector<double> load_seconds;     ///< by the driver, after a compile
  std::vector<double> disk_seconds;     ///< from the key to loaded code, out of the disk cache
  std::uint64_t binary_bytes = 0;
  std::vector<std::string> keys;  ///< of its units: the same keys are the same machine code
};

/// The samples that one round took of a case, in seconds of one step.
struct Visit {
  std::vector<double> seconds;
  std::vector<double> launches;  ///< median of each launch of the step

  /// The value of this round: its samples stand too close together to count as many.
  [[nodiscard]] double median() const;
};

/// Everything known of a case on a device.
struct CaseData {
  std::optional<CaseCosts> costs;       ///< absent: not compiled yet, or it does not compile
  Record record;                        ///< as a job's, with times once the rounds are done
  std::map<std::size_t, Visit> visits;  ///< by round, from 1
};

/// By name of the case.
using DeviceData = std::map<std::string, CaseData>;

/// What the largest kernel of a step uses; absent where the back end does not tell.
struct Resources {
  std::optional<std::int64_t> registers, local_bytes, shared_bytes;
  std::optional<double> occupancy;  ///< the least
};
[[nodiscard]] Resources resources_of(const Record& record);

/// The largest relative error that a check found; absent without checks.
[[nodiscard]] std::optional<double> worst_error(const Record& record);

}  // namespace kiln
