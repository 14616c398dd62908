#include "tune/replay.h"

#include <algorithm>
#include <limits>

namespace kiln {

SearchTrace replay(const RecordedSpace& recorded, const std::string& searcher, std::uint64_t seed,
                   const ReplayOptions& options) {
  const auto search = make_searcher(searcher, recorded.space, {seed, options.evaluations});
  SearchTrace trace;
  double best = std::numeric_limits<double>::infinity(), seconds = 0;
  while (trace.best.size() < options.evaluations) {
    const std::size_t wanted = std::min<std::size_t>(options.batch, options.evaluations - trace.best.size());
    const std::vector<std::uint64_t> asked = search->ask(wanted);
    if (asked.empty()) break;
    for (const std::uint64_t rank : asked) {
      const RecordedPoint& point = recorded.points[rank];
      if (point.outcome.kind == OutcomeKind::kValue) best = std::min(best, point.outcome.value);
      seconds += point.seconds;
      trace.best.push_back(best);
      trace.seconds.push_back(seconds);
      search->tell(rank, point.outcome);
    }
  }
  return trace;
}

}  // namespace kiln
