#pragma once

#include <filesystem>
#include <functional>

#include "base/file.h"
#include "record/json_node.h"
#include "tune/recorded_space.h"

namespace kiln {

/// Reads the points that a tuner measured: a journal of `kiln tune` (tune/tune_journal.h), a cache file of
/// Kernel Tuner, also one that is still being written and lacks its end, or T4 results
/// (https://github.com/autotuningassociation), each also compressed by gzip. Values are times. `take_head`
/// gets what a cache file or T4 results say beside their points. Throws bad_input with file and place for
/// anything else.
[[nodiscard]] RecordedSpace read_recorded_space(FileSystem& files, const std::filesystem::path& path,
                                                const std::function<void(const JsonNode&)>& take_head = {});

}  // namespace kiln
