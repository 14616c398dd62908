#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "batch/batch_journal.h"
#include "batch/batch_runner.h"
#include "cli/progress_keeper.h"
#include "cli/world.h"
#include "config/batch_spec.h"
#include "record/record.h"

namespace kiln {

/// Facts of a batch's jobs that are known before one of them runs; by job.
struct BatchOutlook {
  std::vector<std::size_t> variants;  ///< cases of a study
  std::vector<std::string> digests;   ///< of each job's inputs
};

/// The output of `kiln run` for a batch: the lines of each job after its name, progress over all variants,
/// each job's results as it ends, one table of all jobs at the end.
class BatchReporter : public BatchSink {
 public:
  /// `format`: one of `run_formats()`. `journal`: null where nothing is kept. All references outlive it.
  BatchReporter(World& world, const BatchSpec& batch, const BatchOutlook& outlook, std::string format,
                BatchJournal* journal, ProgressKeeper& kept);

  void job_begins(std::size_t job) override;
  void output_line(std::size_t job, std::string_view line) override;
  void error_line(std::size_t job, std::string_view line) override;
  void job_ended(std::size_t job, const JobOutcome& outcome) override;

  /// The table of all jobs, and what compares devices where there are several.
  void finish(const std::vector<JobOutcome>& outcomes);

 private:
  struct Results {
    std::vector<Record> records;
    std::string text;             ///< what the job says itself
    std::size_t from_before = 0;  ///< records of an earlier run
  };
  [[nodiscard]] bool has_records(std::size_t job) const;
  [[nodiscard]] std::size_t variants_done() const;
  [[nodiscard]] std::string progress() const;
  [[nodiscard]] std::string place(std::size_t job) const;
  /// False for a line that is no record: a kernel may print as one begins.
  bool take_record(std::size_t job, std::string_view line);
  void keep_progress(std::size_t job, const std::string& state, double seconds, const std::string& message);
  void show_results(std::size_t job);
  [[nodiscard]] TextTable summary(const std::vector<JobOutcome>& outcomes, const TextStyle& style) const;
  [[nodiscard]] std::string totals(const std::vector<JobOutcome>& outcomes, const TextStyle& style) const;
  [[nodiscard]] std::vector<Record> all_records() const;

  World& world_;
  const BatchSpec& batch_;
  const BatchOutlook& outlook_;
  std::string format_;
  BatchJournal* journal_;
  ProgressKeeper& kept_;
  std::vector<Results> results_;
  std::vector<bool> ended_;
  std::string begin_time_;
  std::int64_t begin_ns_;
};

}  // namespace kiln
