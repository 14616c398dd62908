#include "job/trial_runner.h"

#include <map>
#include <utility>

#include "job/variant_record.h"
#include "measure/timer.h"
#include "trial/trial.h"

namespace kiln {
namespace {

/// Thrown out of a measurement where JobContext::stop says so.
struct JobStopped {};

double measure_energy(Timer& timer, const Trial& trial, double step_seconds,
                      const std::function<void()>& require_go_on) {
  if (trial.most_steps() > 0)
    throw bad_input(
        "measure.energy: the steps of this workload cannot follow each other, as its inputs are made anew");
  const auto joules = timer.energy(step_seconds, require_go_on);
  if (!joules)
    throw environment_error("measure.energy: " + trial.device().info().id +
                            " does not tell what it draws; that needs an NVIDIA GPU with NVML");
  return *joules;
}

/// Samples the step. Where it has several launches, a second pass of as many steps, and of no longer than
/// `max_time`, times these.
StepTimes measure(Trial& trial, const TrialRequest& request, const JobContext& context, Record& record) {
  const TraceSpan span(context.trace, TraceKind::kMeasure);
  const MeasureSpec& spec = request.measure;
  const auto require_go_on = [&] {
    if (context.stopped()) throw JobStopped();
  };
  Timer timer(trial, trial.device(), trial.stream(), context.clock, spec.cold, context.trace);
  timer.warm_up();
  if (request.clocks) record.clocks_before = trial.device().clocks();
  Samples samples = timer.measure({.min_time = spec.min_time,
                                   .max_time = spec.max_time,
                                   .min_samples = spec.min_samples,
                                   .max_samples = spec.max_samples,
                                   .give_up_above = request.give_up_above},
                                  require_go_on);
  if (request.clocks) record.clocks_after = trial.device().clocks();
  StepTimes times;
  times.seconds = std::move(samples.seconds);
  times.steps_per_sample = timer.steps_per_sample();
  times.stop_reason = to_string(samples.reason);
  if (trial.launch_count() > 1) {
    times.launch_seconds = timer.profile(times.seconds.size(), spec.max_time, require_go_on);
    times.profiled_steps = times.launch_seconds.front().size();
  }
  if (spec.energy && samples.reason != StopReason::kGivenUp)
    times.joules = measure_energy(timer, trial, samples.summary.median, require_go_on);
  return times;
}

class LocalRunner final : public TrialRunner {
 public:
  LocalRunner(const JobContext& context, std::string job_file, bool keep_contents)
      : context_(context),
        job_file_(std::move(job_file)),
        keep_contents_(keep_contents),
        start_ns_(context.start_ns) {}

  std::optional<Record> run(const Variant& variant, const TrialRequest& request) override {
    if (variant.device != current_device_) pools_[current_device_].clear();
    current_device_ = variant.device;
    Variant own = variant;
    if (request.input_seed != 0) {
      own.configuration.add_to_seed(request.input_seed);
      own.keep.clear();
    }
    auto record = record_of(own, request);
    start_ns_ = context_.clock.steady_ns();
    return record;
  }

  bool has_lost(const std::string& device) const override { return lost_.contains(device); }

 private:
  std::optional<Record> record_of(const Variant& variant, const TrialRequest& request) {
    const RecordSource source{job_file_, request.measure.cold};
    if (const auto lost = lost_.find(variant.device); lost != lost_.end())
      return record_without_run(variant, source, context_, RunStatus::kNotRun, lost->second);
    Record record = start_record(variant, source, context_);
    TrialEnd end = TrialEnd::kNone;
    try {
      end = run_trial(variant, request, record);
    } catch (const JobStopped&) {
      return std::nullopt;
    }
    // A compiler that the same keys have stopped is no mistake of the variant's.
    if (record.status == RunStatus::kCompileFailed && context_.stopped()) return std::nullopt;
    if (end == TrialEnd::kDeviceLost) {
      lost_[variant.device] = variant.device + " is lost to this process since the fault of " +
                              (variant.label.empty() ? "the variant before" : "'" + variant.label + "'");
    }
    return record;
  }

  TrialEnd run_trial(const Variant& variant, const TrialRequest& request, Record& record) {
    const bool keep = keep_contents_ || variant.configuration.workload().refresh.has_value();
    Trial trial(variant, context_, pools_[current_device_], keep);
    TrialEnd end = prepare_trial(trial, record, context_, start_ns_);
    if (end == TrialEnd::kNone && may_be_measured(record.status) && request.measure.enabled) {
      end = run_guarded(record, context_,
                        [&] { add_times(record, trial, measure(trial, request, context_, record)); });
    }
    trial.park();
    return end;
  }

  const JobContext& context_;
  std::string job_file_;
  bool keep_contents_;
  std::int64_t start_ns_;
  std::map<std::string, BufferPool> pools_;  // by device
  std::map<std::string, std::string> lost_;  // device -> which variant's fault ended it
  std::string current_device_;
};

}  // namespace

std::unique_ptr<TrialRunner> make_local_runner(const JobContext& context, std::string job_file,
                                               bool keep_contents) {
  return std::make_unique<LocalRunner>(context, std::move(job_file), keep_contents);
}

}  // namespace kiln
