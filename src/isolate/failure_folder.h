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
/// that fails for each variant of a sweep does not fill the disk. `root` is used if it is this user's folder,
/// not a link, and no other user may write to it or replace it; else a new folder, `private_prefix` and
/// random letters, with one warning. Only capsules are ever removed. Thread-safe.
class FailureFolder {
 public:
  FailureFolder(FileSystem& files, const Clock& clock, Log& log, const std::filesystem::path& root,
                std::filesystem::path private_prefix);

  /// Writes the capsule and names it in the diagnostic: `capsule`, `command` and the end of `summary`. A disk
  /// that refuses is logged, and the diagnostic left as it is.
  void keep(const Capsule& capsule, Diagnostic& diagnostic);

 private:
  [[nodiscard]] std::filesystem::path own_root();
  void remove_old(const std::filesystem::path& root);

  FileSystem& files_;
  const Clock& clock_;
  Log& log_;
  std::filesystem::path root_, private_prefix_;
  std::mutex mutex_;  // held while a folder is made and while old capsules are removed
  std::filesystem::path private_root_;
};

/// Removes the capsules below `root`, where that is used, that are older, or with `dry_run` only counts them.
/// Throws filesystem_error.
std::uint64_t remove_old_capsules(FileSystem& files, const Clock& clock, const std::filesystem::path& root,
                                  double older_than_seconds, bool dry_run);

}  // namespace kiln
