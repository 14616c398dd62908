#include "search/step_searcher.h"

#include <algorithm>
#include <cmath>

namespace kiln {

std::vector<std::uint64_t> StepSearcher::ask(std::size_t wanted) {
  std::vector<std::uint64_t> asked;
  int known = 0;
  while (asked.size() < wanted && history().left() > 0) {
    std::optional<Proposal> proposal = propose();
    if (!proposal) break;
    std::uint64_t rank = *space().rank(proposal->point);
    if (const auto outcome = history().outcome(rank)) observe(*proposal, outcome->cost());
    if (history().knows(rank)) {
      if (!history().outcome(rank)) waiting_[rank].push_back(*std::move(proposal));
      if (++known < kMostKnown) continue;
      rank = history().sample_unknown(1, random_).front();
    } else {
      waiting_[rank].push_back(*std::move(proposal));
    }
    known = 0;
    shared_history().ask(rank);
    asked.push_back(rank);
  }
  return asked;
}

void StepSearcher::learn(std::uint64_t rank, const Outcome& outcome) {
  const auto waiting = waiting_.extract(rank);
  if (waiting.empty()) return;
  for (const Proposal& proposal : waiting.mapped()) observe(proposal, outcome.cost());
}

Point StepSearcher::random_neighbour(const Point& point, Neighbourhood kind) {
  const std::vector<Point> around = space().neighbours(point, kind);
  return around.empty() ? point : around[below(around.size())];
}

Point StepSearcher::repaired(const Point& point) {
  if (space().contains(point)) return point;
  for (const Neighbourhood kind : {Neighbourhood::kAdjacent, Neighbourhood::kHamming}) {
    std::vector<Point> around = space().neighbours(point, kind);
    std::erase_if(around, [&](const Point& one) { return !space().contains(one); });
    if (!around.empty()) return around[below(around.size())];
  }
  if (auto near = space().repair(point)) return *std::move(near);
  return random_point();
}

Point StepSearcher::rounded(const std::vector<double>& places) {
  Point point(places.size());
  for (std::size_t i = 0; i < places.size(); ++i) {
    const double last = space().parameters()[i].values - 1.0;
    point[i] = static_cast<std::uint32_t>(std::lround(std::clamp(places[i], 0.0, last)));
  }
  return repaired(point);
}

}  // namespace kiln
