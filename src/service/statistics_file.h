#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/file.h"
#include "service/kernel_service.h"

namespace kiln {

/// The sum of the counts of all runs that used a cache folder.
struct StoredStatistics {
  ServiceCounters counters;
  std::uint64_t runs = 0;
  std::int64_t since_ns = 0;     ///< wall clock, of the first run; 0 where there is none
  std::uint64_t unreadable = 0;  ///< lines that are damaged or of another form, passed over
};

/// A line of that file, without its end; numbers read back. Absent for a line that is damaged.
[[nodiscard]] std::string statistics_text(const StoredStatistics& statistics);
[[nodiscard]] std::optional<StoredStatistics> parse_statistics(const std::string& line);
void add_statistics(StoredStatistics& sum, const StoredStatistics& more);

/// The file `statistics` of a cache folder: each process appends one line with a checksum when it ends. A
/// killed process is not counted; a damaged line is skipped. A file that has grown is moved aside and its sum
/// appended to a new one. A process that appends at that very moment may lose its line, so these are
/// statistics, and nothing else depends on them.
class StatisticsFile {
 public:
  StatisticsFile(FileSystem& files, const Clock& clock, std::filesystem::path cache_root);

  /// Only where the folder is there and something was counted. Never throws: a disk that refuses costs the
  /// line.
  void add(const ServiceCounters& counters) noexcept;
  /// Throws filesystem_error.
  [[nodiscard]] StoredStatistics read();
  /// Forgets everything. Throws filesystem_error.
  void reset();

 private:
  void append(const StoredStatistics& statistics);
  void merge();
  [[nodiscard]] std::vector<std::filesystem::path> parts();

  FileSystem& files_;
  const Clock& clock_;
  std::filesystem::path root_;
};

}  // namespace kiln
