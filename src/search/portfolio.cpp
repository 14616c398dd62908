#include <algorithm>
#include <cmath>
#include <deque>
#include <map>

#include "search/searchers.h"

namespace kiln {
namespace {

/// A multi-armed bandit over searchers with one history, after OpenTuner (Ansel et al., PACT 2014): a
/// searcher's credit is the area under the curve of its new bests in a window of the latest outcomes, and one
/// that was asked seldom gets a bonus.
class Portfolio : public Searcher {
 public:
  Portfolio(std::shared_ptr<History> history, const SearcherOptions& options) : Searcher(std::move(history)) {
    std::uint64_t seed = options.seed;
    for (const auto make : {make_surrogate_searcher, make_wolf_pack, make_differential_evolution,
                            make_iterated_local_search, make_genetic_searcher})
      members_.push_back(make(history_pointer(), {seed++ * 0x9e3779b97f4a7c15, options.evaluations}));
  }

  std::vector<std::uint64_t> ask(std::size_t wanted) override {
    std::vector<std::uint64_t> asked;
    for (std::size_t i = 0; i < wanted && history().left() > 0; ++i) {
      for (const std::size_t member : by_credit()) {
        const std::vector<std::uint64_t> one = members_[member]->ask(1);
        if (one.empty()) continue;
        asked.push_back(one.front());
        author_[one.front()] = member;
        break;
      }
      if (asked.size() == i) break;
    }
    return asked;
  }

  void learn(std::uint64_t rank, const Outcome& outcome) override {
    for (const auto& member : members_) member->learn(rank, outcome);
    const bool is_best = history().best() != nullptr && history().best()->rank == rank;
    const auto author = author_.find(rank);
    if (author == author_.end()) return;
    window_.push_back({author->second, is_best});
    if (window_.size() > kWindow) window_.pop_front();
    author_.erase(author);
  }

 private:
  struct Use {
    std::size_t member = 0;
    bool is_best = false;
  };
  static constexpr std::size_t kWindow = 100;
  static constexpr double kBonus = 0.05;

  /// The most creditable first; of equal ones the first.
  [[nodiscard]] std::vector<std::size_t> by_credit() const {
    std::vector<double> credit;
    std::vector<std::size_t> order;
    for (std::size_t member = 0; member < members_.size(); ++member) {
      credit.push_back(credit_of(member));
      order.push_back(member);
    }
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return credit[a] > credit[b]; });
    return order;
  }

  [[nodiscard]] double credit_of(std::size_t member) const {
    double uses = 0, area = 0;
    for (const Use& use : window_) {
      if (use.member != member) continue;
      ++uses;
      if (use.is_best) area += uses;
    }
    for (const auto& [rank, author] : author_) uses += author == member ? 1 : 0;
    if (uses == 0) return 1e9;
    const auto all = static_cast<double>(window_.size() + author_.size());
    return 2 * area / (uses * (uses + 1)) + kBonus * std::sqrt(2 * std::log(all) / uses);
  }

  std::vector<std::unique_ptr<Searcher>> members_;
  std::map<std::uint64_t, std::size_t> author_;  // the member that proposed each outstanding point
  std::deque<Use> window_;
};

}  // namespace

SearcherPointer make_portfolio(std::shared_ptr<History> history, const SearcherOptions& options) {
  return std::make_unique<Portfolio>(std::move(history), options);
}

}  // namespace kiln
