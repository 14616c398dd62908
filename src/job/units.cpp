#include "job/units.h"

#include <algorithm>

#include "job/buffer_layout.h"

namespace kiln {

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
  std::vector<Unit> units = make_units(configuration, needs.run, Role::kStep, target, files);
  for (Unit& unit : make_units(configuration, data, Role::kData, target, files))
    units.push_back(std::move(unit));
  return units;
}

}  // namespace kiln
