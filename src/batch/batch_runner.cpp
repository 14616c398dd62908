#include "batch/batch_runner.h"

#include <csignal>
#include <map>
#include <memory>
#include <utility>
#include <variant>

#include "base/exit_code.h"
#include "base/text.h"
#include "batch/job_process.h"
#include "batch/schedule.h"

namespace kiln {
namespace {

constexpr int kOfSignals = 128;

bool is_interrupt(int exit_code) {
  return exit_code == kOfSignals + SIGINT || exit_code == kOfSignals + SIGTERM ||
         exit_code == kOfSignals + SIGHUP;
}

JobOutcome outcome_of(const ProcessResult& result, bool stopped, double limit) {
  JobOutcome outcome{JobEnd::kDone, result.signal != 0 ? kOfSignals + result.signal : result.exit_code,
                     result.seconds, ""};
  if (result.timed_out && outcome.exit_code != kExitDone) {
    outcome.end = JobEnd::kTimedOut;
    outcome.exit_code = kExitFailed;
    outcome.message = "its limit is " + format_seconds(limit);
  } else if ((stopped && outcome.exit_code != kExitDone) ||  // whatever its launcher makes of the signal
             (result.signal == 0 && is_interrupt(outcome.exit_code))) {
    outcome.end = JobEnd::kInterrupted;
  } else if (result.signal != 0) {
    outcome.end = JobEnd::kKilled;
    outcome.message = signal_text(result.signal);
  } else if (outcome.exit_code == kExitFailed) {
    outcome.end = JobEnd::kFailed;
  } else if (outcome.exit_code == kExitBadInput) {
    outcome.end = JobEnd::kRefused;
  } else if (outcome.exit_code == kExitEnvironment) {
    outcome.end = JobEnd::kEnvironment;
  } else if (outcome.exit_code != kExitDone) {
    outcome.end = JobEnd::kKilled;
    outcome.message = "exit code " + std::to_string(outcome.exit_code);
  }
  return outcome;
}

class Batch {
 public:
  explicit Batch(const BatchTask& task)
      : task_(task), schedule_(task.batch, task.keep_going), outcomes_(task.batch.jobs.size()) {}

  std::vector<JobOutcome> run() {
    for (;;) {
      look_for_stop();
      while (const auto job = schedule_.next()) start(*job);
      if (running_.empty()) break;
      wait();
      step();
    }
    for (std::size_t i = 0; i < outcomes_.size(); ++i) {
      if (!schedule_.skipped(i).empty())
        outcomes_[i] = {JobEnd::kNotRun, kExitFailed, 0, schedule_.skipped(i)};
    }
    return std::move(outcomes_);
  }

 private:
  void look_for_stop() {
    if (stopped_ || !task_.stop()) return;
    stopped_ = true;
    schedule_.stop("the batch was interrupted");
    for (auto& [job, process] : running_) process->terminate();
  }

  void start(std::size_t job) {
    schedule_.start(job);
    if (task_.known[job]) return end(job, {JobEnd::kKnown, kExitDone, 0, ""});
    task_.sink.job_begins(job);
    auto process = JobProcess::start(
        task_.commands[job], [this, job](std::string_view line) { task_.sink.output_line(job, line); },
        [this, job](std::string_view line) { task_.sink.error_line(job, line); });
    if (const auto* why = std::get_if<std::string>(&process))
      return end(job, {JobEnd::kEnvironment, kExitEnvironment, 0, *why});
    running_.emplace(job, std::get<std::unique_ptr<JobProcess>>(std::move(process)));
  }

  void wait() const {
    std::vector<pollfd> events;
    int timeout = -1;
    if (!stopped_ && task_.stop_descriptor >= 0) events.push_back({task_.stop_descriptor, POLLIN, 0});
    for (const auto& [job, process] : running_) process->add_events(events, timeout);
    ::poll(events.data(), events.size(), timeout);
  }

  void step() {
    for (auto one = running_.begin(); one != running_.end();) {
      if (!one->second->step()) {
        ++one;
        continue;
      }
      const std::size_t job = one->first;
      const JobOutcome outcome =
          outcome_of(one->second->result(), stopped_, task_.batch.jobs[job].limits.seconds);
      one = running_.erase(one);
      end(job, outcome);
    }
  }

  void end(std::size_t job, const JobOutcome& outcome) {
    outcomes_[job] = outcome;
    schedule_.end(job, outcome.succeeded());
    task_.sink.job_ended(job, outcome);
  }

  const BatchTask& task_;
  Schedule schedule_;
  std::vector<JobOutcome> outcomes_;
  std::map<std::size_t, std::unique_ptr<JobProcess>> running_;
  bool stopped_ = false;
};

}  // namespace

std::vector<JobOutcome> run_batch(const BatchTask& task) {
  return Batch(task).run();
}

int exit_code_of(const std::vector<JobOutcome>& outcomes) {
  for (const JobOutcome& outcome : outcomes) {
    if (!outcome.succeeded()) return outcome.exit_code;
  }
  return kExitDone;
}

}  // namespace kiln
