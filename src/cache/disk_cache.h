#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "cache/cache_key.h"
#include "compile/compiler.h"

namespace kiln {

/// What `kiln cache list` shows of an entry.
struct CacheEntryInfo {
  std::string digest;
  std::string label;    ///< "stencil7.cu laplacian", for people
  std::string target;
  std::string compiler;
  std::uint64_t bytes = 0;       ///< all files of the entry
  std::int64_t created_ns = 0;   ///< wall clock
  double compile_seconds = 0;
};

struct CacheCounters {
  std::uint64_t hits = 0, misses = 0, damaged = 0, published = 0, lost_races = 0, failed_writes = 0;
};

/// What a publisher knows beside the key and the code: shown to people, never part of the key.
struct CacheEntryLabel {
  std::string label, target, compiler, source_text;
};

struct VerifyReport {
  std::uint64_t entries = 0;
  std::vector<std::string> damaged;  ///< "digest: what is wrong"
  std::uint64_t stale_temporaries = 0;
};

/// Content-addressed store of code objects on disk: one directory per entry at `<root>/v1/<2 hex>/<62 hex>/`, holding
/// `binary`, `source.cu`, `preimage.txt`, `log.txt` and `entry.json` (names, resources, sizes and SHA-256 of each file).
/// Published by rename of a private temporary directory after fsync; the loser of a race uses the winner's.
/// A damaged entry is a miss, a warning, and is replaced. A folder that cannot be written, or is owned by another user, or
/// that anyone may write to turns the disk layer off with one warning. Thread- and process-safe. Knows no compiler.
class DiskCache {
 public:
  DiskCache(FileSystem& files, const Clock& clock, Log& log, std::filesystem::path root);

  [[nodiscard]] std::optional<CodeObject> load(const CacheKey& key);
  /// Never throws for a disk that fails: it warns once, counts, and goes on without.
  void publish(const CacheKey& key, const CodeObject& code, const CacheEntryLabel& label);

  [[nodiscard]] std::vector<CacheEntryInfo> list();
  [[nodiscard]] VerifyReport verify();
  /// Removes every entry and temporary; returns how many entries.
  std::uint64_t clear();

  [[nodiscard]] CacheCounters counters() const;
  [[nodiscard]] const std::filesystem::path& root() const { return root_; }
  /// Why the disk layer is off; empty while it is on.
  [[nodiscard]] std::string disabled_reason() const;

 private:
  FileSystem& files_;
  const Clock& clock_;
  Log& log_;
  std::filesystem::path root_;
  // The author of this class adds what it needs.
};

}  // namespace kiln
