#include <algorithm>
#include <limits>

#include "search/searchers.h"
#include "search/step_searcher.h"

namespace kiln {
namespace {

/// Iterated local search (Lourenco, Martin, Stutzle, Handbook of Metaheuristics, 2003): the best of eight
/// random points, first-improvement descent through the Hamming neighbours, the adjacent ones first, then a
/// kick of the best; after `kPatience` kicks in vain the search begins elsewhere.
class IteratedLocalSearch : public StepSearcher {
 public:
  using StepSearcher::StepSearcher;

 protected:
  std::optional<Proposal> propose() override {
    if (started_ < kStarts) return ++started_, Proposal{random_point()};
    if (observed_ < kStarts) return std::nullopt;
    if (around_.empty()) next_descent();
    if (around_.empty()) return Proposal{current_};
    Proposal neighbour{std::move(around_.back())};
    around_.pop_back();
    return neighbour;
  }

  void observe(const Proposal& proposal, double cost) override {
    ++observed_;
    if (cost >= cost_ && !current_.empty()) return;
    cost_ = cost;
    current_ = proposal.point;
    if (observed_ >= kStarts) list_neighbours();
  }

 private:
  static constexpr std::size_t kStarts = 8;
  static constexpr int kPatience = 3;

  /// In random order, the adjacent ones at the back, from where they are taken.
  void list_neighbours() {
    around_ = space().neighbours(current_, Neighbourhood::kHamming);
    std::shuffle(around_.begin(), around_.end(), random());
    const std::vector<Point> near = space().neighbours(current_, Neighbourhood::kAdjacent);
    std::stable_partition(around_.begin(), around_.end(), [&](const Point& point) {
      return std::find(near.begin(), near.end(), point) == near.end();
    });
  }

  /// Called at a local optimum, and before the first descent.
  void next_descent() {
    if (!descended_) {
      descended_ = true;
      list_neighbours();
      return;
    }
    if (cost_ < best_cost_) {
      best_ = current_;
      best_cost_ = cost_;
      kicks_ = 0;
    }
    if (++kicks_ > kPatience || best_.empty()) {
      kicks_ = 0;
      current_ = random_point();
    } else {
      current_ = best_;
      for (int i = 0; i < 1 + kicks_; ++i) current_ = random_neighbour(current_, Neighbourhood::kHamming);
    }
    cost_ = std::numeric_limits<double>::infinity();
    list_neighbours();
    around_.push_back(current_);
  }

  std::size_t started_ = 0, observed_ = 0;
  bool descended_ = false;
  Point current_, best_;
  double cost_ = std::numeric_limits<double>::infinity();
  double best_cost_ = std::numeric_limits<double>::infinity();
  int kicks_ = 0;
  std::vector<Point> around_;  // neighbours of `current_` that were not proposed yet
};

}  // namespace

SearcherPointer make_iterated_local_search(std::shared_ptr<History> history, const SearcherOptions& options) {
  return std::make_unique<IteratedLocalSearch>(std::move(history), options);
}

}  // namespace kiln
