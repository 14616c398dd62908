#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>

#include "config/job_spec.h"
#include "record/record.h"
#include "trial/context.h"
#include "trial/variant.h"

namespace kiln {

/// How one variant is to be run.
struct TrialRequest {
  MeasureSpec measure = {};
  /// Seconds of a step: sampling ends after three samples if none was as fast, or sooner
  /// (SamplerOptions::give_up_above); `stop_reason` is then given_up.
  double give_up_above = std::numeric_limits<double>::infinity();
  /// Added to the seed of random inputs, to check a variant on other data; what it is to keep is kept for 0
  /// only.
  std::uint64_t input_seed = 0;
  /// Whether the device's clocks are read before and after, which takes some milliseconds.
  bool clocks = true;
};

/// Runs variants one after the other: code, inputs, checks, samples. For one thread at a time.
class TrialRunner {
 public:
  virtual ~TrialRunner() = default;
  /// The variant's record, whatever became of it; empty where the job was stopped meanwhile. Only what is no
  /// variant's doing (bad input, environment) is thrown.
  [[nodiscard]] virtual std::optional<Record> run(const Variant& variant, const TrialRequest& request) = 0;
  /// Whether nothing more runs on the device: records of its variants say "not run" from now on.
  [[nodiscard]] virtual bool has_lost(const std::string& device) const = 0;
};

/// Makes runners that each run variants of one job in a context. The context outlives the runner.
using MakeTrialRunner = std::function<std::unique_ptr<TrialRunner>(const JobContext& context)>;

/// Runs variants in this process. `job_file` is for records; `keep_contents`: inputs and references are kept
/// for the variants that come later.
[[nodiscard]] std::unique_ptr<TrialRunner> make_local_runner(const JobContext& context, std::string job_file,
                                                             bool keep_contents);

}  // namespace kiln
