#include "trial/units.h"

#include <algorithm>
#include <set>

#include "trial/buffer_layout.h"
#include "trial/shared_variables.h"

namespace kiln {
namespace {

std::vector<Unit> make_both(const Configuration& configuration, const std::vector<std::string>& step,
                            const std::vector<std::string>& data, const Target& target, FileSystem& files) {
  std::vector<Unit> units = make_units(configuration, step, Role::kRun, target, files);
  for (Unit& unit : make_units(configuration, data, Role::kData, target, files))
    units.push_back(std::move(unit));
  return units;
}

}  // namespace

std::vector<Unit> make_variant_units(const Configuration& configuration, const std::vector<std::string>& step,
                                     const std::vector<std::string>& data, const Target& target,
                                     FileSystem& files) {
  std::vector<Unit> units = make_both(configuration, step, data, target, files);
  const auto middle =
      std::find_if(units.begin(), units.end(), [](const Unit& unit) { return unit.role == Role::kData; });
  const std::set<std::string> sharing =
      kernels_that_share(configuration, {units.begin(), middle}, {middle, units.end()});
  if (!sharing.empty()) {
    std::vector<std::string> together = step, others;
    for (const std::string& kernel : data) (sharing.contains(kernel) ? together : others).push_back(kernel);
    units = make_both(configuration, together, others, target, files);
  }
  std::vector<const Unit*> all;
  for (const Unit& unit : units) all.push_back(&unit);
  require_shared_variables(configuration, all);
  return units;
}

std::vector<Unit> units_of(const Configuration& configuration, const Target& target, FileSystem& files) {
  const VariantNeeds needs = needs_of(configuration, target.backend != "cpu");
  std::vector<std::string> data = needs.init_kernels;
  data.insert(data.end(), needs.verify_run.begin(), needs.verify_run.end());
  for (const CheckSpec* check : needs.checks) {
    if (!check->reference_kernel.empty()) data.push_back(check->reference_kernel);
  }
  std::erase_if(data, [&](const std::string& name) {
    return std::find(needs.run.begin(), needs.run.end(), name) != needs.run.end();
  });
  return make_variant_units(configuration, needs.run, data, target, files);
}

}  // namespace kiln
