#pragma once

#include <string>
#include <vector>

#include "cache/explanation.h"
#include "compile/compiler.h"
#include "job/plan.h"

namespace kiln {

/// What the cache would answer to one unit of a job, on one target.
struct ExplainedUnit {
  std::string label;  ///< of the first variant that needs it
  std::string target, source;
  std::vector<std::string> entries;
  std::string key;
  std::string unknown_input;          ///< why its code is never kept; empty: it is
  std::vector<std::string> left_out;  ///< Specialization::left_out
  KeyExplanation explanation;
};

/// Every unit of every variant, each once. Asks the compiler for its version and compiles nothing.
[[nodiscard]] std::vector<ExplainedUnit> explain_job(const JobPlan& plan, const Target& target,
                                                     Compiler& compiler, FileSystem& files,
                                                     const std::vector<EntryStore>& stores);

}  // namespace kiln
