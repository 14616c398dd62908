#include "search/budget.h"

namespace kiln {

std::optional<SearchEnd> search_end(const SearchBudget& budget, const History& history, double seconds) {
  const std::uint64_t told = history.told().size();
  const Trialled* best = history.best();
  if (best != nullptr && budget.target && best->outcome.value <= *budget.target) return SearchEnd::kTarget;
  if (budget.evaluations && told >= *budget.evaluations) return SearchEnd::kEvaluations;
  if (budget.seconds && seconds >= *budget.seconds) return SearchEnd::kSeconds;
  const auto points = static_cast<double>(history.space().count());
  if (budget.fraction && static_cast<double>(told) >= *budget.fraction * points) return SearchEnd::kFraction;
  if (budget.stall && history.since_best() >= *budget.stall) return SearchEnd::kStall;
  if (history.left() == 0 && history.outstanding().empty()) return SearchEnd::kSpace;
  return std::nullopt;
}

}  // namespace kiln
