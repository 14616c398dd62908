#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "base/file.h"

namespace kiln {

/// A span of a trace; times are seconds since the first span began.
struct TimelineSpan {
  std::size_t lane = 0;  ///< index in Timeline::lanes
  std::string kind, name;
  double begin = 0, seconds = 0;
};

/// The content of a trace file of `--trace`, for a plot.
struct Timeline {
  std::string file;
  std::vector<std::string> lanes;  ///< names of threads of the host and streams of devices, each once
  std::vector<TimelineSpan> spans;
  std::size_t left_out = 0;  ///< shorter spans, beyond kMostTimelineSpans
};

inline constexpr std::size_t kMostTimelineSpans = 4000;

/// Reads a file in the Trace Event Format; the longest kMostTimelineSpans spans are kept. Throws bad_input
/// with file, key, what was expected and what was found.
[[nodiscard]] Timeline read_timeline(FileSystem& files, const std::filesystem::path& path);

}  // namespace kiln
