#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/log.h"
#include "record/json_lines.h"
#include "record/record.h"

namespace kiln {

/// Whether a file of this name holds records: `records.jsonl`, and `records-<name>.jsonl` of other ranks or
/// runs.
[[nodiscard]] bool is_record_file(const std::string& name);

/// All records of the files, in that order. A line that a crash cut off is a warning with its place. Throws
/// bad_input for a file that is not there and any other line that is no record.
[[nodiscard]] std::vector<Record> read_records(FileSystem& files,
                                               const std::vector<std::filesystem::path>& paths, Log& log);

/// `<folder>/records.jsonl`, to which each run adds its records, one line each (record/json_lines.h); of a
/// shard `records<ending>.jsonl`.
class RecordFile {
 public:
  RecordFile(FileSystem& files, std::filesystem::path folder, const std::string& ending = "");

  /// Throws bad_input naming the folder if records could not be written there, and where the file holds
  /// something else. Leaves nothing behind.
  void require_writable() const;
  /// All records of this file and of `records-*.jsonl` in its folder, file by file; empty if there is none.
  /// Lines that a crash cut off are warnings. Throws bad_input for any other line that is no record.
  [[nodiscard]] std::vector<Record> read(Log& log) const;
  /// Makes the folder if need be. Throws environment_error when the disk refuses.
  void append(const Record& record);

  [[nodiscard]] const std::filesystem::path& path() const { return file_.path(); }
  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }

 private:
  FileSystem& files_;
  std::filesystem::path folder_;
  JsonLinesFile file_;
};

}  // namespace kiln
