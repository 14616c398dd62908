#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "kiln/service.h"

// Jobs inside a program: what `kiln run` does with a job file.
namespace kiln {

/// The record of one variant of a job.
struct JobRecord {
  std::string label;              ///< "block_x=64"; empty where nothing is swept
  std::string device;             ///< "cuda:0"
  std::string status;             ///< "ok", "wrong", "unchecked", ...: docs/workload_format.md
  bool good = false;              ///< it ran, and no check found it wrong
  std::string message;            ///< for a variant that is not good
  std::optional<double> seconds;  ///< median of a step; absent if nothing was measured
  std::string json;               ///< the whole record (schemas/record.schema.json), one line
};

/// Progress of a job.
struct JobProgress {
  enum class Stage {
    kCompiling,  ///< code of the variants up to `index`
    kRunning,    ///< variant `index`
  };
  Stage stage = Stage::kRunning;
  std::size_t index = 0, count = 0;  ///< number of the variant, from 0, and of all variants
  std::string label;                 ///< name of the running variant
};

/// Options of run_job. The functions are called by the thread that calls run_job; with `spread: true` in the
/// job by other threads, one at a time.
struct JobOptions {
  std::vector<std::string> set;      ///< "nx=256": in place of what the job says of it
  std::vector<std::string> sweep;    ///< "block_x=64,128", likewise
  std::vector<std::string> devices;  ///< "cpu", "cuda:0": in place of the job's; empty: these
  std::string output;   ///< folder whose records.jsonl gets a line for each variant; empty: the job's
  bool resume = false;  ///< variants with a record in this folder do not run again
  std::function<void(const JobRecord&)> on_record;      ///< as soon as a variant has ended
  std::function<void(const JobProgress&)> on_progress;  ///< before each stage
  std::function<bool()> stop;  ///< called between steps; true: the job ends as soon as it can
};

struct JobResult {
  std::vector<JobRecord> records;  ///< in the order in which the variants ended
  bool finished = false;           ///< false: `stop` ended it; variants that were not run have no record
  bool good = false;  ///< finished, every record is good and, where the job requires checks, was checked
};

/// Runs a job in this process: every variant is compiled, launched, checked and measured. `job` is the path
/// of a job file or, if it contains a line break, its text. A variant that fails is a record. Throws Error
/// for mistakes in the job, also if no variant compiles or fits, and for anything that the machine lacks.
[[nodiscard]] JobResult run_job(const Service& service, const std::string& job,
                                const JobOptions& options = {});

}  // namespace kiln
