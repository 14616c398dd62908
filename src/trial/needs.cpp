#include "trial/needs.h"

#include <algorithm>
#include <set>

#include "trial/buffer_layout.h"
#include "trial/shared_variables.h"
#include "workload/selection.h"

namespace kiln {
namespace {

std::vector<Unit> make_both(const Configuration& configuration, const std::vector<std::string>& step,
                            const std::vector<std::string>& data, const Target& target, FileSystem& files) {
  std::vector<Unit> units = make_units(configuration, step, Role::kRun, target, files);
  for (Unit& unit : make_units(configuration, data, Role::kData, target, files))
    units.push_back(std::move(unit));
  return units;
}

std::vector<std::string> names_of(const Kernels& kernels) {
  std::vector<std::string> names;
  for (const KernelSpec* kernel : kernels) names.push_back(kernel->name);
  return names;
}

}  // namespace

bool is_apart(const Configuration& configuration, const CheckSpec& check) {
  return check.reference_on_cpu && configuration.backend() != "cpu";
}

TrialNeeds::TrialNeeds(const Configuration& configuration) : configuration_(&configuration) {
  const Workload& workload = configuration.workload();
  std::set<std::string> buffers;
  std::set<std::string> init_kernels;
  for (const LaunchSpec* launch : selected_run(configuration))
    step_.push_back({workload.find_kernel(launch->kernel), launch->timing});
  for (const LaunchSpec* launch : selected_launches(configuration, workload.verify_run))
    verify_run_.push_back(workload.find_kernel(launch->kernel));
  for (const KernelSpec* kernel : launched_kernels())
    add_needs_of_kernel(configuration, *kernel, buffers, init_kernels);
  for (const CheckSpec& check : workload.checks) {
    if (check.when && !configuration.evaluate_condition(*check.when)) continue;
    checks_.push_back(&check);
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

Kernels TrialNeeds::step_kernels() const {
  Kernels kernels;
  for (const StepLaunch& launch : step_) kernels.push_back(launch.kernel);
  return kernels;
}

Kernels TrialNeeds::launched_kernels() const {
  Kernels kernels = init_kernels_;
  for (const Kernels& some : {step_kernels(), verify_run_})
    kernels.insert(kernels.end(), some.begin(), some.end());
  return kernels;
}

std::uint64_t TrialNeeds::bytes() const {
  std::uint64_t bytes = 0;
  for (const std::string& name : buffers_)
    bytes += layout_of(*configuration_, *configuration_->workload().find_buffer(name)).bytes;
  return bytes;
}

std::vector<Unit> TrialNeeds::step_units(const Target& target, FileSystem& files) const {
  return make_units(*configuration_, names_of(step_kernels()), Role::kRun, target, files);
}

std::vector<Unit> TrialNeeds::units(const Target& target, FileSystem& files) const {
  const std::vector<std::string> step = names_of(step_kernels());
  std::vector<std::string> data = names_of(init_kernels_);
  for (const KernelSpec* kernel : verify_run_) data.push_back(kernel->name);
  for (const CheckSpec* check : checks_) {
    if (!check->reference_kernel.empty() && !is_apart(*configuration_, *check))
      data.push_back(check->reference_kernel);
  }
  std::erase_if(
      data, [&](const std::string& name) { return std::find(step.begin(), step.end(), name) != step.end(); });
  std::vector<Unit> units = make_both(*configuration_, step, data, target, files);
  const auto middle =
      std::find_if(units.begin(), units.end(), [](const Unit& unit) { return unit.role == Role::kData; });
  const std::set<std::string> sharing =
      kernels_that_share(*configuration_, {units.begin(), middle}, {middle, units.end()});
  if (!sharing.empty()) {
    std::vector<std::string> together = step, others;
    for (const std::string& kernel : data) (sharing.contains(kernel) ? together : others).push_back(kernel);
    units = make_both(*configuration_, together, others, target, files);
  }
  std::vector<const Unit*> all;
  for (const Unit& unit : units) all.push_back(&unit);
  require_shared_variables(*configuration_, all);
  return units;
}

std::vector<Unit> TrialNeeds::host_units(const Target& host, FileSystem& files) const {
  return make_units(*configuration_, host_kernels_, Role::kData, host, files);
}

}  // namespace kiln
