#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "base/file.h"
#include "base/log.h"
#include "batch/batch_runner.h"
#include "record/json_lines.h"

namespace kiln {

/// The line with which each run of a batch begins.
struct BatchBegin {
  std::string time, kiln_version, kiln_revision, file;
};

/// The line of a job that has ended.
struct BatchJobLine {
  std::string name;
  std::string digest;  ///< digest of the job's inputs
  std::string time;
  JobEnd end = JobEnd::kNotRun;
  int exit_code = 0;
  double seconds = 0;
  std::string message;
};

/// `<output>/batch.jsonl`, of a shard `batch<ending>.jsonl`: which jobs of a batch ended when and how, one
/// JSON object a line.
class BatchJournal {
 public:
  BatchJournal(FileSystem& files, const std::filesystem::path& folder, const std::string& ending = "");

  /// Throws bad_input where a file of that name holds something else, or cannot be written.
  void begin(const BatchBegin& line);
  void append(const BatchJobLine& line);
  /// How each job has ended last, by its name. A line that a crash cut off is a warning.
  [[nodiscard]] std::map<std::string, BatchJobLine> read(Log& log) const;
  [[nodiscard]] const std::filesystem::path& path() const { return file_.path(); }

 private:
  FileSystem& files_;
  JsonLinesFile file_;
};

}  // namespace kiln
