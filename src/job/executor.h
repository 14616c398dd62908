#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "job/job_runner.h"
#include "job/plan.h"
#include "job/trial_crew.h"
#include "job/trial_runner.h"
#include "kiln/error.h"
#include "trial/context.h"

namespace kiln {

/// The parts of a job that an executor uses. All outlives the executor.
struct ExecutorJob {
  const JobPlan& plan;
  const JobContext& context;
  RecordSink& sink;
  const KnownRecords& known;
  MakeTrialRunner make_runner;
  std::vector<std::optional<Error>> problems;  ///< by variant
  TrialCrew* crew = nullptr;                   ///< null: this process is alone

  [[nodiscard]] bool is_known(std::size_t index) const { return index < known.size() && known[index]; }
  [[nodiscard]] bool runs(std::size_t index) const { return !problems[index] && !is_known(index); }
};

/// Runs the variants of a plan, each once: specialise, load, check, measure; each ends with its record. Known
/// variants are only reported.
class Executor {
 public:
  virtual ~Executor() = default;
  /// Those from `begin` to `end`, whose code has been compiled. False if the job was stopped.
  [[nodiscard]] virtual bool run(std::size_t begin, std::size_t end) = 0;
  /// Processes that run variants at the same time: this one and a crew's.
  [[nodiscard]] virtual std::size_t processes() const { return 1; }
};

/// One after the other in the order of the plan; where the plan has devices to spread over, or there is a
/// crew, a thread for each device or lane, which takes the next variant when it is free. A device that is
/// lost takes no more.
[[nodiscard]] std::unique_ptr<Executor> make_executor(const ExecutorJob& job);

}  // namespace kiln
