#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "job/plan.h"
#include "measure/timer.h"
#include "record/record.h"
#include "trial/context.h"
#include "trial/trial.h"

// Records of variants are filled here from what trials and timers report, and nowhere else.
namespace kiln {

/// The origin of a variant, for its record.
struct RecordSource {
  std::string file;   ///< file of the job or study
  bool cold = false;  ///< the caches of the measurement
};
[[nodiscard]] RecordSource source_of(const JobSpec& job);

/// The record of a variant before anything is specialised.
[[nodiscard]] Record start_record(const Variant& variant, const RecordSource& source,
                                  const JobContext& context);
/// The record of a variant that does not run, with the reason.
[[nodiscard]] Record record_without_run(const Variant& variant, const RecordSource& source,
                                        const JobContext& context, RunStatus status,
                                        const std::string& message);
/// The part of a record that is known before the variant runs, and that identifies it: device, compiler,
/// values and where they are bound, digest of the sources.
[[nodiscard]] Record describe_variant(const Variant& variant, const RecordSource& source,
                                      const JobContext& context);

/// How stages of a trial went.
enum class TrialEnd {
  kNone,        ///< to their end
  kVariant,     ///< the variant ended: its record says why
  kDeviceLost,  ///< so did its device: nothing more runs on it in this process
};
/// Runs `stages`. A kernel that does not fit and a fault go into the record; an Error leaves by exception.
TrialEnd run_guarded(Record& record, const JobContext& context, const std::function<void()>& stages);

/// Takes a trial through all stages up to its checks, and fills its record, which `start_record` has begun,
/// on the way. What ends the variant is in the record's status. `start_ns`: the steady time from which
/// `first_launch_seconds` counts.
TrialEnd prepare_trial(Trial& trial, Record& record, const JobContext& context, std::int64_t start_ns);

/// Times of the step and of its launches, and the metrics that follow from them.
void add_times(Record& record, const Trial& trial, const StepTimes& times);

}  // namespace kiln
