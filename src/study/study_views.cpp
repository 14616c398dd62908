#include "study/study_views.h"

namespace kiln {

std::vector<StudyReport> reports_of(const StudyPlan& plan, const StudyOutcome& outcome,
                                    const StudyHeader& header) {
  StudyContent content;
  content.header = header;
  for (std::size_t i = 0; i < outcome.devices.size(); ++i) {
    const DeviceResult& device = outcome.devices[i];
    if (!device.is_own) continue;
    StudyContent::Block& block = content.blocks[block_of(plan.devices[i])];
    block.device_name = plan.devices[i].device.name;
    block.result = device.result;
    for (const auto& [name, data] : device.data) block.cases[name] = data.costs;
  }
  return reports_of(std::move(content), "study").reports;
}

}  // namespace kiln
