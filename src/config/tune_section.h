#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "config/job_fields.h"
#include "config/yaml_node.h"

namespace kiln {

/// Values that a search tries for one name: a parameter, bind.<parameter> or a switch.
struct TunedName {
  std::string name;
  std::optional<std::vector<RawValue>> values;  ///< absent: `all` that the workload has
  SourceLocation where;
};

/// The objective of a search, to be minimised or maximised.
struct TuneObjective {
  enum class Kind {
    kMean,    ///< one metric; over several sizes the geometric mean
    kWorst,   ///< one metric; over several sizes the worst ratio to the first measured variant
    kPareto,  ///< of two metrics
  };
  Kind kind = Kind::kMean;
  std::vector<std::string> metrics = {"time"};  ///< `time`, or metrics of the workload
  SourceLocation where;
};

/// A search ends when its best variant is as good as this.
struct TuneTarget {
  std::string metric;  ///< empty: the objective's
  RawValue value;      ///< an expression of words that stand for the device
};

/// The first limit that is reached ends a search. Without any it ends after `kUsualEvaluations`.
struct TuneBudget {
  static constexpr std::uint64_t kUsualEvaluations = 200;
  std::optional<double> seconds;
  std::optional<std::uint64_t> evaluations;
  std::optional<double> fraction;  ///< of the points
  std::optional<TuneTarget> target;
  std::optional<std::uint64_t> stall;  ///< evaluations without a new best
};

/// Values by name that make a problem.
using TuneSize = std::vector<std::pair<std::string, RawValue>>;

/// `tune:` of a job.
struct TuneSection {
  bool given = false;            ///< the job has the section
  std::vector<TunedName> space;  ///< empty: what the workload tunes
  std::vector<RawValue> constraints;
  std::vector<TuneSize> sizes;  ///< values that are tuned together
  TuneObjective objective;
  TuneBudget budget;
  std::string searcher = "default";
  SourceLocation searcher_where;
  std::uint64_t seed = 1;
  /// Sampling ends at three samples that are slower than the best by this factor; absent: it goes on.
  std::optional<double> cut = 1.1;
};

/// Throws bad_input for what has not this form; names are checked against the workload later.
[[nodiscard]] TuneSection read_tune_section(const YamlNode& node);

/// `--space name=v1,v2`: replaces what the job says of that name.
void apply_space(TuneSection& tune, const std::string& assignment);
/// `--budget 60s` or `--budget 200`: replaces the job's budget.
void apply_budget(TuneSection& tune, const std::string& text);
/// `--objective time`: replaces the job's.
void apply_objective(TuneSection& tune, const std::string& text);

}  // namespace kiln
