#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "workload/configuration.h"

namespace kiln {

/// Places of a configuration's temporary buffers in the piece of memory that they share.
struct TemporaryPlan {
  static constexpr std::uint64_t kAlignment = 256;

  std::map<std::string, std::uint64_t> offsets;  ///< in bytes, each a multiple of kAlignment
  std::uint64_t bytes = 0;                       ///< of the piece
};

/// Places the temporary ones of `buffers`. A buffer is in use from the first to the last statement of `run`
/// that may take it or a view of it; a statement in a loop or in branches counts as the whole loop or
/// `parallel`. Buffers in use at the same time do not overlap: the largest is placed first, each as low as it
/// fits. Throws bad_input for more than 2^60 bytes.
[[nodiscard]] TemporaryPlan plan_temporaries(const Configuration& configuration,
                                             const std::vector<std::string>& buffers);

}  // namespace kiln
