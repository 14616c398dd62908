#include "job/job_runner.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "base/text.h"
#include "job/compile_variants.h"
#include "job/executor.h"
#include "job/variant_record.h"
#include "job/wisdom_advice.h"
#include "launch/argument_values.h"
#include "record/known_records.h"
#include "trial/init_values.h"
#include "trial/needs.h"

namespace kiln {
namespace {

/// The problem with the memory that a variant needs.
std::optional<Error> find_memory_problem(const TrialNeeds& needs, Device& device) {
  const Configuration& configuration = needs.configuration();
  const BufferSpec* largest = nullptr;
  std::uint64_t largest_bytes = 0;
  for (const std::string& name : needs.buffers()) {
    const BufferLayout layout = layout_of(configuration, *configuration.workload().find_buffer(name));
    require_start_fits(configuration, layout);
    if (layout.bytes > largest_bytes) {
      largest = layout.spec;
      largest_bytes = layout.bytes;
    }
  }
  const std::uint64_t bytes = needs.bytes();
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

}  // namespace

std::optional<Error> find_problem(const Variant& variant, Device& device) {
  try {
    const TrialNeeds needs(variant.configuration);
    auto problem = find_memory_problem(needs, device);
    return problem ? problem : find_launch_problem(variant.configuration, device.info());
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kBadInput) throw;
    return error;
  }
}

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

/// Compiles for those from `begin` to `end` that are to run.
std::unique_ptr<CompileAhead> compile_from(std::size_t begin, std::size_t end, const ExecutorJob& job) {
  std::vector<VariantToCompile> next;
  std::vector<const Variant*> shared;
  for (std::size_t i = begin; i < end; ++i) {
    if (!job.runs(i)) continue;
    next.push_back({job.plan.variants[i], job.context});
    shared.push_back(&job.plan.variants[i]);
  }
  if (job.crew != nullptr) {
    if (!shared.empty()) job.sink.compiling(end, job.plan.variants.size());
    job.crew->compile(shared, job.context);
    return nullptr;
  }
  std::vector<WantedCode> wanted = code_of(next);
  if (!wanted.empty()) job.sink.compiling(end, job.plan.variants.size());
  return compile_and_wait(std::move(wanted), job.context);
}

/// Held for the whole job: a device that is opened again for each variant would start its threads anew.
std::vector<std::shared_ptr<Device>> open_devices(const JobPlan& plan, DeviceRegistry& registry) {
  std::map<std::string, std::shared_ptr<Device>> devices;
  const auto open = [&](const std::string& name) {
    if (!devices.contains(name)) devices[name] = registry.open(name);
  };
  for (const Variant& variant : plan.variants) open(variant.device);
  for (const std::string& name : plan.spread) open(name);
  std::vector<std::shared_ptr<Device>> opened;
  for (auto& [name, device] : devices) opened.push_back(std::move(device));
  return opened;
}

}  // namespace

namespace {

/// Whether an earlier run has left all files that the variant is to keep, if it came so far.
bool has_kept(const Record& record, const Variant& variant, FileSystem& files) {
  if (!may_be_measured(record.status) && record.status != RunStatus::kWrong) return true;
  return std::all_of(variant.keep.begin(), variant.keep.end(), [&](const KeptOutput& output) {
    return files.target_status(output.file) &&
           std::any_of(record.kept.begin(), record.kept.end(), [&](const KeptFile& kept) {
             return kept.buffer == output.buffer && kept.file == output.file;
           });
  });
}

}  // namespace

KnownRecords find_known(const JobPlan& plan, const std::vector<Record>& records, const JobContext& context) {
  const auto known_on = [&](const std::string& device) {
    std::vector<Record> wanted;
    for (Variant variant : plan.variants) {
      if (!device.empty()) variant.device = device;
      wanted.push_back(describe_variant(variant, source_of(plan.job), context));
    }
    return find_known_records(records, wanted);
  };
  KnownRecords known(plan.variants.size());
  for (const std::string& device : plan.spread.empty() ? std::vector<std::string>{""} : plan.spread) {
    KnownRecords found = known_on(device);
    for (std::size_t i = 0; i < known.size(); ++i) {
      if (found[i] && !has_kept(*found[i], plan.variants[i], context.files)) continue;
      if (found[i] && (!known[i] || found[i]->time > known[i]->time)) known[i] = std::move(found[i]);
    }
  }
  return known;
}

bool run_job(const JobPlan& plan, const JobContext& context, RecordSink& sink, const KnownRecords& known,
             const MakeTrialRunner& make_runner, TrialCrew* crew) {
  const auto devices = open_devices(plan, context.devices);
  const MakeTrialRunner local = [&](const JobContext& lane) {
    // Buffers that are made once in the whole plan are not worth a copy.
    return make_local_runner(lane, plan.job.file, plan.variants.size() > 1);
  };
  const ExecutorJob job{
      plan, context, sink, known, make_runner ? make_runner : local, find_problems(plan.variants, context),
      crew};
  sink.begin(plan);
  const auto executor = make_executor(job);
  const std::size_t ahead_of_all = kVariantsAhead * executor->processes();
  for (std::size_t begin = 0; begin < plan.variants.size(); begin += ahead_of_all) {
    const std::size_t end = std::min(plan.variants.size(), begin + ahead_of_all);
    std::unique_ptr<CompileAhead> ahead;  // what it has compiled stays until these variants have run
    if (plan.variants.size() > 1) ahead = compile_from(begin, end, job);
    if (!executor->run(begin, end)) return false;
  }
  return true;
}

}  // namespace kiln
