#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/word_table.h"
#include "config/job_fields.h"
#include "config/yaml_node.h"

namespace kiln {

/// The command that a job of a batch is for.
enum class BatchCommand { kRun, kStudy, kTune };
template <>
inline constexpr auto kWords<BatchCommand> = std::to_array<Word<BatchCommand>>(
    {{BatchCommand::kRun, "run"}, {BatchCommand::kStudy, "study"}, {BatchCommand::kTune, "tune"}});

/// Limits of a job; 0: no limit.
struct BatchLimits {
  double seconds = 0;
  std::uint64_t memory = 0;  ///< bytes, of each of its processes
};

/// One job of a batch.
struct BatchJob {
  std::string name;  ///< also of its folder in the batch's output
  BatchCommand command = BatchCommand::kRun;
  std::string file;
  std::vector<std::string> set;      ///< "nx=256": the batch's, then the job's own, which replace those
  std::vector<std::string> devices;  ///< empty: as the job's file says
  std::string output;                ///< folder; empty: as the job's file says
  std::vector<std::size_t> after;    ///< places in BatchSpec::jobs of jobs that must have succeeded
  BatchLimits limits;
  std::vector<std::string> launcher;  ///< a program and its arguments that start the job: srun -n 4
  SourceLocation where;
};

/// The content of a batch file, or the job files of a command line: checked for form, files not yet read.
struct BatchSpec {
  std::string file;    ///< empty: of a command line
  std::string output;  ///< folder; empty: none
  bool keep_going = false;
  std::size_t at_once = 1;     ///< jobs, whose devices are different ones
  std::vector<BatchJob> jobs;  ///< in the order of the file
};

/// Whether a document is a batch: it has `jobs`.
[[nodiscard]] bool looks_like_batch(const YamlNode& root);

/// Paths of job files are relative to the batch file's folder. Throws bad_input with file, line, column, key
/// and the nearest name; for jobs that wait for each other it names the cycle.
[[nodiscard]] BatchSpec parse_batch(const std::string& text, const std::string& name);

/// The jobs of a command line, named by their files; the `root` of each decides its command.
[[nodiscard]] BatchSpec batch_of_files(const std::vector<std::string>& files,
                                       const std::vector<BatchCommand>& commands);

}  // namespace kiln
