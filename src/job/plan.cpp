#include "job/plan.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "device/backend_kind.h"
#include "job/output_plan.h"
#include "job/sweep_space.h"
#include "trial/tolerance.h"

namespace kiln {
namespace {

constexpr std::uint64_t kMostVariants = 100'000;
constexpr double kMostExplained = 1000;  // raw points of a sweep whose exclusions are listed one by one

void require_count(const JobSpec& job, std::uint64_t count) {
  if (count <= kMostVariants) return;
  throw bad_input("the sweep has more than " + std::to_string(kMostVariants) + " points",
                  job.sweep.front().second.front().where);
}

std::string violation_of(const ConfigurationResult& result) {
  return "violates " + result.explanation;
}

/// Points that the constraints leave out: each with its reason, or of many the part that each constraint
/// leaves out.
void explain_exclusions(const SweepSpace& sweep, std::vector<std::string>& excluded) {
  const SearchSpace& space = sweep.points();
  if (space.raw_count() == static_cast<double>(space.count())) return;
  if (space.raw_count() <= kMostExplained) {
    std::vector<SpaceParameter> all = space.parameters();
    const SearchSpace raw(std::move(all), {}, SpaceOrder::kGiven);
    for (std::uint64_t i = 0; i < raw.count(); ++i) {
      const Point point = raw.point(i);
      if (!space.contains(point))
        excluded.push_back(sweep.label(point) + ": " + violation_of(sweep.configuration(point)));
    }
    return;
  }
  excluded.push_back(format_number(space.raw_count() - static_cast<double>(space.count())) + " of " +
                     format_number(space.raw_count()) + " points");
  for (std::size_t i = 0; i < space.constraints().size(); ++i) {
    const auto part = space.excluded_by(i);
    if (part && *part > 0)
      excluded.push_back(in_quotes(space.constraints()[i].text) + " alone excludes " +
                         format_number(std::round(*part * 1000) / 10) + " %");
  }
}

void add_once(const std::string& text, std::vector<std::string>& texts) {
  if (std::find(texts.begin(), texts.end(), text) == texts.end()) texts.push_back(text);
}

void add_variants(const SweepSpace& sweep, const DeviceInfo& device, FileSystem& files,
                  const WisdomAdvice* advice, JobPlan& plan) {
  for (std::uint64_t i = 0; i < sweep.points().count(); ++i) {
    const Point point = sweep.points().point(i);
    ConfigurationResult result = sweep.configuration(point);
    const std::string label = sweep.label(point);
    // A constraint may still be violated by the values of a launch's `with:`.
    if (result.violated) {
      plan.excluded.push_back(label + ": " + violation_of(result));
      continue;
    }
    Variant& variant = plan.variants.emplace_back(Variant{std::move(result.configuration), label, device.id});
    if (advice != nullptr)
      add_once(take_advice(*advice, sweep.assignments(point), device, files, variant), plan.notes);
    require_tolerances(variant.configuration);
  }
}

}  // namespace

std::string find_difference(const DeviceInfo& first, const DeviceInfo& other) {
  if (first.name != other.name) return "'" + first.name + "' and '" + other.name + "'";
  if (first.target != other.target) return first.target.to_string() + " and " + other.target.to_string();
  if (first.memory_bytes != other.memory_bytes)
    return format_bytes(first.memory_bytes) + " and " + format_bytes(other.memory_bytes) + " of memory";
  if (first.compute_units != other.compute_units)
    return std::to_string(first.compute_units) + " and " + std::to_string(other.compute_units) +
           " compute units";
  return "";
}

void require_alike(const std::vector<DeviceInfo>& devices, const JobSpec& job, const std::string& what) {
  for (const DeviceInfo& device : devices) {
    const std::string difference = find_difference(devices.front(), device);
    if (difference.empty()) continue;
    throw bad_input(what + ": " + devices.front().id + " and " + device.id + " differ (" + difference +
                        "); expected equal devices, whose times can be compared",
                    {job.file, 0, 0});
  }
}

void keep_shard(JobPlan& plan, const Shard& shard) {
  plan.shard = shard;
  if (shard.is_whole()) return;
  std::vector<Variant> own;
  for (std::size_t i = 0; i < plan.variants.size(); ++i) {
    if (shard.takes(i)) own.push_back(std::move(plan.variants[i]));
  }
  plan.notes.push_back("shard " + shard.text() + ": " + std::to_string(own.size()) + " of " +
                       std::to_string(plan.variants.size()) + " variants");
  plan.variants = std::move(own);
}

std::shared_ptr<const Workload> workload_of(const JobSpec& job, const WorkloadLibrary& library) {
  if (!job.inline_workload) return library.load(job.workload, job.workload_where);
  const std::filesystem::path directory = std::filesystem::path(job.file).parent_path();
  return library.parse(*job.inline_workload, job.text, directory);
}

JobPlan make_plan(const JobSpec& job, const WorkloadLibrary& library, FileSystem& files,
                  const std::vector<DeviceInfo>& devices) {
  return make_plan(job, workload_of(job, library), files, devices);
}

JobPlan make_plan(const JobSpec& job, std::shared_ptr<const Workload> workload, FileSystem& files,
                  const std::vector<DeviceInfo>& devices, const WisdomAdvice* advice) {
  JobPlan plan;
  plan.job = job;
  plan.workload = std::move(workload);
  const bool spread =
      job.spread || std::any_of(job.devices.begin(), job.devices.end(),
                                [](const std::string& name) { return backend_of_all(name).has_value(); });
  if (spread) {
    require_alike(devices, job, "spread");
    for (const DeviceInfo& device : devices) plan.spread.push_back(device.id);
  }
  for (const DeviceInfo& device : devices) {
    if (spread && device.id != devices.front().id) continue;
    const SweepSpace sweep(plan.job, plan.workload, device, files);
    require_count(job, sweep.points().count());
    explain_exclusions(sweep, plan.excluded);
    add_variants(sweep, device, files, advice, plan);
  }
  if (plan.variants.empty() && !devices.empty()) {
    const SweepSpace sweep(plan.job, plan.workload, devices.back(), files);
    const Point first(job.sweep.size(), 0);
    const ConfigurationResult result = sweep.configuration(first);
    throw bad_input("constraint violated: " + result.explanation +
                        (job.sweep.empty() ? "" : ", by every point of the sweep"),
                    result.violated->where);
  }
  plan_outputs(plan, files);
  return plan;
}

}  // namespace kiln
