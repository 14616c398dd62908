#include "tune/measurer.h"

#include <algorithm>

#include "base/clock.h"
#include "job/job_runner.h"
#include "job/variant_record.h"
#include "launch/argument_values.h"
#include "launch/shape_check.h"
#include "record/record_json.h"
#include "trial/needs.h"

namespace kiln {
namespace {

/// The reason why a launch cannot run, from the compiler's report on its kernel; nothing is loaded onto the
/// device.
std::optional<std::string> find_unfit_kernel(const Variant& variant, const DeviceInfo& device,
                                             const JobContext& context) {
  Compiler& compiler = context.compiler_for(device.target.backend);
  const TrialNeeds needs(variant.configuration);
  for (const Unit& unit : needs.units(device.target, context.files)) {
    const auto code = context.service.find(unit.specialization, compiler, nullptr);
    if (!code) continue;  // it does not compile: the runner says why
    for (const NeededLaunch& needed : needs.launches()) {
      const auto entry = unit.name_expressions.find(needed.kernel->name);
      if (entry == unit.name_expressions.end() || needed.configuration->child() != unit.child ||
          shape_changes(needed.configuration->workload(), *needed.kernel))
        continue;
      const auto& resources = code->code->code().resources;
      const auto use = resources.find(entry->second);
      if (use == resources.end()) continue;
      FunctionAttributes attributes;
      attributes.registers = use->second.registers;
      attributes.static_shared_bytes = use->second.static_shared_bytes;
      attributes.local_bytes = use->second.local_bytes;
      if (const auto most = use->second.max_threads_per_block)
        attributes.max_threads_per_block = static_cast<std::uint64_t>(*most);
      const LaunchShape shape = shape_of(*needed.configuration, *needed.kernel);
      if (auto problem = check_shape(shape, device, attributes, needed.kernel->name)) return problem;
    }
  }
  return std::nullopt;
}

}  // namespace

void require_measurable(const Objective& objective, Device& device, const SourceLocation& where) {
  if (objective.needs_energy() && !device.energy_joules())
    throw bad_input(
        "objective 'energy': " + device.info().id +
            " does not tell what it draws; that needs an NVIDIA GPU with NVML, NVIDIA's management library",
        where);
}

Measurer::Measurer(const TuneTask& task, const Objective& objective, TrialRunner& runner)
    : task_(task), objective_(objective), runner_(runner), device_(task.context.devices.open(task.device)) {
  for (const Record& record : task.ended) ended_[variant_identity(record)].push_back(record.status);
}

Evaluation Measurer::run(const Candidate& candidate, double limit, std::uint64_t input_seed) {
  return run(candidate, {task_.job.measure, limit, input_seed, false}, limit, true);
}

Evaluation Measurer::run(const Candidate& candidate, const MeasureSpec& measure) {
  TrialRequest request;
  request.measure = measure;
  return run(candidate, request, std::numeric_limits<double>::infinity(), false);
}

Evaluation Measurer::run(const Candidate& candidate, TrialRequest request, double limit, bool keeps) {
  Evaluation evaluation;
  evaluation.label = candidate.label;
  evaluation.values = candidate.values;
  evaluation.identity = candidate.identity;
  if (objective_.needs_energy()) request.measure.energy = true;
  const std::int64_t begin = task_.context.clock.steady_ns();
  for (std::size_t i = 0; i < task_.space.sizes().size(); ++i) {
    SizeResult result;
    if (i < candidate.variants.size()) {
      request.give_up_above = objective_.slowest_within(limit, evaluation);
      const std::optional<Record> record = run(candidate.variants[i], request);
      if (!record) break;  // it was stopped
      if (keeps) task_.sink.record(*record);
      if (task_.context.watch != nullptr) task_.context.watch->variant_ends();
      result = result_of(*record, task_.space.sizes()[i]);
    } else {
      result.size = task_.space.sizes()[i];
      result.status = RunStatus::kUnfit;
      result.message = candidate.problem;
    }
    evaluation.sizes.push_back(std::move(result));
    if (!may_be_measured(evaluation.sizes.back().status) || evaluation.sizes.back().cut) break;
  }
  evaluation.device_seconds = seconds_between(begin, task_.context.clock.steady_ns());
  device_seconds_ += evaluation.device_seconds;
  evaluation.outcome = objective_.outcome(evaluation);
  return evaluation;
}

std::optional<Record> Measurer::run(const Variant& variant, const TrialRequest& request) {
  const auto refused = [&](const std::string& why, RunStatus status = RunStatus::kUnfit) {
    return record_without_run(variant, source_of(task_.job), task_.context, status, why);
  };
  try {
    if (const auto status = ended_before(variant)) {
      return refused(*status == RunStatus::kTimedOut
                         ? "it has exceeded launch_time_limit in an earlier search"
                         : "it has ended the process of two earlier searches",
                     *status);
    }
    if (const auto obstacle = find_obstacle(variant)) return refused(*obstacle);
    return runner_.run(variant, request);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kBadInput) throw;
    return refused(error.what());
  }
}

std::optional<RunStatus> Measurer::ended_before(const Variant& variant) const {
  if (ended_.empty()) return std::nullopt;
  const Record described = describe_variant(variant, source_of(task_.job), task_.context);
  // As read back from a file: numbers may be written differently.
  const auto found = ended_.find(variant_identity(record_from_json(record_to_json(described), "", 1)));
  if (found == ended_.end()) return std::nullopt;
  const std::vector<RunStatus>& ends = found->second;
  const bool hung = std::find(ends.begin(), ends.end(), RunStatus::kTimedOut) != ends.end();
  if (hung) return RunStatus::kTimedOut;
  return ends.size() >= 2 ? std::optional(RunStatus::kCrashed) : std::nullopt;
}

std::optional<std::string> Measurer::find_obstacle(const Variant& variant) const {
  if (const auto problem = find_problem(variant, *device_)) return problem->what();
  return find_unfit_kernel(variant, device_->info(), task_.context);
}

}  // namespace kiln
