#include <algorithm>
#include <cmath>
#include <deque>
#include <set>

#include "search/searchers.h"
#include "search/step_searcher.h"

namespace kiln {
namespace {

/// A generational genetic algorithm (Holland, Adaptation in Natural and Artificial Systems, 1975): parents
/// are chosen by their place in the order of costs, which is beta-distributed, single-point crossover,
/// mutation to a random Hamming neighbour, children repaired into the space. Settings as in Kernel Tuner 1.5.
class GeneticSearcher : public StepSearcher {
 public:
  using StepSearcher::StepSearcher;

 protected:
  std::optional<Proposal> propose() override {
    if (parents_.size() < 2) return Proposal{random_point()};
    for (int attempt = 0; children_.empty() && attempt < kMostAttempts; ++attempt) breed();
    if (children_.empty()) return Proposal{random_point()};
    Proposal child{std::move(children_.front())};
    children_.pop_front();
    return child;
  }

  void observe(const Proposal& proposal, double cost) override {
    generation_.push_back({cost, proposal.point});
    if (generation_.size() < population_) return;
    std::stable_sort(generation_.begin(), generation_.end(),
                     [](const Individual& a, const Individual& b) { return a.cost < b.cost; });
    parents_.swap(generation_);
    generation_.clear();
    children_.clear();
    bred_.clear();
  }

 private:
  struct Individual {
    double cost = 0;
    Point point;
  };
  static constexpr double kBeta = 2.5;             // of Beta(1, kBeta)
  static constexpr std::size_t kMutateOneIn = 55;  // children
  static constexpr int kMostAttempts = 100;

  std::size_t choose_parent() {
    const double place = 1 - std::pow(uniform(), 1 / kBeta);  // inverse of the distribution of Beta(1, b)
    return static_cast<std::size_t>(place * static_cast<double>(parents_.size()));
  }

  void breed() {
    const std::size_t first = choose_parent();
    std::size_t second = choose_parent();
    while (second == first) second = choose_parent();
    Point one = parents_[first].point, other = parents_[second].point;
    const auto cut = static_cast<std::ptrdiff_t>(below(std::max<std::size_t>(1, one.size())));
    std::swap_ranges(one.begin() + cut, one.end(), other.begin() + cut);
    for (Point* child : {&one, &other}) {
      Point born = repaired(*child);
      if (below(kMutateOneIn) == 0) born = random_neighbour(born, Neighbourhood::kHamming);
      if (bred_.insert(born).second) children_.push_back(std::move(born));
    }
  }

  const std::size_t population_ =
      static_cast<std::size_t>(std::clamp<std::uint64_t>(space().count() / 2, 2, 26));
  std::vector<Individual> parents_;     // by cost
  std::vector<Individual> generation_;  // observed children
  std::deque<Point> children_;          // not yet proposed
  std::set<Point> bred_;                // of this generation
};

}  // namespace

SearcherPointer make_genetic_searcher(std::shared_ptr<History> history, const SearcherOptions& options) {
  return std::make_unique<GeneticSearcher>(std::move(history), options);
}

}  // namespace kiln
