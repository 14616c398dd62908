#pragma once

#include <filesystem>
#include <vector>

#include "base/file.h"
#include "job/record.h"

namespace kiln {

/// `<folder>/records.jsonl`, to which each run adds its records, one line each, written at once, so that an
/// interrupted run keeps what it had and runs at the same time do not mix lines. A last line that a crash
/// tore is dropped before others are added.
class RecordFile {
 public:
  RecordFile(FileSystem& files, std::filesystem::path folder);

  /// Throws bad_input naming the folder if records could not be written there. Leaves nothing behind, and no
  /// torn line.
  void require_writable() const;
  /// All records that are there; empty if there is no file. Throws bad_input for a line that is no record.
  [[nodiscard]] std::vector<Record> read() const;
  /// Makes the folder if need be. Throws environment_error when the disk refuses.
  void append(const Record& record);

  [[nodiscard]] std::filesystem::path path() const { return folder_ / "records.jsonl"; }

 private:
  void drop_torn_line() const;

  FileSystem& files_;
  std::filesystem::path folder_;
};

}  // namespace kiln
