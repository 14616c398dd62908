#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/log.h"
#include "merge/merged.h"

namespace kiln {

/// Files of one kind that `kiln merge` joins into one.
struct MergeGroup {
  enum class Kind { kRecords, kJournal, kStudy };
  Kind kind = Kind::kRecords;
  std::filesystem::path output;  ///< a file: records.jsonl, tune.jsonl, study.jsonl
  std::vector<std::filesystem::path> inputs;
};

/// Files by what they begin with; folders are searched at any depth, and what lies in a folder of one stays
/// in a folder of the same name in `output`. Files that lie at the places of outputs are inputs, too. Throws
/// bad_input for what is not there, holds something else, or is no result.
[[nodiscard]] std::vector<MergeGroup> find_groups(FileSystem& files,
                                                  const std::vector<std::filesystem::path>& paths,
                                                  const std::filesystem::path& output);

/// The joined content of a group's files; lines that a crash truncated are warnings. Throws bad_input.
[[nodiscard]] Merged merge_group(FileSystem& files, const MergeGroup& group, const MergeOptions& options,
                                 Log& log);

/// What write_merged() did.
struct MergeResult {
  bool written = false;                      ///< false: the text was there already
  std::vector<std::filesystem::path> aside;  ///< the new names of inputs beside the output
};

/// Puts the text in its place by one rename, under the lock of `kiln merge`. Each input beside the output,
/// whose content stands twice there from now on, gets another name, which no reader takes for results.
MergeResult write_merged(FileSystem& files, const MergeGroup& group, const std::string& text);

/// Files that shards of runs and studies have left in a folder.
[[nodiscard]] std::vector<std::filesystem::path> shard_files(FileSystem& files,
                                                             const std::filesystem::path& folder);

/// Joins the shard_files() of a folder with its records.jsonl and study.jsonl, and sets them aside. Nothing
/// is written if two files do not belong together: throws bad_input.
void join_shards(FileSystem& files, const std::filesystem::path& folder, const MergeOptions& options,
                 Log& log);

/// Ending of a file's name before ".jsonl", such as a shard's: "-shard-2-of-8".
[[nodiscard]] std::string ending_of(const std::filesystem::path& file);

}  // namespace kiln
