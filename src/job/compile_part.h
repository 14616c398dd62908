#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "device/target.h"
#include "job/plan.h"
#include "service/kernel_service.h"
#include "specialize/unit.h"
#include "trial/context.h"

namespace kiln {

/// One of `parts` parts of a compile: every `parts`-th variant of a plan, from variant `part` on.
struct JobPart {
  std::size_t part = 0, parts = 1;
  /// Called for each kernel's code before it is compiled, to get it from elsewhere; may be empty.
  std::function<void(const WantedCode&)> fetch = {};
};

/// The units of a plan's variants on a target that no device is needed for. A variant is specialised once,
/// when a part with it is first asked for. `context` outlives it.
class PlanUnits {
 public:
  PlanUnits(JobPlan plan, const JobContext& context, const Target& target);
  /// By variant; variants of other parts may have none.
  [[nodiscard]] const std::vector<std::vector<Unit>>& of(const JobPart& part);
  [[nodiscard]] const JobPlan& plan() const { return plan_; }
  [[nodiscard]] const Target& target() const { return target_; }

 private:
  JobPlan plan_;
  const JobContext& context_;
  Target target_;
  std::vector<std::vector<Unit>> units_;
  std::vector<bool> specialised_;  // by variant
};

/// Compiles the units of this part into the cache, and waits. Compile errors are not reported here:
/// compile_job() meets them again.
void compile_part(PlanUnits& units, const JobContext& context, const JobPart& part);

}  // namespace kiln
