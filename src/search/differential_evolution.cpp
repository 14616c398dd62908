#include <algorithm>
#include <limits>

#include "search/searchers.h"
#include "search/step_searcher.h"

namespace kiln {
namespace {

/// Differential evolution best/1/bin (Storn, Price, J. Global Optimization 11, 1997) over the places of the
/// values; trial vectors are rounded and repaired into the space. Asynchronous, as the swarm is.
class DifferentialEvolution : public StepSearcher {
 public:
  DifferentialEvolution(std::shared_ptr<History> history, const SearcherOptions& options)
      : StepSearcher(std::move(history), options) {
    for (const std::uint64_t rank : space().sample(kPopulation, random()))
      members_.push_back({space().point(rank)});
  }

 protected:
  std::optional<Proposal> propose() override {
    for (std::size_t tried = 0; tried < members_.size(); ++tried) {
      const std::size_t member = next_++ % members_.size();
      if (members_[member].waits) continue;
      members_[member].waits = true;
      if (!members_[member].started) return Proposal{members_[member].point, member};
      return Proposal{trial(member), member};
    }
    return std::nullopt;
  }

  void observe(const Proposal& proposal, double cost) override {
    Member& member = members_[proposal.member];
    member.waits = false;
    member.started = true;
    if (cost <= member.cost) member = {proposal.point, cost, true, false};
  }

 private:
  struct Member {
    Point point;
    double cost = std::numeric_limits<double>::infinity();
    bool started = false, waits = false;
  };
  static constexpr std::size_t kPopulation = 24;
  static constexpr double kWeight = 0.7, kCrossover = 0.6;

  Point trial(std::size_t target) {
    const Point& best =
        std::min_element(members_.begin(), members_.end(), [](const Member& a, const Member& b) {
          return a.cost < b.cost;
        })->point;
    const Point& one = members_[below(members_.size())].point;
    const Point& other = members_[below(members_.size())].point;
    const Point& own = members_[target].point;
    const std::size_t forced = below(own.size());
    std::vector<double> places(own.begin(), own.end());
    for (std::size_t i = 0; i < own.size(); ++i) {
      if (i != forced && uniform() >= kCrossover) continue;
      places[i] = best[i] + kWeight * (static_cast<double>(one[i]) - static_cast<double>(other[i]));
    }
    return rounded(places);
  }

  std::vector<Member> members_;
  std::size_t next_ = 0;
};

}  // namespace

SearcherPointer make_differential_evolution(std::shared_ptr<History> history,
                                            const SearcherOptions& options) {
  return std::make_unique<DifferentialEvolution>(std::move(history), options);
}

}  // namespace kiln
