#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/file.h"

// The state of a command that is at work, for `kiln watch`.
namespace kiln {

/// A job of a batch.
struct ProgressJob {
  std::string name, command, output;
  std::string state;        ///< "waiting", "running", else how it ended, as in batch.jsonl
  std::uint64_t total = 0;  ///< its variants, or the cases of a study
  double seconds = 0;       ///< its time; 0 until it has ended
};

/// The state of a run, a study, a search or a batch. Counts are of `unit`.
struct Progress {
  std::string command;                 ///< "kiln run job.yaml"
  std::string unit;                    ///< "variants", "cases", "points"
  std::string stage;                   ///< of a study: "round 3 of 20"
  std::int64_t begin_ns = 0;           ///< since 1970-01-01 UTC; of a study, of the stage that is counted
  std::int64_t updated_ns = 0;         ///< when the file was written
  std::optional<std::uint64_t> total;  ///< absent if only time limits a search
  std::uint64_t done = 0;              ///< with the failed and the known ones
  std::uint64_t failed = 0;            ///< those without a right result
  std::uint64_t known = 0;             ///< those that an earlier run has measured
  std::optional<double> seconds_left;  ///< of a search's budget
  std::string best;                    ///< "block=64 (7.83 ms)"; empty: none yet
  std::vector<std::string> messages;   ///< the last ones, the newest last
  std::optional<int> exit_code;        ///< absent until the command has ended
  std::vector<ProgressJob> jobs;       ///< of a batch; the jobs' own files have the counts
};

/// `<folder>/<name><ending>.json`, replaced as a whole by each write, so that a reader finds a complete
/// state.
class ProgressFile {
 public:
  static constexpr const char* kOfJob = ".progress";
  static constexpr const char* kOfBatch = ".progress-batch";

  ProgressFile(FileSystem& files, std::filesystem::path folder, std::string name);

  /// Throws std::filesystem::filesystem_error if the disk refuses.
  void write(const Progress& progress);
  /// Absent if there is no such file. Throws bad_input for a file with another content.
  [[nodiscard]] std::optional<Progress> read() const;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  FileSystem& files_;
  std::filesystem::path path_;
};

}  // namespace kiln
