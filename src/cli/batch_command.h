#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "cli/world.h"
#include "config/batch_spec.h"
#include "config/shard.h"

namespace kiln {

/// Values of `kiln run`'s command line for the jobs of a batch.
struct BatchOptions {
  std::vector<std::string> set, sweep;
  std::vector<std::string> devices;
  std::string output, format;
  bool resume = false, keep_going = false, dry_run = false;
  std::optional<std::size_t> at_once;
  Shard shard;                           ///< that each job takes
  std::vector<std::string> for_runs;     ///< words for `kiln run` alone: --spread
  std::vector<std::string> for_records;  ///< for `kiln run` and `kiln study`: --require-checks
};

/// The batch that the words of the command line are: a batch file, or several files of jobs and studies.
/// Absent for a single job.
[[nodiscard]] std::optional<BatchSpec> find_batch(World& world, const std::vector<std::string>& words);

/// Whether there may be a batch among the words of a command line that is not parsed yet.
[[nodiscard]] bool has_batch(const std::vector<std::string>& words);

/// Checks all jobs, then runs each as a process of this program. An exit code.
[[nodiscard]] int run_batch_of(World& world, BatchSpec batch, const BatchOptions& options);

}  // namespace kiln
