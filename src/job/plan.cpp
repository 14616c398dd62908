#include "job/plan.h"

#include <algorithm>

#include "base/text.h"
#include "trial/tolerance.h"

namespace kiln {
namespace {

using Assignments = std::vector<std::pair<std::string, RawValue>>;

constexpr std::size_t kMaxVariants = 100'000;

std::string label_of(const JobSpec& job, const Assignments& point) {
  std::string label;
  for (const auto& [name, values] : job.sweep) {
    const auto found = std::find_if(point.begin(), point.end(),
                                    [&, key = name](const auto& entry) { return entry.first == key; });
    label += (label.empty() ? "" : " ") + assignment(name, found->second.text);
  }
  return label;
}

/// Every combination of the swept values on top of what is set; the last name varies fastest.
std::vector<Assignments> points_of(const JobSpec& job) {
  std::size_t count = 1;
  for (const auto& [name, values] : job.sweep) {
    count *= values.size();
    if (count > kMaxVariants) {
      throw bad_input("the sweep has more than " + std::to_string(kMaxVariants) + " points",
                      values.front().where);
    }
  }
  std::vector<Assignments> points;
  points.reserve(count);
  for (std::size_t index = 0; index < count; ++index) {
    Assignments point = job.set;
    std::size_t rest = index;
    Assignments swept;
    for (auto dimension = job.sweep.rbegin(); dimension != job.sweep.rend(); ++dimension) {
      swept.emplace_back(dimension->first, dimension->second[rest % dimension->second.size()]);
      rest /= dimension->second.size();
    }
    point.insert(point.end(), swept.rbegin(), swept.rend());
    points.push_back(std::move(point));
  }
  return points;
}

}  // namespace

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
                  const std::vector<DeviceInfo>& devices) {
  JobPlan plan;
  plan.job = job;
  plan.workload = std::move(workload);
  std::optional<ConfigurationResult> violation;
  for (const DeviceInfo& device : devices) {
    for (const Assignments& point : points_of(job)) {
      ConfigurationResult result = configure(plan.workload, point, device, files);
      const std::string label = label_of(job, point);
      if (result.violated) {
        plan.excluded.push_back(label + ": violates " + result.configuration.explain(*result.violated));
        violation = std::move(result);
        continue;
      }
      require_tolerances(result.configuration);
      plan.variants.push_back({std::move(result.configuration), label, device.id});
    }
  }
  if (plan.variants.empty() && violation) {
    throw bad_input("constraint violated: " + violation->configuration.explain(*violation->violated) +
                        (job.sweep.empty() ? "" : ", by every point of the sweep"),
                    violation->violated->where);
  }
  return plan;
}

}  // namespace kiln
