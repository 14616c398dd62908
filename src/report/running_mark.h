#pragma once

#include <filesystem>
#include <optional>

#include "base/file.h"
#include "base/held_file.h"
#include "base/log.h"
#include "record/record.h"
#include "record/record_file.h"

namespace kiln {

/// Beside a run's records, `.running-<owner>-<n>`: the record of the variant that runs now, as far as it is
/// known, so that a variant that ends its process does not vanish. The process holds the file, and removes it
/// when the run ends.
class RunningMark {
 public:
  explicit RunningMark(std::filesystem::path folder) : folder_(std::move(folder)) {}
  ~RunningMark();
  RunningMark(const RunningMark&) = delete;
  RunningMark& operator=(const RunningMark&) = delete;

  /// Makes the folder if need be. Throws environment_error when the disk refuses.
  void begin(const Record& so_far);
  /// Its record is written.
  void end();
  /// The run has ended.
  void remove() noexcept;
  /// Somebody asked the run to stop: if the process ends now, that is not the variant's doing.
  void interrupt() noexcept;
  /// Of the file, or -1.
  [[nodiscard]] int descriptor() const { return file_ ? file_->descriptor() : -1; }

 private:
  std::filesystem::path folder_;
  std::optional<HeldFile> file_;
};

/// Whether a record says that its process was ended from outside: that may have been the variant's doing, as
/// when memory runs out, or somebody's kill.
[[nodiscard]] bool died_without_word(const Record& record);

/// Adds a record with status crashed for each variant that ended the process of an earlier run into the same
/// folder, and says so in a warning.
void record_crashed_variants(FileSystem& files, RecordFile& file, Log& log);

}  // namespace kiln
