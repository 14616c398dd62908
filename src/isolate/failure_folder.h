#pragma once

#include <cstdint>
#include <filesystem>
#include <mutex>

#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "isolate/capsule.h"

namespace kiln {

/// Keeps failure capsules as folders `TIME-SOURCE-RANDOM` below `root`: the newest 20, so that a compiler
/// that fails for each variant of a sweep does not fill the disk. Thread-safe.
class FailureFolder {
 public:
  FailureFolder(FileSystem& files, const Clock& clock, Log& log, std::filesystem::path root);

  /// Writes the capsule and names it in the diagnostic: `capsule`, `command` and the end of `summary`. A disk
  /// that refuses is logged, and the diagnostic left as it is.
  void keep(const Capsule& capsule, Diagnostic& diagnostic);

 private:
  void remove_old();

  FileSystem& files_;
  const Clock& clock_;
  Log& log_;
  std::filesystem::path root_;
  std::mutex mutex_;  // held while old capsules are removed
};

/// Removes the capsules below `root` that are older, or with `dry_run` only counts them. Throws
/// filesystem_error.
std::uint64_t remove_old_capsules(FileSystem& files, const Clock& clock, const std::filesystem::path& root,
                                  double older_than_seconds, bool dry_run);

}  // namespace kiln
