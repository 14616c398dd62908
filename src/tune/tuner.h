#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/statistics.h"
#include "config/job_spec.h"
#include "config/shard.h"
#include "job/trial_crew.h"
#include "job/trial_runner.h"
#include "trial/context.h"
#include "tune/candidate_queue.h"
#include "tune/evaluation.h"
#include "tune/objective.h"
#include "tune/tune_journal.h"
#include "tune/tune_limits.h"
#include "tune/tuning_space.h"

namespace kiln {

/// Notified of a search's progress.
class TuneSink {
 public:
  virtual ~TuneSink() = default;
  /// Called for each variant that ran or could not run, before anything else is done.
  virtual void record(const Record& record) = 0;
  /// The device waits for code: so many points are being compiled. Called often.
  virtual void compiling(std::size_t points, const TuneProgress& progress) = 0;
  /// A point is about to be measured.
  virtual void measuring(const Candidate& candidate, const TuneProgress& progress) = 0;
  virtual void evaluated(const TuneProgress& progress) = 0;
};

/// One of the best, or what these are compared with, measured again beside the others.
struct Finalist {
  std::size_t evaluation = 0;  ///< of TuneResult::evaluations
  Interval value;              ///< objective over the rounds; median, least and most
  int differences = 0;         ///< constants in its code that differ from the default's
};

struct TuneResult {
  std::vector<Evaluation> evaluations;  ///< evaluations of variants, each once, in the order of their ends
  std::optional<std::size_t> default_variant, paper_variant, best;
  std::vector<Finalist> finalists;  ///< the winner first
  std::vector<std::size_t> front;   ///< for two objectives: variants that no other one dominates
  std::uint64_t asked = 0;          ///< points of the space
  std::uint64_t known = 0;          ///< number of `evaluations` from an earlier run
  std::string end;                  ///< why it ended
  bool stopped = false;             ///< the search was stopped
  double seconds = 0, compile_seconds = 0, device_seconds = 0, wait_seconds = 0;
};

/// The environment of a search; all of it outlives the search.
struct TuneTask {
  const JobSpec& job;
  const Workload& workload;
  const TuningSpace& space;
  const JobContext& context;
  std::string device;
  TrialRunner& runner;
  TuneSink& sink;
  TuneJournal* journal = nullptr;  ///< null: none is kept
  /// Records of variants that ended the process of an earlier search. A variant that did so twice is not run
  /// again; once may have been a person's kill. A variant that exceeded `launch_time_limit` is not run again
  /// either.
  std::vector<Record> ended = {};
  std::vector<std::uint64_t> first = {};  ///< points to begin with, such as wisdom's
  Shard shard = {};                       ///< part of the exhaustive order
  /// Other devices or processes that measure, too; null: there are none. Points of a search are then measured
  /// at the same time; the first ones and the last comparison run in `runner` alone.
  TrialLanes* others = nullptr;
};

/// Searches for the best variant: asks the job's searcher, compiles ahead of the device, measures, reports
/// outcomes, until the budget is used up; then measures the best again beside each other. `known`:
/// evaluations of an earlier run (tune/resume.h), which are not measured again.
[[nodiscard]] TuneResult tune(const TuneTask& task, const std::vector<Evaluation>& known = {});

/// The header that a search writes to its journal.
[[nodiscard]] JournalHeader journal_header(const TuneTask& task);

/// The evaluations in a journal that hold for this search: of the same device, of points of its space and of
/// its sizes, whose code is what it would be now. Throws bad_input for a journal of another workload or
/// device.
[[nodiscard]] std::vector<Evaluation> known_evaluations(const std::vector<JournalEvent>& events,
                                                        const TuneTask& task);

}  // namespace kiln
