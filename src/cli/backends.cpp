#include "cli/backends.h"

namespace kiln {

Backends make_backends(const Settings& /*settings*/, ProcessRunner& /*processes*/, FileSystem& /*files*/,
                       Log& /*log*/) {
  return {};
}

}  // namespace kiln
