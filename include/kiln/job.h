#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "kiln/service.h"

// Jobs inside a program: what `kiln run` does with a job file.
namespace kiln {

/// One variant of a job, as it was recorded.
struct JobRecord {
  std::string label;              ///< "block_x=64"; empty where nothing is swept
  std::string device;             ///< "cuda:0"
  std::string status;             ///< "ok", "wrong", "unchecked", ...: docs/workload_format.md
  bool good = false;              ///< it ran, and no check found it wrong
  std::string message;            ///< of a variant that is not
  std::optional<double> seconds;  ///< median of a step; absent where nothing was measured
  std::string json;               ///< the whole record (schemas/record.schema.json), one line
};

/// Where a job is.
struct JobProgress {
  enum class Stage {
    kCompiling,  ///< code of the variants up to `index`
    kRunning,    ///< variant `index`
  };
  Stage stage = Stage::kRunning;
  std::size_t index = 0, count = 0;  ///< of variants, from 0
  std::string label;                 ///< of the variant that runs
};

/// How run_job goes about it. The functions are called by the thread that calls run_job; with `spread: true`
/// in the job by others, one at a time.
struct JobOptions {
  std::vector<std::string> set;      ///< "nx=256": in place of what the job says of it
  std::vector<std::string> sweep;    ///< "block_x=64,128", likewise
  std::vector<std::string> devices;  ///< "cpu", "cuda:0": in place of the job's; empty: these
  std::string output;   ///< folder whose records.jsonl gets a line for each variant; empty: as the job says
  bool resume = false;  ///< variants that this folder has a record of do not run again
  std::function<void(const JobRecord&)> on_record;      ///< as soon as a variant has ended
  std::function<void(const JobProgress&)> on_progress;  ///< before each stage
  std::function<bool()> stop;  ///< asked between steps; true: the job ends as soon as it can
};

struct JobResult {
  std::vector<JobRecord> records;  ///< in the order in which the variants ended
  bool finished = false;           ///< false: `stop` ended it; variants that were not run have no record
  bool good = false;  ///< finished, every record is good and, where the job requires checks, was checked
};

/// Runs a job in this process: every variant is compiled, launched, checked and measured. `job` is the path
/// of a job file or, where it has a line break, its text. A variant that fails is a record. Throws Error for
/// what is wrong with the job, also where no variant compiles or fits, and for what the machine lacks.
[[nodiscard]] JobResult run_job(const Service& service, const std::string& job,
                                const JobOptions& options = {});

}  // namespace kiln
