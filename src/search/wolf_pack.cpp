#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>

#include "search/searchers.h"
#include "search/step_searcher.h"

namespace kiln {
namespace {

/// Adaptive tabu grey wolf pack (arXiv 2510.17899; grey wolves: Mirjalili, Mirjalili, Lewis, Adv. Eng.
/// Software 69, 2014). Each wolf but the three leaders mixes its values with theirs, is shaken to a neighbour
/// more often the longer the pack stagnates, avoids recently visited points, and accepts a worse place as
/// annealing does. Settings as in the paper's program, except for the temperature: differences of cost are
/// relative.
class WolfPack : public StepSearcher {
 public:
  WolfPack(std::shared_ptr<History> history, const SearcherOptions& options)
      : StepSearcher(std::move(history), options) {
    for (const std::uint64_t rank : space().sample(kPack, random()))
      pack_.push_back(new_wolf(space().point(rank)));
  }

 protected:
  std::optional<Proposal> propose() override {
    for (std::size_t tried = 0; tried < pack_.size(); ++tried) {
      if (next_ >= pack_.size()) begin_round();
      const std::size_t member = next_++;
      Wolf& wolf = pack_[member];
      if (wolf.waits || (wolf.started && member < kLeaders && pack_.size() > kLeaders)) continue;
      wolf.waits = true;
      Point point = wolf.started ? hunt(wolf) : wolf.point;
      visited(point);
      return Proposal{std::move(point), wolf.id};
    }
    return std::nullopt;
  }

  void observe(const Proposal& proposal, double cost) override {
    const auto wolf =
        std::find_if(pack_.begin(), pack_.end(), [&](const Wolf& one) { return one.id == proposal.member; });
    if (wolf == pack_.end()) return;
    wolf->waits = false;
    if (wolf->started && cost > wolf->cost && !accepts((cost - wolf->cost) / wolf->cost)) return;
    wolf->started = true;
    wolf->point = proposal.point;
    wolf->cost = cost;
  }

 private:
  struct Wolf {
    Point point;
    double cost = std::numeric_limits<double>::infinity();
    std::size_t id = 0;
    bool started = false, waits = false;
  };
  static constexpr std::size_t kPack = 8, kLeaders = 3, kTabu = 24, kRestarted = 3;
  static constexpr double kShake = 0.2, kMostShake = 0.5, kJump = 0.15;
  static constexpr double kHot = 0.1, kDecay = 5, kEvaluations = 5000;
  static constexpr int kStagnation = 80;

  Wolf new_wolf(Point point) { return {std::move(point), std::numeric_limits<double>::infinity(), ids_++}; }

  bool accepts(double worse) { return uniform() < std::exp(-worse / temperature()); }

  [[nodiscard]] double temperature() const {
    const double reheat = stagnation_ > 0 && stagnation_ % (kStagnation / 2) == 0 ? 0.2 * kHot : 0;
    return kHot * std::exp(-kDecay * static_cast<double>(history().told().size()) / kEvaluations) + reheat;
  }

  void begin_round() {
    next_ = 0;
    std::stable_sort(pack_.begin(), pack_.end(),
                     [](const Wolf& a, const Wolf& b) { return a.cost < b.cost; });
    stagnation_ = pack_.front().cost < best_cost_ ? 0 : stagnation_ + 1;
    best_cost_ = std::min(best_cost_, pack_.front().cost);
    if (stagnation_ < kStagnation) return;
    stagnation_ = 0;
    for (std::size_t i = pack_.size() - std::min(kRestarted, pack_.size()); i < pack_.size(); ++i)
      pack_[i] = new_wolf(random_point());
  }

  Point hunt(const Wolf& wolf) {
    Point child = wolf.point;
    for (std::size_t i = 0; i < child.size(); ++i) {
      const std::size_t leader = below(kLeaders + 1);
      if (leader < std::min(kLeaders, pack_.size())) child[i] = pack_[leader].point[i];
    }
    child = repaired(child);
    if (uniform() < std::min(kMostShake, kShake * (1 + stagnation_ / static_cast<double>(kStagnation))))
      child = shaken(std::move(child));
    if (std::find(tabu_.begin(), tabu_.end(), child) != tabu_.end())
      child = random_neighbour(child, Neighbourhood::kHamming);
    return child;
  }

  Point shaken(Point child) {
    if (uniform() >= kJump) return random_neighbour(child, Neighbourhood::kAdjacent);
    const std::size_t parameter = below(child.size());
    child[parameter] = random_point()[parameter];
    return repaired(child);
  }

  void visited(const Point& point) {
    tabu_.push_back(point);
    if (tabu_.size() > kTabu) tabu_.pop_front();
  }

  std::vector<Wolf> pack_;  // by cost, since the last round began
  std::size_t next_ = 0, ids_ = 0;
  std::deque<Point> tabu_;
  int stagnation_ = 0;
  double best_cost_ = std::numeric_limits<double>::infinity();
};

}  // namespace

SearcherPointer make_wolf_pack(std::shared_ptr<History> history, const SearcherOptions& options) {
  return std::make_unique<WolfPack>(std::move(history), options);
}

}  // namespace kiln
