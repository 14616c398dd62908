#pragma once

#include <optional>
#include <random>
#include <unordered_map>

#include "search/searcher.h"

namespace kiln {

/// A searcher that moves by single proposals, as the classic metaheuristics do. A proposal whose outcome is
/// known is observed at once and costs no evaluation; one that is outstanding is observed when its outcome
/// comes. After `kMostKnown` proposals in turn that brought no new point, a uniform sample is asked for.
class StepSearcher : public Searcher {
 public:
  StepSearcher(std::shared_ptr<History> history, const SearcherOptions& options)
      : Searcher(std::move(history)), random_(options.seed) {}

  [[nodiscard]] std::vector<std::uint64_t> ask(std::size_t wanted) final;
  void learn(std::uint64_t rank, const Outcome& outcome) final;

 protected:
  static constexpr int kMostKnown = 500;

  struct Proposal {
    Point point;
    std::size_t member = 0;  ///< member of the population; used by the searcher only
  };
  /// The next point to look at; absent where all members wait for outcomes.
  virtual std::optional<Proposal> propose() = 0;
  /// The cost is infinite for a point that failed.
  virtual void observe(const Proposal& proposal, double cost) = 0;

  std::mt19937_64& random() { return random_; }
  /// Uniform in [0, 1).
  double uniform() { return std::uniform_real_distribution<double>(0, 1)(random_); }
  std::size_t below(std::size_t end) {
    return std::uniform_int_distribution<std::size_t>(0, end - 1)(random_);
  }
  Point random_point() { return space().point(below(space().count())); }
  /// One of the neighbours; the point itself where it has none.
  Point random_neighbour(const Point& point, Neighbourhood kind);
  /// The point itself, else one of its neighbours in the space, the adjacent ones first, else the nearest
  /// point, else any.
  Point repaired(const Point& point);
  /// The point whose places are nearest to these real numbers, repaired.
  Point rounded(const std::vector<double>& places);

 private:
  std::mt19937_64 random_;
  std::unordered_map<std::uint64_t, std::vector<Proposal>> waiting_;  // by rank
};

}  // namespace kiln
