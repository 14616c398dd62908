#pragma once

#include <cstdint>
#include <vector>

#include "tune/tuner.h"
#include "wisdom/wisdom_book.h"

namespace kiln {

/// The points of a search's space whose values are the nearest that wisdom knows for its first size and its
/// objective, also from other devices: good ones to begin with. Each once, the nearest first.
[[nodiscard]] std::vector<std::uint64_t> wisdom_points(const JobSpec& job, const TuningSpace& space,
                                                       const DeviceInfo& device, const WisdomBook& book,
                                                       FileSystem& files);

}  // namespace kiln
