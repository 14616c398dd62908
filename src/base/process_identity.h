#pragma once

#include <cstdint>
#include <string>

namespace kiln {

/// Identifies one process among all that may share a disk. A process number alone is reused, and it means
/// another process on another machine and in another container of the same machine.
struct ProcessIdentity {
  std::string machine;  ///< boot id and pid namespace
  std::int64_t pid = 0;
  std::uint64_t start = 0;  ///< clock ticks from boot to the process's start

  friend bool operator==(const ProcessIdentity&, const ProcessIdentity&) = default;
};

[[nodiscard]] const ProcessIdentity& this_process();

/// Whether that process is known to have ended. False if it cannot be seen from here.
[[nodiscard]] bool has_ended(const ProcessIdentity& process);

/// "0a1b2c3d4e5f-4711-881234": the beginning of a file name, which identifies the process that owns the file.
[[nodiscard]] std::string owner_prefix();
/// State of the process in a name with this beginning; kUnknown also for any other name.
enum class OwnerState { kRuns, kEnded, kUnknown };
[[nodiscard]] OwnerState owner_state(const std::string& name);

}  // namespace kiln
