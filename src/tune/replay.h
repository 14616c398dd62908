#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "search/searcher.h"
#include "tune/recorded_space.h"

namespace kiln {

struct ReplayOptions {
  std::uint64_t evaluations = 220;
  std::size_t batch = 1;  ///< points proposed at once; all get their outcomes before the next are proposed
};

/// The course of a search: an entry for each evaluation.
struct SearchTrace {
  std::vector<double> best;     ///< least value so far; infinite before the first measured point
  std::vector<double> seconds;  ///< since the start
};

/// Runs a search over a recorded space until the evaluations are used up or the space is.
[[nodiscard]] SearchTrace replay(const RecordedSpace& recorded, const std::string& searcher,
                                 std::uint64_t seed, const ReplayOptions& options);

}  // namespace kiln
