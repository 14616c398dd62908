#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/world.h"
#include "job/job_runner.h"
#include "report/record_file.h"

namespace kiln {

/// What `kiln run` says while and after it runs: progress on standard error; each record in the output folder
/// and, as JSON, on standard output as soon as it is there; the other formats at the end. All are views of
/// the same records.
class RunReporter : public RecordSink {
 public:
  /// `format`: one of `run_formats()`. `output`: the folder; empty: none.
  RunReporter(World& world, std::string format, const std::string& output);

  /// Throws bad_input if the output folder cannot be written.
  void begin(const JobPlan& plan) override;
  void variant_started(std::size_t index, std::size_t count, const std::string& label) override;
  void record(const Record& record) override;

  /// Writes the view of all records so far; call once, also after a run that was cut short.
  void finish();
  [[nodiscard]] bool all_ok() const;

 private:
  void finish_table();

  World& world_;
  std::string format_;
  std::optional<RecordFile> file_;
  std::vector<std::string> excluded_;
  std::vector<Record> records_;
  std::string progress_;
};

[[nodiscard]] const std::vector<std::string>& run_formats();

}  // namespace kiln
