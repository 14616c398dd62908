#pragma once

#include <filesystem>

#include "base/unique_fd.h"

namespace kiln {

/// Holds a lock file, which stays when the lock is given back, so that processes change a file one after the
/// other. Waits for who holds it. On a disk without locks, and where the file cannot be made, it holds
/// nothing: what is changed under it must stay whole without.
class FileLock {
 public:
  explicit FileLock(const std::filesystem::path& lock_file);

 private:
  UniqueFd file_;
};

}  // namespace kiln
