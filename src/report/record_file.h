#pragma once

#include <filesystem>
#include <string>

#include "base/file.h"
#include "job/record.h"

namespace kiln {

/// `<folder>/records.jsonl`, to which each run adds its records, one line each, written at once, so that an
/// interrupted run keeps what it had and runs at the same time do not mix lines.
class RecordFile {
 public:
  RecordFile(FileSystem& files, std::filesystem::path folder);

  /// Throws bad_input naming the folder if records could not be written there. Leaves nothing behind.
  void require_writable() const;
  /// Makes the folder if need be. Throws environment_error when the disk refuses.
  void append(const Record& record);

  [[nodiscard]] std::filesystem::path path() const { return folder_ / "records.jsonl"; }

 private:
  FileSystem& files_;
  std::filesystem::path folder_;
};

}  // namespace kiln
