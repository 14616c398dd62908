#pragma once

#include <filesystem>

#include "base/unique_fd.h"

namespace kiln {

/// Holds a lock file, which stays when the lock is released, so that processes change a file one after the
/// other. Waits for the current holder. On a disk without locks, and if the file cannot be made, it holds
/// nothing: changes under it must stay valid without the lock.
class FileLock {
 public:
  explicit FileLock(const std::filesystem::path& lock_file);

 private:
  UniqueFd file_;
};

}  // namespace kiln
