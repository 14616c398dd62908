#pragma once

#include <CLI/App.hpp>

#include "cli/world.h"
#include "config/job_spec.h"
#include "job/trial_runner.h"

namespace kiln {

/// `--serve-trials`, which no help shows: the command reads its job and then answers questions
/// (job/trial_question.h) on standard input, in place of running it.
void add_serve_option(CLI::App& command, bool& serves);

/// Answers until standard input ends. A variant that ends the process, or a launch that exceeds
/// `launch_time_limit`, is answered first, where that is possible.
int serve_trials(World& world, const JobSpec& job);

/// Whether variants of the job run in processes of their own; `usually`: where `isolation` is auto.
[[nodiscard]] bool isolates_trials(World& world, const JobSpec& job, bool usually);

/// Runners of such variants: this program, with the same command line and `--serve-trials`. `processes`, the
/// job and the world outlive them. `launch_limit`: `launch_time_limit` if it is not set; empty: the usual
/// limit.
[[nodiscard]] MakeTrialRunner isolated_runners(World& world, const JobSpec& job, ProcessRunner& processes,
                                               const std::string& launch_limit = "");

}  // namespace kiln
