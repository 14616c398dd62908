#include "trial/needs.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <set>

#include "base/checked_size.h"
#include "device/backend_kind.h"
#include "service/task_threads.h"
#include "trial/buffer_layout.h"
#include "trial/overlap_check.h"
#include "trial/shared_variables.h"
#include "workload/selection.h"

namespace kiln {
namespace {

/// Kernels by the values that they are specialised for.
using KernelsByValues = std::map<int, std::pair<const Configuration*, std::vector<std::string>>>;

void add_kernel(KernelsByValues& kernels, const NeededLaunch& launch) {
  auto& [configuration, names] = kernels[launch.configuration->child()];
  configuration = launch.configuration;
  if (std::find(names.begin(), names.end(), launch.kernel->name) == names.end())
    names.push_back(launch.kernel->name);
}

/// On all cores: the texts of large programs take longer to read than their code to load.
std::vector<Unit> make_run_units(const KernelsByValues& kernels, const Target& target, FileSystem& files) {
  const std::vector<KernelsByValues::value_type> all(kernels.begin(), kernels.end());
  std::vector<std::vector<Unit>> made(all.size());
  for_each_task(all.size(), [&](std::size_t i) {
    const auto& [configuration, names] = all[i].second;
    made[i] = make_units(*configuration, names, Role::kRun, target, files);
  });
  std::vector<Unit> units;
  for (std::vector<Unit>& some : made) std::move(some.begin(), some.end(), std::back_inserter(units));
  return units;
}

std::vector<Unit> make_both(const Configuration& configuration, const KernelsByValues& step,
                            const std::vector<std::string>& data, const Target& target, FileSystem& files) {
  std::vector<Unit> units = make_run_units(step, target, files);
  for (Unit& unit : make_units(configuration, data, Role::kData, target, files))
    units.push_back(std::move(unit));
  return units;
}

std::vector<NeededLaunch> needed(const Configuration& configuration,
                                 const std::vector<const LaunchSpec*>& launches) {
  std::vector<NeededLaunch> result;
  result.reserve(launches.size());
  for (const LaunchSpec* launch : launches)
    result.push_back({launch, launch->configured.get(), &configuration.of(*launch)});
  return result;
}

}  // namespace

bool is_apart(const Configuration& configuration, const CheckSpec& check) {
  return check.reference_on_host && !backend_kind(configuration.backend()).host_memory;
}

TrialNeeds::TrialNeeds(const Configuration& configuration, Checks checks) : configuration_(&configuration) {
  const Workload& workload = configuration.workload();
  std::set<std::string> buffers;
  std::set<std::string> init_kernels;
  step_ = needed(configuration, selected_run(configuration));
  std::vector<const ProgramSpec*> programs{&workload.run};
  if (checks == Checks::kAll) {
    verify_run_ = needed(configuration, selected_launches(configuration, workload.verify_run));
    programs.push_back(&workload.verify_run);
  }
  for (const ProgramSpec* program : programs) {
    for (const auto& [name, where] : buffers_taken(configuration, *program))
      add_needed_buffer(configuration, name, where, buffers, init_kernels);
    check_overlaps(configuration, *program);
  }
  for (const CheckSpec& check : workload.checks) {
    if (checks == Checks::kNone) break;
    if (check.when && !configuration.evaluate_condition(*check.when)) continue;
    checks_.push_back(&check);
    if (check.variable.empty())
      add_needed_buffer(configuration, check.buffer, check.where, buffers, init_kernels);
    if (check.reference_kernel.empty()) continue;
    if (is_apart(configuration, check)) {
      host_kernels_.push_back(check.reference_kernel);
      continue;
    }
    add_needed_buffer(configuration, check.reference_buffer, check.where, buffers, init_kernels);
    add_needs_of_kernel(configuration, *workload.find_kernel(check.reference_kernel), buffers, init_kernels);
  }
  for (const BufferSpec& buffer : workload.buffers) {
    if (buffers.contains(buffer.name)) buffers_.push_back(buffer.name);
  }
  for (const std::string& name : in_init_order(configuration, buffers))
    init_kernels_.push_back(workload.find_kernel(name));
}

std::vector<NeededLaunch> TrialNeeds::launches() const {
  std::vector<NeededLaunch> all;
  for (const KernelSpec* kernel : init_kernels_) all.push_back({nullptr, kernel, configuration_});
  for (const auto* some : {&step_, &verify_run_}) all.insert(all.end(), some->begin(), some->end());
  return all;
}

std::uint64_t TrialNeeds::bytes() const {
  return bytes_with(temporaries());
}

std::uint64_t TrialNeeds::unshared_bytes() const {
  return bytes_with({});
}

std::uint64_t TrialNeeds::bytes_with(const TemporaryPlan& plan) const {
  CheckedSize sum(plan.bytes);
  for (const std::string& name : buffers_) {
    const BufferSpec& buffer = *configuration_->workload().find_buffer(name);
    if (!buffer.view && !plan.offsets.contains(name)) sum = sum + layout_of(*configuration_, buffer).bytes;
  }
  return sum.value().value_or(std::numeric_limits<std::uint64_t>::max());
}

std::vector<Unit> TrialNeeds::step_units(const Target& target, FileSystem& files) const {
  KernelsByValues step;
  for (const NeededLaunch& launch : step_) add_kernel(step, launch);
  return make_run_units(step, target, files);
}

std::vector<Unit> TrialNeeds::units(const Target& target, FileSystem& files) const {
  KernelsByValues step;
  for (const NeededLaunch& launch : step_) add_kernel(step, launch);
  std::vector<std::string> data;
  for (const KernelSpec* kernel : init_kernels_) data.push_back(kernel->name);
  // A launch with values of its own is specialised for them wherever it stands.
  for (const NeededLaunch& launch : verify_run_) {
    if (launch.configuration->child() == 0) {
      data.push_back(launch.kernel->name);
    } else {
      add_kernel(step, launch);
    }
  }
  for (const CheckSpec* check : checks_) {
    if (!check->reference_kernel.empty() && !is_apart(*configuration_, *check))
      data.push_back(check->reference_kernel);
  }
  const std::vector<std::string>& own = step[0].second;
  step[0].first = configuration_;
  std::erase_if(
      data, [&](const std::string& name) { return std::find(own.begin(), own.end(), name) != own.end(); });
  std::vector<Unit> units = make_both(*configuration_, step, data, target, files);
  const auto middle =
      std::find_if(units.begin(), units.end(), [](const Unit& unit) { return unit.role == Role::kData; });
  const std::set<std::string> sharing =
      kernels_that_share(*configuration_, {units.begin(), middle}, {middle, units.end()});
  if (!sharing.empty()) {
    std::vector<std::string> others;
    for (const std::string& kernel : data)
      (sharing.contains(kernel) ? step[0].second : others).push_back(kernel);
    units = make_both(*configuration_, step, others, target, files);
  }
  std::vector<const Unit*> all;
  all.reserve(units.size());
  for (const Unit& unit : units) all.push_back(&unit);
  require_shared_variables(*configuration_, all);
  return units;
}

std::vector<Unit> TrialNeeds::host_units(const Target& host, FileSystem& files) const {
  return make_units(*configuration_, host_kernels_, Role::kData, host, files);
}

}  // namespace kiln
