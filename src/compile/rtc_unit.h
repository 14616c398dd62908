#pragma once

#include <filesystem>
#include <functional>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "base/file.h"
#include "base/log.h"
#include "specialize/specialization.h"

namespace kiln {

/// The input of a run-time compiler (NVRTC, hipRTC): the text, and the headers that it finds in memory by the
/// name in the #include.
struct RtcUnit {
  std::string text;
  std::vector<std::pair<std::string, std::string>> headers;
  /// With `lineinfo`: the text that a profiler shows for headers that are not in a file of the user's.
  std::vector<std::pair<std::filesystem::path, std::string>> sources;

  /// Adds a header unless one of this name exists.
  void add_header(std::string name, std::string content);
};

/// The differences between the compilers' units.
struct RtcDialect {
  std::string prologue;                                          ///< the first lines, each with its end
  std::function<std::string(const std::string&)> launch_bounds;  ///< from "256, 2" to an attribute
};

/// The prologue, definitions, then the kernel text with its own line numbers. `source_folder` is the folder
/// for the unit's `sources`.
[[nodiscard]] RtcUnit make_rtc_unit(const Specialization& specialization, const RtcDialect& dialect,
                                    const std::filesystem::path& source_folder);

/// Writes the unit's `sources`. If the folder cannot be written, a profiler lacks those lines; there is no
/// other effect.
void keep_sources(const RtcUnit& unit, FileSystem& files, Log& log);

/// Whether one of the user's own options starts with one of these texts.
[[nodiscard]] bool has_option(const Specialization& specialization,
                              std::initializer_list<const char*> prefixes);

}  // namespace kiln
