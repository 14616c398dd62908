#include <cmath>
#include <limits>

#include "search/searchers.h"
#include "search/step_searcher.h"

namespace kiln {
namespace {

/// Simulated annealing (Kirkpatrick, Gelatt, Vecchi, Science 220, 1983): the temperature falls geometrically
/// with the number of outcomes and acts on relative differences of cost; a step changes each parameter with
/// probability 0.2 and one to its next value. A chain that finds nothing new begins again elsewhere.
class SimulatedAnnealing : public StepSearcher {
 public:
  SimulatedAnnealing(std::shared_ptr<History> history, const SearcherOptions& options)
      : StepSearcher(std::move(history), options), evaluations_(static_cast<double>(options.evaluations)) {}

 protected:
  std::optional<Proposal> propose() override {
    if (current_.empty() || since_new_ > kPatience) {
      cost_ = std::numeric_limits<double>::infinity();
      since_new_ = 0;
      current_ = random_point();
      return Proposal{current_};
    }
    ++since_new_;
    Point point = current_;
    for (std::size_t i = 0; i < point.size(); ++i) {
      if (uniform() < kChange) point = random_neighbour(point, Neighbourhood::kHamming);
    }
    return Proposal{random_neighbour(point, Neighbourhood::kAdjacent)};
  }

  void observe(const Proposal& proposal, double cost) override {
    if (history().told().size() != told_) since_new_ = 0;
    told_ = history().told().size();
    if (cost > cost_ && uniform() >= std::exp((cost_ - cost) / cost_ / temperature())) return;
    cost_ = cost;
    current_ = proposal.point;
  }

 private:
  static constexpr double kHot = 0.1, kCold = 1e-4, kChange = 0.2;
  static constexpr int kPatience = 100;

  [[nodiscard]] double temperature() const {
    const double part = std::min(1.0, static_cast<double>(history().told().size()) / evaluations_);
    return kHot * std::pow(kCold / kHot, part);
  }

  const double evaluations_;
  Point current_;
  double cost_ = std::numeric_limits<double>::infinity();
  int since_new_ = 0;
  std::size_t told_ = 0;
};

}  // namespace

SearcherPointer make_simulated_annealing(std::shared_ptr<History> history, const SearcherOptions& options) {
  return std::make_unique<SimulatedAnnealing>(std::move(history), options);
}

}  // namespace kiln
