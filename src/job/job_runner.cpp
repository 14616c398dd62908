#include "job/job_runner.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "base/checked_size.h"
#include "base/text.h"
#include "job/compile_variants.h"
#include "job/variant_description.h"
#include "job/variant_runner.h"
#include "launch/argument_values.h"
#include "launch/shape_check.h"
#include "trial/init_values.h"

namespace kiln {
namespace {

/// What keeps a variant from running and can be told before anything is compiled.
std::optional<Error> find_problem(const Variant& variant, Device& device) {
  const Configuration& configuration = variant.configuration;
  const bool gpu = device.info().target.backend != "cpu";
  try {
    const VariantNeeds needs = needs_of(configuration, gpu);
    CheckedSize sum(0);
    const BufferSpec* largest = nullptr;
    std::uint64_t largest_bytes = 0;
    for (const std::string& name : needs.buffers) {
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
    if (bytes > available) {
      return bad_input("the buffers need " + format_bytes(bytes) + " ('" + largest->name + "' alone " +
                           format_bytes(largest_bytes) + "); " + device.info().id + " has " +
                           format_bytes(available) + " free",
                       largest->where);
    }
    for (const auto* list : {&needs.init_kernels, &needs.run, &needs.verify_run}) {
      for (const std::string& name : *list) {
        const KernelSpec& kernel = *configuration.workload().find_kernel(name);
        const auto problem = check_shape(shape_of(configuration, kernel), device.info(), {}, kernel.name);
        if (problem)
          return bad_input(*problem + " (" + explain_shape(configuration, kernel) + ")", kernel.where);
        for (const ArgumentSpec& argument : kernel.args) {
          if (argument.kind == ArgumentSpec::Kind::kTensorMap)
            static_cast<void>(tensor_map_layout(configuration, argument));
        }
      }
    }
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kBadInput) throw;
    return error;
  }
  return std::nullopt;
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

Record unfit_record(const Variant& variant, const JobPlan& plan, const JobContext& context,
                    const Error& problem) {
  Record record = start_record(variant, plan, context);
  record.status = RunStatus::kUnfit;
  record.message = problem.what();
  return record;
}

Record not_run_record(const Variant& variant, const JobPlan& plan, const JobContext& context,
                      const std::string& reason) {
  Record record = start_record(variant, plan, context);
  record.status = RunStatus::kNotRun;
  record.message = reason;
  return record;
}

std::vector<std::optional<Error>> find_problems(const JobPlan& plan, const JobContext& context) {
  std::vector<std::optional<Error>> problems;
  for (const Variant& variant : plan.variants) {
    problems.push_back(find_problem(variant, *context.devices.open(variant.device)));
  }
  const bool all =
      std::all_of(problems.begin(), problems.end(), [](const auto& problem) { return problem.has_value(); });
  if (all && !problems.empty()) throw Error(*problems.front());
  return problems;
}

void check_plan(const JobPlan& plan, const JobContext& context) {
  static_cast<void>(find_problems(plan, context));
}

namespace {

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
    if (const auto end = lost_.find(variant.device); end != lost_.end())
      return not_run_record(variant, plan_, context_, end->second);
    if (problem) return unfit_record(variant, plan_, context_, *problem);
    VariantRunner runner(variant, plan_, context_, pools_[current_device_], start_ns_);
    std::optional<Record> record;
    try {
      record = runner.run();
    } catch (const JobStopped&) {
      return std::nullopt;
    }
    // A compiler that the same keys have stopped is no mistake of the variant's.
    if (record->status == RunStatus::kCompileFailed && context_.stopped()) return std::nullopt;
    if (runner.device_lost()) {
      lost_[variant.device] = variant.device + " is lost to this process since the fault of " +
                              (variant.label.empty() ? "the variant before" : "'" + variant.label + "'");
    }
    // With nothing else to show for it, a kernel that does not compile or fit is the user's input that is
    // wrong.
    const bool wrong_input =
        record->status == RunStatus::kCompileFailed || record->status == RunStatus::kUnfit;
    if (wrong_input && plan_.variants.size() == 1)
      throw bad_input(record->message + (record->log.empty() ? "" : "\n" + record->log));
    return record;
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
  const auto problems = find_problems(plan, context);
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
