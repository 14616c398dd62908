#include "job/variant_record.h"

#include <map>
#include <set>
#include <vector>

#include "base/hash.h"
#include "config/expression.h"
#include "record/failure.h"
#include "specialize/host_code.h"
#include "trial/unchecked.h"
#include "workload/input_paths.h"

namespace kiln {
namespace {

/// An empty identity on a machine without that compiler, where code comes from the cache or a bundle.
CompilerIdentity identity_of(Compiler& compiler) {
  try {
    return compiler.identity();
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kEnvironment) throw;
    return {};
  }
}

std::string source_digest(const Workload& workload, const std::vector<Unit>& units) {
  FieldHasher hasher;
  hasher.field("workload", workload.text);
  for (const Unit& unit : units) {
    hasher.field("source", unit.specialization.source_text);
    for (const IncludedHeader& header : unit.specialization.headers)
      hasher.field("header:" + header.name, header.text);
  }
  return hasher.hex();
}

void add_names(const Workload& workload, const std::vector<ExpressionText>& expressions,
               std::set<std::string>& names) {
  for (const ExpressionText& text : expressions) {
    for (std::string& name : workload.names_in(text)) names.insert(std::move(name));
  }
}

/// Parameters that the step's machine code has as constants: in `struct Params`, as template arguments or
/// macros, in block shapes that the code was made for, and by the choice of kernels.
std::set<std::string> constants_of(const Configuration& configuration, const std::vector<Unit>& units) {
  std::set<std::string> names;
  for_each_statement(configuration.workload().run, [&](const StatementSpec& statement) {
    if (statement.when && !configuration.workload().changes(*statement.when))
      add_names(configuration.workload(), {*statement.when}, names);
  });
  for (const Unit& unit : units) {
    if (unit.role != Role::kRun) continue;
    names.insert(unit.params.constants.begin(), unit.params.constants.end());
    for (const auto& [kernel_name, expression] : unit.name_expressions) {
      const KernelSpec& kernel = *configuration.workload().find_kernel(kernel_name);
      for (const ExpressionText& text : kernel.template_args) names.insert(text.text);
      for (const DefineSpec& define : kernel.defines) names.insert(define.value.text);
      for (const EntryPoint& entry : unit.specialization.entries) {
        if (entry.name_expression == expression && entry.fixed_block)
          add_names(configuration.workload(), kernel.block, names);
      }
    }
  }
  return names;
}

void describe_code(const Configuration& configuration, const std::vector<Unit>& units, FileSystem& files,
                   Record& record) {
  record.source_digest = source_digest(configuration.workload(), units);
  for (const std::string& path : input_paths(configuration)) {
    const auto status = files.target_status(path);
    if (!status || status->type != FileStatus::Type::kFile) continue;
    record.inputs.push_back({std::filesystem::path(path).filename().string(),
                             configuration.workload().inputs->digest(files, path)});
  }
  const auto constants = constants_of(configuration, units);
  for (BoundParameter& parameter : record.parameters) {
    const Workload& workload = configuration.workload();
    std::string name = parameter.name;
    for_each_launch(workload.run, [&](const LaunchSpec& launch) {
      if (std::string own = parameter_of(workload, launch, parameter.name); !own.empty()) name = own;
    });
    parameter.compile_time = constants.contains(name);
  }
}

/// Of a text for wider warps than the device's.
std::string note_on_warps(const Specialization& specialization) {
  return specialization.source_name +
         " is written for wavefronts of 64 work-items, the device's warps have 32: " +
         specialization.wide_warps;
}

UnitUse use_of(const LoadedUnit& loaded) {
  const Specialization& specialization = loaded.unit.specialization;
  UnitUse use;
  use.source = specialization.source_name;
  for (const EntryPoint& entry : specialization.entries) use.entries.push_back(entry.name_expression);
  use.origin = loaded.origin;
  use.key = loaded.digest;
  use.compile_seconds = loaded.compile_seconds;
  use.load_seconds = loaded.load_seconds;
  use.options = specialization.options;
  const CodeObject& code = loaded.code->code();
  use.binary_bytes = code.binary.size();
  // The compiler's log begins with why it made an intermediate form and no machine code.
  if (code.format == "ptx") use.note = code.log.substr(0, code.log.find('\n'));
  if (!specialization.left_out.empty())
    use.note += (use.note.empty() ? "" : "; ") + left_out_note(specialization);
  if (!specialization.wide_warps.empty())
    use.note += (use.note.empty() ? "" : "; ") + note_on_warps(specialization);
  return use;
}

/// True if all code is there.
bool load(Trial& trial, Record& record, Log& log) {
  const std::optional<Diagnostic> failure = trial.load();
  for (const LoadedUnit* unit : trial.loaded_units()) {
    record.units.push_back(use_of(*unit));
    const Specialization& specialization = unit->unit.specialization;
    if (unit->origin == Origin::kCompiled && !specialization.left_out.empty())
      log.info(left_out_note(specialization));
    if (unit->origin == Origin::kCompiled && !specialization.wide_warps.empty())
      log.warn(note_on_warps(specialization));
  }
  if (!failure) return true;
  record.status = RunStatus::kCompileFailed;
  record.message = failure->summary;
  record.log = failure->log;
  return false;
}

/// The status of a variant that ran to its end.
void judge(Record& record, const Workload& workload) {
  for (const CheckResult& check : record.checks) {
    if (check.ok) continue;
    record.status = RunStatus::kWrong;
    record.message = check.name + ": " + check.message;
    return;
  }
  if (const auto why = why_unchecked(workload, record.checks)) {
    record.status = RunStatus::kUnchecked;
    record.message = *why;
  }
}

}  // namespace

RecordSource source_of(const JobSpec& job) {
  return {job.file, job.measure.cold};
}

Record start_record(const Variant& variant, const RecordSource& source, const JobContext& context) {
  Record record;
  record.run_id = context.run_id;
  record.time = to_iso8601(context.clock.system_ns());
  record.kiln_version = context.kiln_version;
  record.kiln_revision = context.kiln_revision;
  record.job_file = source.file;
  record.workload = variant.configuration.workload().name;
  record.label = variant.label;
  record.device = context.devices.open(variant.device)->info();
  const auto add = [&](const std::string& name, const ParameterValue& value) {
    record.parameters.push_back(
        {name, value.to_string(), value.binding == Binding::kCompile, value.kind != ParameterKind::kScalar});
  };
  for (const auto& [name, value] : variant.configuration.values()) {
    if (name != "seed") add(name, value);
  }
  for (const auto& [name, value] : variant.configuration.launch_values()) add(name, value);
  record.fast_math = variant.configuration.fast_math();
  record.launch_bounds = variant.configuration.launch_bounds();
  record.lineinfo = variant.configuration.lineinfo();
  record.graph = variant.configuration.graph();
  record.seed = variant.configuration.seed();
  record.cache_mode = source.cold ? "cold" : "warm";
  record.wisdom = variant.wisdom;
  return record;
}

Record record_without_run(const Variant& variant, const RecordSource& source, const JobContext& context,
                          RunStatus status, const std::string& message) {
  Record record = start_record(variant, source, context);
  record.status = status;
  record.message = message;
  return record;
}

Record describe_variant(const Variant& variant, const RecordSource& source, const JobContext& context) {
  Record record = start_record(variant, source, context);
  const Target& target = record.device.target;
  record.compiler = identity_of(context.compiler_for(target.backend));
  describe_code(variant.configuration, TrialNeeds(variant.configuration).units(target, context.files),
                context.files, record);
  return record;
}

TrialEnd run_guarded(Record& record, const JobContext& context, const std::function<void()>& stages) {
  TrialEnd end = TrialEnd::kVariant;
  try {
    stages();
    return TrialEnd::kNone;
  } catch (const Error& error) {
    const std::optional<RunStatus> status = failure_of(error.kind()).status;
    if (!status) throw;
    record.status = *status;
    record.message = error.what();
    if (error.kind() == ErrorKind::kDeviceLost) end = TrialEnd::kDeviceLost;
  }
  if (context.watch != nullptr) context.watch->leave();
  return end;
}

TrialEnd prepare_trial(Trial& trial, Record& record, const JobContext& context, std::int64_t start_ns) {
  const TrialEnd end = run_guarded(record, context, [&] {
    record.compiler = identity_of(context.compiler_for(record.device.target.backend));
    describe_code(trial.configuration(), trial.specialise(), context.files, record);
    if (context.watch != nullptr) context.watch->variant_begins(record);
    if (!load(trial, record, context.log)) return;
    trial.prepare();
    trial.verify();
  });
  record.launches = trial.launches();
  record.buffer_bytes = trial.needs().bytes();
  record.unshared_buffer_bytes = trial.needs().unshared_bytes();
  record.checks = trial.checks();
  record.kept = trial.kept_files();
  record.waits_per_step = trial.waits_per_step();
  record.graphs_per_step = trial.graphs_per_step();
  if (const auto first = trial.first_launch_ns())
    record.first_launch_seconds = seconds_between(start_ns, *first);
  if (record.status == RunStatus::kOk) judge(record, trial.configuration().workload());
  return record.status == RunStatus::kCompileFailed ? TrialEnd::kVariant : end;
}

void add_times(Record& record, const Trial& trial, const StepTimes& times) {
  record.step = summarize(times.seconds);
  record.steps_per_sample = times.steps_per_sample;
  record.stop_reason = times.stop_reason;
  const auto& launches = times.launch_seconds;
  record.profiled_steps = times.profiled_steps;
  Variables by_name = trial.variables();
  by_name["time"] = record.step->median;
  for (std::size_t i = 0; i < record.launches.size(); ++i) {
    LaunchUse& launch = record.launches[i];
    launch.seconds = launches.empty() ? *record.step : summarize(launches[i]);
    by_name[launch.step + ".time"] += launch.seconds->median;
  }
  for (const MetricSpec& metric : trial.configuration().workload().metrics) {
    record.metrics.push_back({metric.name, metric.unit, trial.configuration().evaluate(metric.value, by_name),
                              metric.higher_is_better});
  }
  if (times.joules) record.metrics.push_back({kEnergyMetric, "J", *times.joules, false});
}

}  // namespace kiln
