#pragma once

#include <string>

#include "report/text_table.h"
#include "service/statistics_file.h"

namespace kiln {

/// "code: 3 compiled in 410 ms, 2 from disk in 1.2 ms, 9 from memory, 1 waited for 30 ms; 20 KiB read, 31 KiB
/// written": what getting a job's code took.
[[nodiscard]] std::string statistics_line(const ServiceCounters& counters);

/// Count, time and bytes of each origin of code.
[[nodiscard]] TextTable statistics_table(const ServiceCounters& counters);

/// What `kiln cache stats` reports in addition.
struct CacheFolderSummary {
  std::string folder;
  std::uint64_t entries = 0, bytes = 0;
  double compile_seconds = 0;  ///< compile time of the entries
  bool in_use = true;
};

/// One object on one line without a line end; times in seconds.
[[nodiscard]] std::string statistics_to_json(const CacheFolderSummary& folder,
                                             const StoredStatistics& statistics);

}  // namespace kiln
