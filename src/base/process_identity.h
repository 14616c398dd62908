#pragma once

#include <cstdint>
#include <string>

namespace kiln {

/// Names one process among all that may share a disk. A number alone is used again, means another process on
/// another machine, and another one in another container of the same machine.
struct ProcessIdentity {
  std::string machine;  ///< boot id and pid namespace
  std::int64_t pid = 0;
  std::uint64_t start = 0;  ///< clock ticks from boot to the process's start

  friend bool operator==(const ProcessIdentity&, const ProcessIdentity&) = default;
};

[[nodiscard]] const ProcessIdentity& this_process();

/// Whether that process is known to have ended. False for one that cannot be seen from here.
[[nodiscard]] bool has_ended(const ProcessIdentity& process);

}  // namespace kiln
