#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/unique_fd.h"

namespace kiln {

/// Keeps two processes from writing the same results: a lock file in a folder. The lock is held as long as
/// this object lives, and the operating system releases it however the process ends. The file names the
/// (last) holder. On a disk without locks it holds nothing.
class FolderLock {
 public:
  enum class Kind {
    kShared,     ///< with other holders of this kind: processes that only append
    kExclusive,  ///< alone
  };
  /// Makes the folder if need be; a new folder that stays empty is removed with the lock. `holder`: what this
  /// process does there, "kiln run job.yaml". If another process has the lock, waits for it at most
  /// `wait_seconds`; then throws bad_input that names the folder and the holder. Throws bad_input if the
  /// folder is not writable.
  FolderLock(const std::filesystem::path& folder, const std::string& name, const std::string& holder,
             Kind kind = Kind::kExclusive, double wait_seconds = 0);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

  /// Removes the file unless another process holds the lock, for a process that ends at once; its own lock is
  /// released when it has ended.
  void remove() noexcept;
  /// The current holder of such a lock, from the file; empty: none, or unknown.
  [[nodiscard]] static std::string holder(const std::filesystem::path& folder, const std::string& name);

 private:
  std::filesystem::path path_;
  UniqueFd file_;
  Kind kind_;
  std::vector<std::filesystem::path> made_;  // folders, the deepest first
};

}  // namespace kiln
