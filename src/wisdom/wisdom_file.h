#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/file.h"
#include "wisdom/wisdom_record.h"

namespace kiln {

inline constexpr std::string_view kWisdomEnding = ".wisdom.yaml";
/// The name of a workload's file in a folder of wisdom.
[[nodiscard]] std::string wisdom_file_name(const std::string& workload);

/// Reads a list of records. Throws bad_input with place and key for other content; names and values are
/// compared with the workload when a record is chosen.
[[nodiscard]] std::vector<WisdomRecord> parse_wisdom(const std::string& text, const std::string& file);
/// Keys as they stand in such a list, "{workload: minibude, ...}", each with its line of the file, in the
/// order of the lines.
[[nodiscard]] std::vector<WisdomKey> parse_wisdom_keys(
    const std::vector<std::pair<std::string_view, int>>& keys, const std::string& file);
[[nodiscard]] std::vector<WisdomRecord> read_wisdom_file(FileSystem& files,
                                                         const std::filesystem::path& path);

/// The file's text, which reads back, for records in the order of merge_wisdom.
[[nodiscard]] std::string wisdom_text(const std::vector<WisdomRecord>& records);

/// The best kRanks points of each key, sorted and ranked; of equal points the one made last. In whatever
/// order and however often records are merged, the result is the same.
[[nodiscard]] std::vector<WisdomRecord> merge_wisdom(std::vector<WisdomRecord> records);

/// Merges records into a file, which is made where it is not there, in one step; under a lock, so that
/// several processes lose nothing of each other's. Points of `failed`, by key and values, are taken out of
/// it. Throws bad_input for a file that is no wisdom, filesystem_error.
void update_wisdom_file(FileSystem& files, const std::filesystem::path& path,
                        std::vector<WisdomRecord> records, const std::vector<WisdomRecord>& failed = {});

/// The day of WisdomOrigin::date.
[[nodiscard]] std::string wisdom_date(std::int64_t system_ns);

/// The key in the form of a file; equal keys have equal texts.
[[nodiscard]] std::string wisdom_key_text(const WisdomKey& key);

}  // namespace kiln
