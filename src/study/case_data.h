#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/statistics.h"
#include "compile/machine_code.h"
#include "record/record.h"
#include "study/cases.h"

namespace kiln {

/// How a program comes by the code of its first step.
enum class FirstWay {
  kAhead,           ///< compiled before and part of the program: loaded
  kCold,            ///< compiled now: nothing is in any cache
  kDisk,            ///< found in the cache on disk
  kBackground,      ///< as kCold, but generic code runs until a thread has the case's own
  kBackgroundDisk,  ///< the same, with the generic code found on disk
};
[[nodiscard]] const char* to_string(FirstWay way);
[[nodiscard]] std::optional<FirstWay> parse_first_way(const std::string& text);

/// Seconds from the wish for a kernel, its inputs in place, to the end of the first step; one value for each
/// time that it was measured.
struct FirstTimes {
  std::vector<double> seconds;
  std::vector<double> swap_seconds;  ///< to the case's own code, of the ways in the background
};

/// What the step's code of a case costs before it can run; lists hold one value for each cold compile.
struct CaseCosts {
  std::vector<double> compile_seconds;  ///< with nothing in any cache
  std::vector<double> load_seconds;     ///< by the driver, after a compile
  std::vector<double> disk_seconds;     ///< from the key to loaded code, out of the disk cache
  std::uint64_t binary_bytes = 0;
  std::vector<std::string> keys;          ///< of its units: the same keys are the same machine code
  std::map<FirstWay, FirstTimes> first;   ///< the ways that were measured
  std::vector<MachineCode> machine_code;  ///< of the step's kernels; empty where nothing tells

  /// Of all kernels of a step together; absent where it is not known of each.
  [[nodiscard]] std::optional<std::uint64_t> code_bytes() const;
  [[nodiscard]] std::optional<std::uint64_t> instructions() const;
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

  /// It ran, no check disagreed, and it was sampled.
  [[nodiscard]] bool measured() const;
};

/// By name of the case.
using DeviceData = std::map<std::string, CaseData>;

/// What the largest kernel of a step uses; absent where the back end does not tell.
struct Resources {
  std::optional<std::int64_t> registers, local_bytes, shared_bytes;
  std::optional<double> occupancy;  ///< the least
};
[[nodiscard]] Resources resources_of(const Record& record);

/// The medians of a case's rounds, summed up; absent for a case without any.
[[nodiscard]] std::optional<Summary> step_summary(const CaseData& data);

/// The largest relative error that a check found; absent where none has compared anything.
[[nodiscard]] std::optional<double> worst_error(const Record& record);

}  // namespace kiln
