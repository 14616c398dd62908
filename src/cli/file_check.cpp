#include "cli/file_check.h"

#include <algorithm>
#include <filesystem>
#include <memory>

#include "base/input_file.h"
#include "base/text.h"
#include "cli/job_arguments.h"
#include "config/yaml_node.h"
#include "device/backend_kind.h"
#include "job/plan.h"
#include "kiln/error.h"
#include "launch/argument_values.h"
#include "search/searcher.h"
#include "study/cases.h"
#include "trial/buffer_layout.h"
#include "trial/init_values.h"
#include "trial/needs.h"
#include "trial/tolerance.h"
#include "trial/unchecked.h"
#include "tune/objective.h"
#include "tune/tuning_space.h"
#include "wisdom/wisdom_file.h"
#include "workload/configuration.h"

namespace kiln {
namespace {

/// A source or one of its further sources.
void require_source(const KernelSpec& kernel, const std::string& source, const Workload& workload,
                    FileSystem& files) {
  if (files.status(workload.directory / source)) return;
  throw bad_input("kernels." + kernel.name + ".source: there is no file '" + source + "' in " +
                      workload.directory.string(),
                  kernel.where);
}

void require_sources(const Workload& workload, FileSystem& files) {
  for (const KernelSpec& kernel : workload.kernels) {
    const std::filesystem::path path = workload.directory / kernel.source;
    require_source(kernel, kernel.source, workload, files);
    for (const std::string& more : kernel.more_sources) require_source(kernel, more, workload, files);
    try {
      static_cast<void>(input_status(files, path));
    } catch (const Error& error) {
      throw bad_input("kernels." + kernel.name + ".source: " + error.message() + ": '" + path.string() + "'",
                      kernel.where);
    }
  }
}

/// Extents, places and the numbers in the inits of the buffers; shapes, tensor maps and textures of the
/// step's launches.
void check_launches(const Configuration& configuration) {
  const Workload& workload = configuration.workload();
  const TrialNeeds needs(configuration);
  for (const std::string& name : needs.buffers())
    require_start_fits(configuration, layout_of(configuration, *workload.find_buffer(name)));
  for (const NeededLaunch& launch : needs.step()) {
    if (!shape_changes(workload, *launch.kernel))
      static_cast<void>(shape_of(*launch.configuration, *launch.kernel));
    require_layouts(*launch.configuration, *launch.kernel);
  }
}

/// Whether each parameter has a value without being set: a value from a file may be missing.
bool has_defaults(const Workload& workload) {
  return std::none_of(workload.parameters.begin(), workload.parameters.end(),
                      [](const ParameterSpec& parameter) { return parameter.defaults.empty(); });
}

/// Changes of a file by a command line or a batch.
struct JobChanges {
  std::vector<std::string> set, sweep, devices;
};

constexpr const char* kWithoutChecks =
    "; its results would be unchecked: the workload has no check (`verify`)";

/// Reasons why results would be unchecked, as far as they are known before anything runs.
class UncheckedReasons {
 public:
  explicit UncheckedReasons(FileSystem& files) : files_(files) {}

  void add(const Configuration& configuration) {
    ++variants_;
    const auto why = why_unchecked(configuration, files_);
    if (!why) return;
    ++unchecked_;
    if (std::find(reasons_.begin(), reasons_.end(), *why) == reasons_.end()) reasons_.push_back(*why);
  }
  /// "; its results would be unchecked: the workload has no check (`verify`)"; empty without a reason.
  [[nodiscard]] std::string remark() const {
    if (unchecked_ == 0) return "";
    return (variants_ == 1 ? "; its results would be unchecked: "
                           : "; the results of " + std::to_string(unchecked_) + " of " +
                                 std::to_string(variants_) + " variants would be unchecked: ") +
           join(reasons_, "; ");
  }

 private:
  FileSystem& files_;
  std::size_t variants_ = 0, unchecked_ = 0;
  std::vector<std::string> reasons_;
};

/// Defaults and constraints on the back end that is always there.
CheckedFile check_workload(const std::string& path, World& world) {
  const auto workload = world.engine().library().load(path, {});
  require_sources(*workload, world.files());
  if (!has_defaults(*workload)) return {workload->checks.empty() ? kWithoutChecks : "", 0};
  const ConfigurationResult result =
      configure(workload, {}, assumed_devices({host_kind().name}).front(), world.files());
  if (result.violated) {
    throw bad_input("the defaults violate the constraint '" + result.violated->text + "'",
                    result.violated->where);
  }
  check_launches(result.configuration);
  require_tolerances(result.configuration);
  UncheckedReasons reasons(world.files());
  reasons.add(result.configuration);
  return {reasons.remark(), 0};
}

/// Refuses everything that `kiln tune` would refuse before it compiles.
void check_tuning(const JobSpec& job, const std::shared_ptr<const Workload>& workload,
                  const std::vector<DeviceInfo>& devices, World& world) {
  static_cast<void>(searcher_kind(job.tune.searcher, job.tune.searcher_where));
  const Objective objective(job.tune.objective, *workload);
  for (const DeviceInfo& device : devices) {
    const TuningSpace space(job, workload, device, world.files());
    if (job.tune.budget.target) static_cast<void>(objective.target(*job.tune.budget.target, device));
  }
}

CheckedFile check_job(const std::string& path, const std::string& text, const JobChanges& changes,
                      World& world) {
  JobSpec job = parse_job(text, path);
  for (const std::string& assignment : changes.set) apply_set(job, assignment);
  for (const std::string& assignment : changes.sweep) apply_sweep(job, assignment);
  if (!changes.devices.empty()) job.devices = changes.devices;
  const auto devices = assumed_devices(device_names(job.devices, world.settings().values));
  const JobPlan plan = make_plan(job, world.engine().library(), world.files(), devices);
  require_sources(*plan.workload, world.files());
  if (job.tune.given) check_tuning(job, plan.workload, devices, world);
  UncheckedReasons reasons(world.files());
  for (const Variant& variant : plan.variants) {
    check_launches(variant.configuration);
    reasons.add(variant.configuration);
  }
  return {reasons.remark(), plan.variants.size()};
}

CheckedFile check_study(const std::string& path, const std::string& text, const JobChanges& changes,
                        World& world) {
  UncheckedReasons reasons(world.files());
  std::size_t count = 0;
  for (StudySpec& study : parse_study(text, path)) {
    for (const std::string& assignment : changes.set) apply_set(study, assignment);
    if (!changes.devices.empty()) study.devices = changes.devices;
    const auto workload = world.engine().library().load(study.workload, study.workload_where);
    require_sources(*workload, world.files());
    for (const DeviceInfo& device : assumed_devices(device_names(study.devices, world.settings().values))) {
      for (const Variant& variant : expand_study(study, workload, device, world.files()).variants) {
        check_launches(variant.configuration);
        reasons.add(variant.configuration);
        ++count;
      }
    }
  }
  return {reasons.remark(), count};
}

CheckedFile check_wisdom(const std::string& path, const std::string& text) {
  static_cast<void>(parse_wisdom(text, path));
  return {};
}

CheckedFile check_batch(const std::string& path, const std::string& text, World& world) {
  CheckedFile checked;
  for (const BatchJob& job : parse_batch(text, path).jobs)
    checked.variants += check_batch_job(job, {}, world).variants;
  return checked;
}

}  // namespace

CheckedFile check_batch_job(const BatchJob& job, const std::vector<std::string>& sweep, World& world) {
  const std::string text = read_input(world.files(), job.file, kJobInput);
  const YamlNode root = YamlNode::parse(text, job.file);
  const bool is_study = looks_like_study(root);
  if (looks_like_batch(root))
    throw bad_input("is a batch; expected a job, a study or a search", {job.file, 0, 0});
  if (is_study != (job.command == BatchCommand::kStudy))
    throw bad_input(std::string("is a ") + (is_study ? "study" : "job") + "; it is named as `" +
                        to_string(job.command) + ":`",
                    {job.file, 0, 0});
  const JobChanges changes{job.set, sweep, job.devices};
  return is_study ? check_study(job.file, text, changes, world) : check_job(job.file, text, changes, world);
}

CheckedFile check_file(const std::string& path, World& world) {
  const std::string text = read_input(world.files(), path, kJobInput);
  const YamlNode root = YamlNode::parse(text, path);
  if (is_workload_file(root)) return check_workload(path, world);
  if (path.ends_with(kWisdomEnding)) return check_wisdom(path, text);
  if (looks_like_batch(root)) return check_batch(path, text, world);
  return looks_like_study(root) ? check_study(path, text, {}, world) : check_job(path, text, {}, world);
}

}  // namespace kiln
