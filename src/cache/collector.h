#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "base/clock.h"
#include "base/file.h"
#include "cache/entry_store.h"
#include "cache/key_lock.h"
#include "cache/use_marks.h"

namespace kiln {

struct CollectOptions {
  std::optional<std::uint64_t> max_bytes;    ///< evict the least recently used until no more is left
  std::optional<double> older_than_seconds;  ///< evict what was not used for so long
  bool dry_run = false;                      ///< only say what would go
};

struct CollectReport {
  std::uint64_t entries = 0, bytes = 0;  ///< before
  std::uint64_t removed_entries = 0, removed_bytes = 0;
  std::uint64_t in_use = 0;  ///< entries that should go and stay, because a process has or makes them
  std::uint64_t temporaries = 0, locks = 0, marks = 0;  ///< left by processes that died
};

/// Makes room in a cache folder while other processes read and write it. One rename removes an entry, so that
/// no reader sees a partial one, and only while no living process has loaded it (see UseMark) and no process
/// holds its lock; an entry that is marked at that moment is put back. Throws filesystem_error if the disk
/// refuses.
class Collector {
 public:
  Collector(FileSystem& files, const Clock& clock, const EntryStore& store, KeyLocks& locks);

  CollectReport collect(const CollectOptions& options);
  /// Bytes of all entries: a stat of each file, none is read.
  [[nodiscard]] std::uint64_t measure();
  /// Files in `tmp` of writers that have ended, or that cannot be seen from here and are an hour old.
  [[nodiscard]] std::vector<std::filesystem::path> stale_temporaries();
  /// Removes those, and the marks and locks of dead processes; counts them, or only counts.
  void remove_leftovers(CollectReport& report, bool dry_run);

 private:
  struct Candidate {
    std::string digest;
    std::uint64_t bytes = 0;
    std::int64_t used_ns = 0;  ///< last recorded hit, or when it was made
  };
  [[nodiscard]] std::vector<Candidate> candidates();
  [[nodiscard]] std::optional<Candidate> examine(const std::string& digest);
  [[nodiscard]] bool is_in_use(const std::string& digest);
  [[nodiscard]] bool evict(const std::string& digest);

  FileSystem& files_;
  const Clock& clock_;
  const EntryStore& store_;
  KeyLocks& locks_;
  UseMarks marks_;
};

/// "in-use", the folder of the marks below a cache folder.
inline constexpr const char* kUseMarkFolder = "in-use";

}  // namespace kiln
