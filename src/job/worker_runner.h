#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/process.h"
#include "job/trial_runner.h"

namespace kiln {

/// How the processes start that run trials, and what they may print meanwhile.
struct TrialWorkers {
  ProcessRunner& processes;
  Command command;                                    ///< answers each trial_question() on its standard input
  std::function<void(const std::string&)> tell = {};  ///< gets what kernels print
};

/// Runs each variant in a process of its own, which stays for the next ones and dies alone: a wild pointer,
/// an endless loop or a kernel that calls exit() is that variant's outcome, and the next variant gets a new
/// process. One that fails in a process that others have used runs once more in a new one, so that nothing is
/// blamed for what another left behind. Code is compiled by this process, and comes to the other by the disk
/// cache. The context outlives the runner; `job_file` is for records.
[[nodiscard]] std::unique_ptr<TrialRunner> make_worker_runner(const JobContext& context, std::string job_file,
                                                              TrialWorkers workers);

}  // namespace kiln
