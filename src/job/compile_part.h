#pragma once

#include <cstddef>

#include "device/target.h"
#include "job/plan.h"
#include "trial/context.h"

namespace kiln {

/// One of `parts` that processes with one cache folder share a plan's variants in.
struct JobPart {
  std::size_t part = 0, parts = 1;
};
/// Compiles the units of every `parts`-th variant into the cache, and waits. What does not compile is met
/// again by compile_job().
void compile_part(const JobPlan& plan, const JobContext& context, const Target& target, const JobPart& part);

}  // namespace kiln
