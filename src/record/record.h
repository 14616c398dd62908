#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/statistics.h"
#include "device/device_info.h"
#include "device/target.h"
#include "record/code_origin.h"
#include "record/run_status.h"

namespace kiln {

/// A parameter's value in a variant, as text that reads back, and where it was bound.
struct BoundParameter {
  std::string name;
  std::string value;
  bool compile_time = true;
  bool quoted = false;  ///< a word (type, choice, path), not a number or bool
};

/// A file that a variant reads numbers from.
struct InputUse {
  std::string name;    ///< without its folder
  std::string sha256;  ///< of its bytes
};

/// One compiled unit of a variant.
struct UnitUse {
  std::string source;                ///< "stencil7.cu"
  std::vector<std::string> entries;  ///< name expressions
  Origin origin = Origin::kCompiled;
  std::string key;             ///< digest in the cache
  double compile_seconds = 0;  ///< spent in this run; 0 for a hit
  double load_seconds = 0;
  std::vector<std::string> options;
  std::uint64_t binary_bytes = 0;
  std::string note;  ///< such as "PTX for sm_90: this NVRTC does not know sm_120"
};

/// One launch of the step.
struct LaunchUse {
  std::string step;  ///< the name of its time in metrics
  std::string kernel;
  LaunchShape shape;
  FunctionAttributes attributes;
  /// Work-items that the device holds at a time in blocks of this shape, over those that it could hold at
  /// most (theoretical occupancy).
  std::optional<double> occupancy;
  std::optional<Summary> seconds;  ///< absent when not measured
};

/// One check of the result.
struct CheckResult {
  std::string name;
  std::string against;  ///< "expected value", "kernel laplacian_reference", "file ref_energies.out"
  bool ok = false;      ///< nothing that was compared disagrees; says nothing where `compared` is 0
  std::uint64_t compared = 0, skipped = 0, mismatches = 0;
  std::string worst_index;  ///< "[3, 17, 2]"
  double worst_value = 0, worst_expected = 0;
  double max_relative_error = 0;
  double rtol = 0, atol = 0;
  /// One sentence for a person; for a wrong result with index, both values and the tolerance.
  std::string message;
};

/// The metric that measure.energy adds: joules of a step.
inline constexpr const char* kEnergyMetric = "energy";

struct MetricValue {
  std::string name, unit;
  double value = 0;
  bool higher_is_better = true;
};

/// A buffer that was written to a file when the checks were done.
struct KeptFile {
  std::string buffer, file;
  std::vector<std::uint64_t> shape;  ///< shape of the file's array
};

/// The wisdom that gave a variant values (src/wisdom).
struct WisdomUse {
  std::string file, device, date;
  std::string sentence;            ///< how near it is, for people
  double distance = 0;             ///< of the sizes
  std::vector<std::string> stale;  ///< what has changed since: "driver"
  std::string failure;             ///< why the defaults ran in its place; empty: they did not
};

/// Everything known of one variant on one device: a line of records.jsonl (schemas/record.schema.json).
struct Record {
  std::string run_id;  ///< the same for all records of one run, also of one that was resumed
  std::string time;    ///< ISO 8601 UTC, when the variant began
  std::string kiln_version, kiln_revision;
  std::string job_file;
  std::string workload;
  std::string source_digest;  ///< SHA-256 over the workload file and its kernel texts
  std::string label;  ///< what the sweep varies: "block_x=256 bind.nx=run"; empty for a single variant
  DeviceInfo device;
  CompilerIdentity compiler;
  std::vector<BoundParameter> parameters;  ///< in the order of the workload file
  bool fast_math = false;
  bool launch_bounds = true;
  bool lineinfo = false;
  bool graph = false;  ///< steps were to run as graphs
  std::int64_t seed = 0;
  std::vector<InputUse> inputs;
  std::string cache_mode;  ///< "warm" or "cold" (the device's, in the measurement)

  RunStatus status = RunStatus::kOk;
  std::string message;
  std::string log;
  std::vector<UnitUse> units;
  std::vector<LaunchUse> launches;
  std::optional<Summary> step;       ///< seconds of a whole step
  std::size_t steps_per_sample = 1;  ///< short steps are timed in batches; samples are seconds of one step
  /// Steps of the separate pass, with an event after each launch, that measured the seconds of `launches`. 0:
  /// there was no such pass; a step's only launch then has the seconds of the step.
  std::size_t profiled_steps = 0;
  std::uint64_t waits_per_step = 0;   ///< how often a step waits for the device, to read numbers from it
  std::uint64_t graphs_per_step = 0;  ///< how many graphs a step enqueues; 0: each launch by itself
  std::uint64_t buffer_bytes = 0;     ///< memory of the buffers
  std::uint64_t unshared_buffer_bytes = 0;  ///< what it would be if temporary buffers shared none
  std::string stop_reason;                  ///< why sampling ended
  std::optional<DeviceClocks> clocks_before, clocks_after;  ///< around the samples
  std::vector<CheckResult> checks;
  std::vector<KeptFile> kept;
  std::optional<WisdomUse> wisdom;  ///< absent: none was asked for or found
  std::vector<MetricValue> metrics;
  double first_launch_seconds = 0;          ///< from the start of the variant to its first launch
  std::optional<double> launch_time_limit;  ///< seconds: the limit that ended it; absent where none did
};

/// The largest relative error that a check found; absent where none has compared anything. NaN is the
/// largest.
[[nodiscard]] std::optional<double> largest_error(const Record& record);

}  // namespace kiln
