#include "base/file_lock.h"

#include <fcntl.h>
#include <sys/file.h>

#include <cerrno>

namespace kiln {

FileLock::FileLock(const std::filesystem::path& lock_file)
    : file_(::open(lock_file.c_str(), O_CREAT | O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0666)) {
  while (file_ && ::flock(file_.get(), LOCK_EX) != 0 && errno == EINTR) {
  }
}

}  // namespace kiln
