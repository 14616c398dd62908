#pragma once

#include <filesystem>
#include <optional>

#include "base/file.h"
#include "base/held_file.h"
#include "base/log.h"
#include "record/record.h"
#include "record/record_file.h"

namespace kiln {

/// A file beside a run's records, `.running-<owner>-<n>`: the record of the variant that runs now, as far as
/// it is known. If the variant ends its process, the next run finds the record there. The process holds the
/// file open, and removes it when the run ends.
class RunningMark {
 public:
  explicit RunningMark(std::filesystem::path folder) : folder_(std::move(folder)) {}
  ~RunningMark();
  RunningMark(const RunningMark&) = delete;
  RunningMark& operator=(const RunningMark&) = delete;

  /// Creates the folder if needed. Throws environment_error when the file cannot be written.
  void begin(const Record& so_far);
  /// The variant's record has been written.
  void end();
  /// The run has ended.
  void remove() noexcept;
  /// The run was asked to stop: if the process ends now, the variant is not the cause.
  void interrupt() noexcept;
  /// The descriptor of the file, or -1.
  [[nodiscard]] int descriptor() const { return file_ ? file_->descriptor() : -1; }

 private:
  std::filesystem::path folder_;
  std::optional<HeldFile> file_;
};

/// Whether a record says that its process was ended from outside. The variant may be the cause, as when
/// memory runs out, or a user may have killed the process.
[[nodiscard]] bool died_without_word(const Record& record);

/// Adds a record with status crashed for each variant that ended the process of an earlier run into the same
/// folder, and reports it in a warning.
void record_crashed_variants(FileSystem& files, RecordFile& file, Log& log);

}  // namespace kiln
