#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "job/trial_runner.h"
#include "trial/variant.h"

namespace kiln {

/// A place where variants run one after the other.
struct TrialLane {
  std::unique_ptr<TrialRunner> runner;
  std::string name;  ///< for people: "rank 3 (node7, cuda:1)", "cuda:1"
  /// A second lane to the same place: what it is given lies ready there while another variant runs.
  bool ahead = false;
};

/// Further places where a job's variants run, on devices like this process's. A variant's device is this
/// process's; the record says on which device it ran.
class TrialLanes {
 public:
  virtual ~TrialLanes() = default;
  /// For one thread each. This object and the context outlive them.
  [[nodiscard]] virtual std::vector<TrialLane> lanes(const JobContext& context) = 0;
};

/// Other processes that run a job's variants beside this one (src/ranks).
class TrialCrew : public TrialLanes {
 public:
  /// Compiles the variants' code into the cache folder that all share: a part here, the others elsewhere.
  /// Waits until it is there or the job is stopped; a failure occurs again for the lane that runs the
  /// variant.
  virtual void compile(const std::vector<const Variant*>& variants, const JobContext& context) = 0;
};

}  // namespace kiln
