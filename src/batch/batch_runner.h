#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/process.h"
#include "base/word_table.h"
#include "config/batch_spec.h"

namespace kiln {

/// How a job of a batch ended.
enum class JobEnd {
  kDone,
  kKnown,        ///< an earlier run of the batch has done it
  kFailed,       ///< a variant failed or was wrong
  kRefused,      ///< its input
  kEnvironment,  ///< the machine lacks something
  kTimedOut,     ///< its own limit
  kKilled,       ///< by a signal, or with an exit code that Kiln does not give
  kInterrupted,
  kNotRun,
};
template <>
inline constexpr auto kWords<JobEnd> = std::to_array<Word<JobEnd>>({{JobEnd::kDone, "done"},
                                                                    {JobEnd::kKnown, "done before"},
                                                                    {JobEnd::kFailed, "failed"},
                                                                    {JobEnd::kRefused, "refused"},
                                                                    {JobEnd::kEnvironment, "environment"},
                                                                    {JobEnd::kTimedOut, "timed out"},
                                                                    {JobEnd::kKilled, "killed"},
                                                                    {JobEnd::kInterrupted, "interrupted"},
                                                                    {JobEnd::kNotRun, "not run"}});

struct JobOutcome {
  JobEnd end = JobEnd::kNotRun;
  int exit_code = 0;  ///< of its process, or the equivalent
  double seconds = 0;
  std::string message;  ///< why, where the end does not say it

  [[nodiscard]] bool succeeded() const { return end == JobEnd::kDone || end == JobEnd::kKnown; }
};

/// Notified of a batch's progress; all in one thread.
class BatchSink {
 public:
  virtual ~BatchSink() = default;
  virtual void job_begins(std::size_t job) = 0;
  virtual void output_line(std::size_t job, std::string_view line) = 0;
  virtual void error_line(std::size_t job, std::string_view line) = 0;
  virtual void job_ended(std::size_t job, const JobOutcome& outcome) = 0;
};

struct BatchTask {
  const BatchSpec& batch;
  std::vector<Command> commands;  ///< by job
  std::vector<bool> known;        ///< by job: an earlier run has finished it
  bool keep_going = false;
  BatchSink& sink;
  std::function<bool()> stop;  ///< true: ask the jobs that run to end, and start no more
  int stop_descriptor = -1;    ///< readable when `stop` may have become true
};

/// Runs every job in a process of its own, as the schedule allows, and waits for all of them. By job.
[[nodiscard]] std::vector<JobOutcome> run_batch(const BatchTask& task);

/// 0 where every job succeeded, else that of the first that did not.
[[nodiscard]] int exit_code_of(const std::vector<JobOutcome>& outcomes);

}  // namespace kiln
