#include "job/job_runner.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "base/checked_size.h"
#include "base/text.h"
#include "job/compile_variants.h"
#include "job/variant_record.h"
#include "launch/argument_values.h"
#include "launch/shape_check.h"
#include "trial/init_values.h"

namespace kiln {
namespace {

/// What is wrong with the memory that a variant needs.
std::optional<Error> find_memory_problem(const TrialNeeds& needs, Device& device) {
  const Configuration& configuration = needs.configuration();
  CheckedSize sum(0);
  const BufferSpec* largest = nullptr;
  std::uint64_t largest_bytes = 0;
  for (const std::string& name : needs.buffers()) {
    const BufferLayout layout = layout_of(configuration, *configuration.workload().find_buffer(name));
    require_start_fits(configuration, layout);
    sum = sum + layout.bytes;
    if (layout.bytes > largest_bytes) {
      largest = layout.spec;
      largest_bytes = layout.bytes;
    }
  }
  const std::uint64_t bytes = sum.value().value_or(std::numeric_limits<std::uint64_t>::max());
  // A GPU is asked once it has started, and need not be while much less than it has is wanted.
  constexpr std::uint64_t kSmall = 16;
  const std::uint64_t available =
      bytes < device.info().memory_bytes / kSmall ? bytes : device.free_memory_bytes();
  if (bytes <= available) return std::nullopt;
  return bad_input("the buffers need " + format_bytes(bytes) + " ('" + largest->name + "' alone " +
                       format_bytes(largest_bytes) + "); " + device.info().id + " has " +
                       format_bytes(available) + " free",
                   largest->where);
}

/// What is wrong with the shape of a launch or with its tensor maps.
std::optional<Error> find_launch_problem(const TrialNeeds& needs, const DeviceInfo& device) {
  for (const auto& [launch, kernel, configuration] : needs.launches()) {
    if (!shape_changes(configuration->workload(), *kernel)) {
      if (const auto problem = check_shape(shape_of(*configuration, *kernel), device, {}, kernel->name))
        return bad_input(*problem + " (" + explain_shape(*configuration, *kernel) + ")", kernel->where);
    }
    for (const ArgumentSpec& argument : kernel->args) {
      if (argument.kind == ArgumentSpec::Kind::kTensorMap)
        static_cast<void>(tensor_map_layout(*configuration, argument));
    }
  }
  return std::nullopt;
}

/// What keeps a variant from running and can be told before anything is compiled.
std::optional<Error> find_problem(const Variant& variant, Device& device) {
  try {
    const TrialNeeds needs(variant.configuration);
    auto problem = find_memory_problem(needs, device);
    return problem ? problem : find_launch_problem(needs, device.info());
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kBadInput) throw;
    return error;
  }
}

/// Compiles for the variants from `begin` on that are to run.
std::unique_ptr<CompileAhead> compile_from(std::size_t begin, const JobPlan& plan, const JobContext& context,
                                           const std::vector<bool>& runs, RecordSink& sink) {
  std::vector<VariantToCompile> next;
  const std::size_t end = std::min(plan.variants.size(), begin + kVariantsAhead);
  for (std::size_t i = begin; i < end; ++i) {
    if (runs[i]) next.push_back({plan.variants[i], context});
  }
  std::vector<WantedCode> wanted = code_of(next);
  if (!wanted.empty()) sink.compiling(end, plan.variants.size());
  return compile_and_wait(std::move(wanted), context);
}

void describe(const Variant& variant, TraceSpan& span) {
  span.add("workload", variant.configuration.workload().name);
  span.add("device", variant.device);
  for (const auto& [name, value] : variant.configuration.values()) span.add("p." + name, value.to_string());
}

}  // namespace

std::vector<std::optional<Error>> find_problems(const std::vector<Variant>& variants,
                                                const JobContext& context) {
  std::vector<std::optional<Error>> problems;
  for (const Variant& variant : variants)
    problems.push_back(find_problem(variant, *context.devices.open(variant.device)));
  const bool all =
      std::all_of(problems.begin(), problems.end(), [](const auto& problem) { return problem.has_value(); });
  if (all && !problems.empty()) throw Error(*problems.front());
  return problems;
}

namespace {

/// Thrown out of a measurement where JobContext::stop says so.
struct JobStopped {};

/// Samples the step. Where it has several launches, a second pass of as many steps, and of no longer than
/// `max_time`, times these.
StepTimes measure(Trial& trial, const MeasureSpec& spec, const JobContext& context, Record& record) {
  const TraceSpan span(context.trace, TraceKind::kMeasure);
  const auto require_go_on = [&] {
    if (context.stopped()) throw JobStopped();
  };
  Timer timer(trial, trial.device(), trial.stream(), context.clock, spec.cold, context.trace);
  timer.warm_up();
  record.clocks_before = trial.device().clocks();
  Samples samples = timer.measure({.min_time = spec.min_time,
                                   .max_time = spec.max_time,
                                   .min_samples = spec.min_samples,
                                   .max_samples = spec.max_samples},
                                  require_go_on);
  record.clocks_after = trial.device().clocks();
  StepTimes times;
  times.seconds = std::move(samples.seconds);
  times.steps_per_sample = timer.steps_per_sample();
  times.stop_reason = to_string(samples.reason);
  if (trial.launch_count() > 1) {
    times.launch_seconds = timer.profile(times.seconds.size(), spec.max_time, require_go_on);
    times.profiled_steps = times.launch_seconds.front().size();
  }
  return times;
}

/// One after the other on their devices.
class VariantSequence {
 public:
  VariantSequence(const JobPlan& plan, const JobContext& context, RecordSink& sink)
      : plan_(plan), context_(context), sink_(sink), start_ns_(context.start_ns) {
    // Held for the whole job: a device that is opened again for each variant would start its threads anew.
    for (const Variant& variant : plan.variants)
      devices_.try_emplace(variant.device, context.devices.open(variant.device));
  }

  /// False if it was stopped.
  [[nodiscard]] bool run(std::size_t index, const std::optional<Error>& problem) {
    const Variant& variant = plan_.variants[index];
    if (variant.device != current_device_) pools_[current_device_].clear();
    current_device_ = variant.device;
    sink_.variant_started(index, plan_.variants.size(), variant.label);
    TraceSpan span(context_.trace, TraceKind::kVariant, variant.label);
    if (span) describe(variant, span);
    const auto record = record_of(variant, problem);
    span.add("status", record ? to_string(record->status) : "stopped");
    if (!record) return false;
    sink_.record(*record);
    start_ns_ = context_.clock.steady_ns();
    return true;
  }

 private:
  std::optional<Record> record_of(const Variant& variant, const std::optional<Error>& problem) {
    const RecordSource source = source_of(plan_.job);
    if (const auto lost = lost_.find(variant.device); lost != lost_.end())
      return record_without_run(variant, source, context_, RunStatus::kNotRun, lost->second);
    if (problem) return record_without_run(variant, source, context_, RunStatus::kUnfit, problem->what());
    Record record = start_record(variant, source, context_);
    TrialEnd end = TrialEnd::kNone;
    try {
      end = run_trial(variant, record);
    } catch (const JobStopped&) {
      return std::nullopt;
    }
    // A compiler that the same keys have stopped is no mistake of the variant's.
    if (record.status == RunStatus::kCompileFailed && context_.stopped()) return std::nullopt;
    if (end == TrialEnd::kDeviceLost) {
      lost_[variant.device] = variant.device + " is lost to this process since the fault of " +
                              (variant.label.empty() ? "the variant before" : "'" + variant.label + "'");
    }
    // With nothing else to show for it, a kernel that does not compile or fit is the user's input that is
    // wrong.
    const bool wrong_input = record.status == RunStatus::kCompileFailed || record.status == RunStatus::kUnfit;
    if (wrong_input && plan_.variants.size() == 1)
      throw bad_input(record.message + (record.log.empty() ? "" : "\n" + record.log));
    return record;
  }

  TrialEnd run_trial(const Variant& variant, Record& record) {
    // What is made once in the whole plan is not worth a copy.
    const bool keep_contents = plan_.variants.size() > 1 || plan_.workload->refresh.has_value();
    Trial trial(variant, context_, pools_[current_device_], keep_contents);
    TrialEnd end = prepare_trial(trial, record, context_, start_ns_);
    const MeasureSpec& spec = plan_.job.measure;
    if (end == TrialEnd::kNone && may_be_measured(record.status) && spec.enabled) {
      end = run_guarded(record, context_,
                        [&] { add_times(record, trial, measure(trial, spec, context_, record)); });
    }
    trial.park();
    return end;
  }

  const JobPlan& plan_;
  const JobContext& context_;
  RecordSink& sink_;
  std::int64_t start_ns_;
  std::map<std::string, std::shared_ptr<Device>> devices_;
  std::map<std::string, BufferPool> pools_;
  std::map<std::string, std::string> lost_;  // device -> which variant's fault ended it
  std::string current_device_;
};

}  // namespace

bool run_job(const JobPlan& plan, const JobContext& context, RecordSink& sink, const KnownRecords& known) {
  VariantSequence sequence(plan, context, sink);
  const auto problems = find_problems(plan.variants, context);
  std::vector<bool> runs;
  for (std::size_t i = 0; i < plan.variants.size(); ++i)
    runs.push_back(!problems[i] && (i >= known.size() || !known[i]));
  sink.begin(plan);
  std::unique_ptr<CompileAhead> ahead;
  for (std::size_t i = 0; i < plan.variants.size(); ++i) {
    if (plan.variants.size() > 1 && i % kVariantsAhead == 0)
      ahead = compile_from(i, plan, context, runs, sink);
    if (context.stopped()) return false;
    if (i < known.size() && known[i]) {
      sink.known(*known[i]);
    } else if (!sequence.run(i, problems[i])) {
      return false;
    }
  }
  return true;
}

}  // namespace kiln
