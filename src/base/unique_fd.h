#pragma once

#include <unistd.h>

#include "base/unique_handle.h"

namespace kiln {

/// Traits of a POSIX file descriptor. If a failing close matters (a written file), release and close by hand.
struct FileDescriptorTraits {
  using Handle = int;
  static Handle null() { return -1; }
  static void close(Handle handle) noexcept { ::close(handle); }
};

using UniqueFd = UniqueHandle<FileDescriptorTraits>;

}  // namespace kiln
