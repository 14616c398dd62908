#pragma once

#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "cli/progress_keeper.h"
#include "cli/world.h"
#include "record/record_file.h"
#include "tune/tuner.h"

namespace kiln {

/// The output of `kiln tune` during a search: progress on standard error, with the best so far and the time
/// that is left, as one line on a terminal and a line for each point elsewhere; each record in the output
/// folder and, as JSON, on standard output.
class TuneReporter : public TuneSink {
 public:
  /// `format`: one of `run_formats()`. `file`: where records are kept. The references outlive it.
  TuneReporter(World& world, std::string format, RecordFile file, const TuningSpace& space,
               const Objective& objective, ProgressKeeper& progress)
      : world_(world),
        format_(std::move(format)),
        file_(std::move(file)),
        space_(space),
        objective_(objective),
        progress_(progress) {}

  void record(const Record& record) override;
  void compiling(std::size_t points, const TuneProgress& progress) override;
  void measuring(const Candidate& candidate, const TuneProgress& progress) override;
  void evaluated(const TuneProgress& progress) override;

  /// Writes the records where the format is CSV or Markdown.
  void finish();
  /// For a thread that ends the process while the search hangs: keeps `last`, if there is one, and finishes.
  void end_early(const std::optional<Record>& last);
  [[nodiscard]] bool is_table() const { return format_ == "table"; }

 private:
  void keep(const Record& record);
  /// A variant by the values that differ from the default's.
  [[nodiscard]] std::string name_of(const std::string& label, const std::vector<std::string>& values) const;
  void keep_progress(const TuneProgress& progress, const std::string& message);
  [[nodiscard]] std::string best_of(const TuneProgress& progress) const;
  [[nodiscard]] std::string place(const TuneProgress& progress) const;
  [[nodiscard]] std::string best_and_rest(const TuneProgress& progress) const;

  World& world_;
  std::string format_;
  RecordFile file_;
  const TuningSpace& space_;
  const Objective& objective_;
  ProgressKeeper& progress_;
  std::mutex mutex_;  // of the records
  std::vector<Record> records_;
};

}  // namespace kiln
