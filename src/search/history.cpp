#include "search/history.h"

#include <algorithm>
#include <unordered_set>

namespace kiln {

void History::ask(std::uint64_t rank) {
  if (known_.emplace(rank, kOutstanding).second) outstanding_.insert(rank);
}

void History::tell(std::uint64_t rank, const Outcome& outcome) {
  const auto [known, is_new] = known_.emplace(rank, told_.size());
  if (!is_new && known->second != kOutstanding) {
    told_[known->second].outcome = outcome;
    best_.reset();
    for (std::size_t i = 0; i < told_.size(); ++i) keep_if_best(i);
    return;
  }
  outstanding_.erase(rank);
  known->second = told_.size();
  told_.push_back({rank, space_.point(rank), outcome});
  keep_if_best(known->second);
}

void History::keep_if_best(std::size_t place) {
  const Outcome& outcome = told_[place].outcome;
  if (outcome.kind != OutcomeKind::kValue) return;
  if (!best_ || outcome.value < told_[*best_].outcome.value) best_ = place;
}

const Trialled* History::best() const {
  return best_ ? &told_[*best_] : nullptr;
}

std::optional<Outcome> History::outcome(std::uint64_t rank) const {
  const auto known = known_.find(rank);
  if (known == known_.end() || known->second == kOutstanding) return std::nullopt;
  return told_[known->second].outcome;
}

std::vector<std::uint64_t> History::sample_unknown(std::size_t wanted, std::mt19937_64& random) const {
  wanted = static_cast<std::size_t>(std::min<std::uint64_t>(wanted, left()));
  std::vector<std::uint64_t> found;
  if (wanted * 2 > left() || known_.size() > left()) {  // few are left: go through all
    for (std::uint64_t rank = 0; rank < space_.count(); ++rank) {
      if (!knows(rank)) found.push_back(rank);
    }
    std::shuffle(found.begin(), found.end(), random);
    found.resize(wanted);
    return found;
  }
  std::unordered_set<std::uint64_t> taken;
  std::uniform_int_distribution<std::uint64_t> any(0, space_.count() - 1);
  while (found.size() < wanted) {
    const std::uint64_t rank = any(random);
    if (!knows(rank) && taken.insert(rank).second) found.push_back(rank);
  }
  return found;
}

}  // namespace kiln
