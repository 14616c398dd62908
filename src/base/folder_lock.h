#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/unique_fd.h"

namespace kiln {

/// Keeps two processes from writing the same results: a lock file in a folder, held as long as this lives and
/// given back by the operating system however the process ends. The file names the holder, of several the
/// last one. On a disk without locks it holds nothing.
class FolderLock {
 public:
  enum class Kind {
    kShared,     ///< with others of this kind: those that only append
    kExclusive,  ///< alone
  };
  /// Makes the folder if need be; what it has made and nobody has filled goes with the lock. `holder`: what
  /// this process does there, "kiln run job.yaml". Where another process has the lock, it is waited for as
  /// long as `wait_seconds`; then throws bad_input that names the folder and the holder. Throws bad_input
  /// where the folder cannot be written.
  FolderLock(const std::filesystem::path& folder, const std::string& name, const std::string& holder,
             Kind kind = Kind::kExclusive, double wait_seconds = 0);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

  /// Takes the file away where nobody else holds it, for a process that ends at once; its lock is given back
  /// when it has ended.
  void remove() noexcept;
  /// Who has such a lock now, as the file says; empty: nobody, or it cannot be told.
  [[nodiscard]] static std::string holder(const std::filesystem::path& folder, const std::string& name);

 private:
  std::filesystem::path path_;
  UniqueFd file_;
  Kind kind_;
  std::vector<std::filesystem::path> made_;  // folders, the deepest first
};

}  // namespace kiln
