#pragma once

#include <cstdint>
#include <optional>
#include <random>
#include <set>
#include <unordered_map>
#include <vector>

#include "search/outcome.h"
#include "search/search_space.h"

namespace kiln {

/// A point with its outcome.
struct Trialled {
  std::uint64_t rank = 0;
  Point point;
  Outcome outcome;
};

/// The points that a search has proposed and their outcomes, in the order of arrival. Borrows the space.
class History {
 public:
  explicit History(const SearchSpace& space) : space_(space) {}

  [[nodiscard]] const SearchSpace& space() const { return space_; }
  /// Notes that the point was asked for; its outcome is outstanding.
  void ask(std::uint64_t rank);
  /// Also for points that were not proposed, such as points of an earlier run. A later outcome replaces an
  /// earlier one.
  void tell(std::uint64_t rank, const Outcome& outcome);

  [[nodiscard]] const std::vector<Trialled>& told() const { return told_; }
  /// The measured point of least value; absent where none was measured.
  [[nodiscard]] const Trialled* best() const;
  /// Outcomes since the best one; all where there is none.
  [[nodiscard]] std::size_t since_best() const { return told_.size() - (best_ ? *best_ + 1 : 0); }
  /// Proposed points without an outcome, by rank.
  [[nodiscard]] const std::set<std::uint64_t>& outstanding() const { return outstanding_; }
  /// Whether it was proposed or has an outcome.
  [[nodiscard]] bool knows(std::uint64_t rank) const { return known_.contains(rank); }
  [[nodiscard]] std::optional<Outcome> outcome(std::uint64_t rank) const;
  [[nodiscard]] std::uint64_t left() const { return space_.count() - known_.size(); }
  /// Ranks of at most `wanted` points that it does not know, each as probable as any other.
  [[nodiscard]] std::vector<std::uint64_t> sample_unknown(std::size_t wanted, std::mt19937_64& random) const;

 private:
  static constexpr std::size_t kOutstanding = static_cast<std::size_t>(-1);

  void keep_if_best(std::size_t place);

  const SearchSpace& space_;
  std::vector<Trialled> told_;
  std::unordered_map<std::uint64_t, std::size_t> known_;  // place in told_, or kOutstanding
  std::set<std::uint64_t> outstanding_;
  std::optional<std::size_t> best_;
};

}  // namespace kiln
