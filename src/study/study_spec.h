#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/file.h"
#include "config/job_spec.h"

namespace kiln {

/// A value, or one for each back end with `otherwise` for the rest, as parameters' defaults in workloads.
template <class Value>
struct PerBackend {
  std::map<std::string, Value> values;  ///< "otherwise" is always there
  [[nodiscard]] const Value& of(const std::string& backend) const {
    const auto own = values.find(backend);
    return own != values.end() ? own->second : values.at("otherwise");
  }
};

/// The part of a study file for one workload, checked for form but not yet against the workload.
/// docs/study.md is its manual. Devices, measure, seed, output, isolation and require_checks are common to
/// all workloads of a file.
struct StudySpec {
  std::string file, text;
  std::string section;  ///< unique name in the file; the workload's name unless the file sets another
  std::string workload;
  SourceLocation workload_where;
  std::vector<std::string> devices = {"auto"};
  std::vector<std::pair<std::string, PerBackend<RawValue>>> set;
  std::vector<RawValue> constants;  ///< empty: all that may be bound at run time
  std::vector<std::pair<std::string, PerBackend<std::vector<RawValue>>>> instantiate;
  PerBackend<std::vector<bool>> fast_math = {{{"otherwise", {false}}}};
  PerBackend<std::vector<bool>> launch_bounds = {{{"otherwise", {true}}}};
  bool factorial = false;
  bool leave_one_out = false;
  std::size_t rounds = 20;
  std::size_t samples = 3;   ///< samples of a case in a round
  std::size_t compiles = 3;  ///< cold ones of each case, timed
  bool cold = false;         ///< flush the last-level cache before each sample
  std::uint64_t seed = 1;    ///< seed of the order of visits
  std::string output, isolation;
  bool require_checks = false;  ///< a case that no check has compared makes `kiln study` fail
};

/// An interval of a median is at 95 % from so many values on.
inline constexpr std::size_t kLeastRounds = 6;

/// The range of a number of `measure`, in a file and on the command line.
struct CountRange {
  std::int64_t least = 0, most = 0;
  [[nodiscard]] bool holds(std::int64_t count) const { return count >= least && count <= most; }
  /// "expected 6 to 10000; found 5"
  [[nodiscard]] std::string refusal(std::int64_t found) const;
};
inline constexpr CountRange kRounds{kLeastRounds, 10'000};
inline constexpr CountRange kSamples{1, 10'000};
inline constexpr CountRange kCompiles{1, 100};

/// Whether a document has a key that studies have and jobs have not.
[[nodiscard]] bool looks_like_study(const YamlNode& root);

/// The sections of a study, one for each workload, at least one. Throws bad_input with file, line, column,
/// key and the nearest known key.
[[nodiscard]] std::vector<StudySpec> parse_study(const std::string& text, const std::string& name);
[[nodiscard]] std::vector<StudySpec> load_study(FileSystem& files, const std::string& path);

/// `--set k=v`: replaces what the file sets for `k`, on every back end.
void apply_set(StudySpec& study, const std::string& assignment);

}  // namespace kiln
