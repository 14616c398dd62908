#pragma once

#include <filesystem>
#include <vector>

#include "base/file.h"
#include "base/log.h"
#include "record/json_lines.h"
#include "record/record.h"

namespace kiln {

/// `<folder>/records.jsonl`, to which each run adds its records, one line each (record/json_lines.h).
class RecordFile {
 public:
  RecordFile(FileSystem& files, std::filesystem::path folder);

  /// Throws bad_input naming the folder if records could not be written there, and where the file holds
  /// something else. Leaves nothing behind.
  void require_writable() const;
  /// All records that are there; empty if there is no file. Lines that a crash cut off are warnings. Throws
  /// bad_input for any other line that is no record.
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
