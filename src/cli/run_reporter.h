#pragma once

#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "cli/progress_keeper.h"
#include "cli/world.h"
#include "job/job_runner.h"
#include "record/record_file.h"
#include "report/running_mark.h"
#include "service/statistics_file.h"

namespace kiln {

/// The output of `kiln run`: progress on standard error, with the best so far and the time that is left, as
/// one line on a terminal and a line for each variant elsewhere; each record in the output folder and, as
/// JSON, on standard output as soon as it is complete; the other formats at the end. All are views of the
/// same records.
class RunReporter : public RecordSink {
 public:
  /// `format`: one of `run_formats()`. `file`: where records are kept, if anywhere. `progress` outlives it.
  RunReporter(World& world, std::string format, std::optional<RecordFile> file, ProgressKeeper& progress);

  /// Throws bad_input if the output folder cannot be written.
  void begin(const JobPlan& plan) override;
  void compiling(std::size_t last, std::size_t count) override;
  void known(const Record& record) override;
  void variant_started(std::size_t index, std::size_t count, const std::string& label) override;
  void record(const Record& record) override;

  /// Adds the counts of other processes for this run's code.
  void add_counters(const ServiceCounters& counters) { elsewhere_.counters = counters; }
  /// Writes the view of all records so far; call once, also after a run that was cut short.
  void finish();
  /// For a thread that ends the process while the job hangs: adds `last`, if there is one, and finishes. What
  /// others still tell this reporter is lost.
  void end_early(const std::optional<Record>& last);
  /// How many variants have a record, from this run or an earlier one.
  [[nodiscard]] std::size_t count() const { return records_.size(); }
  [[nodiscard]] std::vector<const Record*> records() const;

 private:
  void finish_table();
  void take(const Record& record);
  void keep(const Record& record);
  void keep_progress(const std::string& message);
  [[nodiscard]] std::string time_left() const;
  [[nodiscard]] TextStyle plain_style() const;

  World& world_;
  std::string format_;
  std::optional<RecordFile> file_;
  ProgressKeeper& progress_;
  std::mutex mutex_;  // of the records
  std::vector<std::string> excluded_;
  std::vector<Record> records_;
  StoredStatistics elsewhere_;
  std::size_t count_ = 0;     // of variants
  std::size_t measured_ = 0;  // now, not in an earlier run
  std::int64_t begin_ns_ = 0;
};

[[nodiscard]] const std::vector<std::string>& run_formats();

}  // namespace kiln
