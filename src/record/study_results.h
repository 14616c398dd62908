#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "record/study_lines.h"

namespace kiln {

/// What the file of a study tells of one workload on one device (schemas/study_result.schema.json), for views
/// of it. Times are in seconds; what the file does not know is absent.
struct StudyReport : StudyHeader {
  /// A median with its interval; of costs and first results the interval is the range of what was seen.
  struct Estimate {
    double median = 0, low = 0, high = 0;
  };

  struct Case {
    std::string name, group, compiler, compiled_by, status, message;
    std::vector<std::string> constants;
    bool fast_math = false, launch_bounds = true;
    std::optional<Estimate> step, compile, load, disk;
    std::optional<std::int64_t> binary_bytes, code_bytes, instructions, registers, local_bytes, shared_bytes;
    std::optional<double> occupancy, error;
  };

  /// One case against another.
  struct Ratio {
    std::string subject, base;
    Estimate speedup;
    std::string effect;  ///< "faster", "slower", "none"
    std::optional<std::int64_t> registers_saved;
    std::string verdict;
  };

  struct BreakEven {
    std::string subject, base;
    Estimate price, saved;
    std::optional<double> launches, low, high;
    std::string verdict;
  };

  struct First {
    std::string subject, way;
    Estimate seconds;
    std::string verdict;
  };

  struct Curve {
    std::string subject, way;
    std::vector<double> seconds;  ///< after each of the launches
  };

  struct Amortisation {
    bool fast_math = false, launch_bounds = true;
    std::vector<double> launches;
    std::vector<Curve> curves;
  };

  std::string section, workload;  ///< a study of several workloads has a section for each
  std::string device_id, device_name;
  std::vector<Case> cases;
  std::vector<std::string> unread, left_out;
  std::string no_ahead;  ///< why there are no cases of the compiler that programs are built with, or empty
  std::vector<Ratio> constants, all_but, factorial, switches, compilers, controls;
  std::vector<BreakEven> break_even;
  std::vector<First> first_results;
  std::vector<Amortisation> amortisation;
  std::string header_json, result_json;  ///< the lines of the file

  /// The speed-up of a case against the generic one, of the control its own; null for a case without one.
  [[nodiscard]] const Ratio* ratio_of(const std::string& name) const;
};

}  // namespace kiln
