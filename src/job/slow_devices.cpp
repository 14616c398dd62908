#include "job/slow_devices.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"

namespace kiln {

std::vector<std::string> find_slow_devices(const std::vector<DeviceTrial>& trials) {
  constexpr double kSlower = 1.1;
  std::vector<const DeviceTrial*> measured;
  for (const DeviceTrial& trial : trials) {
    if (trial.record.step && trial.record.step->median > 0) measured.push_back(&trial);
  }
  if (measured.size() < 2) return {};
  std::vector<double> medians;
  medians.reserve(measured.size());
  for (const DeviceTrial* trial : measured) medians.push_back(trial->record.step->median);
  const auto middle = medians.begin() + static_cast<std::ptrdiff_t>((medians.size() - 1) / 2);
  std::nth_element(medians.begin(), middle, medians.end());
  std::vector<std::string> slow;
  for (const DeviceTrial* trial : measured) {
    const Summary& step = *trial->record.step;
    if (step.ci_low <= kSlower * *middle) continue;
    const auto& clocks = trial->record.clocks_after;
    slow.push_back(
        trial->place + " takes " + format_seconds(step.median) + " for a step of '" + trial->record.label +
        "', " + format_number(std::round(100 * (step.median / *middle - 1))) + " % more than the median of " +
        std::to_string(measured.size()) + " devices (" + format_seconds(*middle) + ")" +
        (clocks && !clocks->limited_by.empty()
             ? "; its clocks are limited by " + join(clocks->limited_by, ", ")
             : "") +
        ": its times differ from an equal device's");
  }
  return slow;
}

}  // namespace kiln
