#include "tune/wisdom_points.h"

#include <algorithm>

#include "wisdom/wisdom_choice.h"
#include "wisdom/wisdom_file.h"

namespace kiln {

std::vector<std::uint64_t> wisdom_points(const JobSpec& job, const TuningSpace& space,
                                         const DeviceInfo& device, const WisdomBook& book,
                                         FileSystem& files) {
  const WisdomQuestion question{
      space.workload(), space.set(0), device, {}, job.tune.objective.metrics.front()};
  std::vector<std::uint64_t> points;
  for (const WisdomChoice& choice : choose_wisdom(book, question, files, kRanks, true)) {
    auto assignments = question.set;
    assignments.insert(assignments.end(), choice.values.begin(), choice.values.end());
    const auto rank = space.rank_of(configure(question.workload, assignments, device, files).configuration);
    if (rank && std::find(points.begin(), points.end(), *rank) == points.end()) points.push_back(*rank);
  }
  return points;
}

}  // namespace kiln
