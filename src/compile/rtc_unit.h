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

/// What a run-time compiler (NVRTC, hipRTC) is given: the text, and the headers that it finds in memory by
/// the name in the #include.
struct RtcUnit {
  std::string text;
  std::vector<std::pair<std::string, std::string>> headers;
  /// With `lineinfo`: what a profiler is to show of the headers that are in no file of the user's.
  std::vector<std::pair<std::filesystem::path, std::string>> sources;

  /// Unless there is one of this name already.
  void add_header(std::string name, std::string content);
};

/// Where the compilers' units differ.
struct RtcDialect {
  std::string prologue;                                          ///< lines that come first, each with its end
  std::function<std::string(const std::string&)> launch_bounds;  ///< from "256, 2" to an attribute
};

/// The prologue, definitions, then the kernel text with its own line numbers. `source_folder` is where the
/// unit's `sources` will lie.
[[nodiscard]] RtcUnit make_rtc_unit(const Specialization& specialization, const RtcDialect& dialect,
                                    const std::filesystem::path& source_folder);

/// Writes the unit's `sources`; a folder that cannot be written costs a profiler those lines and nothing
/// else.
void keep_sources(const RtcUnit& unit, FileSystem& files, Log& log);

/// Whether one of the user's own options starts with one of these.
[[nodiscard]] bool has_option(const Specialization& specialization,
                              std::initializer_list<const char*> prefixes);

}  // namespace kiln
