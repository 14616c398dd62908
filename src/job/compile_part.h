#pragma once

#include <cstddef>
#include <functional>

#include "device/target.h"
#include "job/plan.h"
#include "service/kernel_service.h"
#include "trial/context.h"

namespace kiln {

/// One of `parts` parts of a compile: every `parts`-th variant of a plan, from variant `part` on.
struct JobPart {
  std::size_t part = 0, parts = 1;
  /// Called for each kernel's code before it is compiled, to get it from elsewhere; may be empty.
  std::function<void(const WantedCode&)> fetch = {};
};

/// Compiles the units of this part into the cache, and waits. Compile errors are not reported here:
/// compile_job() meets them again.
void compile_part(const JobPlan& plan, const JobContext& context, const Target& target, const JobPart& part);

}  // namespace kiln
