#pragma once

#include <string>
#include <vector>

#include "search/outcome.h"
#include "search/search_space.h"

namespace kiln {

struct RecordedParameter {
  std::string name;
  std::vector<std::string> values;  ///< as text
};

struct RecordedPoint {
  Outcome outcome;
  double seconds = 0;  ///< what the evaluation took: compile, check, measurement
};

/// A space of which every point was measured, by Kiln or another tuner: searches are replayed over it.
struct RecordedSpace {
  std::string name;
  std::vector<RecordedParameter> parameters;
  SearchSpace space;
  std::vector<RecordedPoint> points;  ///< by rank

  /// The least value. Throws bad_input for a space without a measured point.
  [[nodiscard]] double optimum() const;
};

}  // namespace kiln
