#pragma once

#include <cstdint>
#include <optional>

#include "search/history.h"

namespace kiln {

/// When a search ends: at the first limit that is reached, or when no point is left.
struct SearchBudget {
  std::optional<std::uint64_t> evaluations = std::nullopt;
  std::optional<double> seconds = std::nullopt;
  std::optional<double> fraction = std::nullopt;      ///< part of the space's points, from 0 to 1
  std::optional<double> target = std::nullopt;        ///< a value at or below this
  std::optional<std::uint64_t> stall = std::nullopt;  ///< evaluations in turn without a new best
};

enum class SearchEnd { kEvaluations, kSeconds, kFraction, kTarget, kStall, kSpace };

/// Why the search ends now; absent where it goes on.
[[nodiscard]] std::optional<SearchEnd> search_end(const SearchBudget& budget, const History& history,
                                                  double seconds);

}  // namespace kiln
