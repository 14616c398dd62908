#include "study/study_views.h"

#include "record/study_reader.h"

namespace kiln {

std::vector<StudyReport> reports_of(const StudyPlan& plan, const StudyOutcome& outcome,
                                    const StudyHeader& header) {
  std::string text = header_to_json(header) + "\n";
  for (std::size_t i = 0; i < outcome.devices.size(); ++i) {
    const DeviceCases& cases = plan.devices[i];
    const DeviceResult& result = outcome.devices[i];
    for (const StudyCase& which : cases.cases) {
      const auto found = result.data.find(which.name);
      if (found != result.data.end()) text += case_to_json(cases, which, found->second) + "\n";
    }
    text += result_to_json(cases, result.data, result.findings) + "\n";
  }
  return study_from_text(text, "study").reports;
}

}  // namespace kiln
