#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/file.h"
#include "base/unique_handle.h"

namespace kiln {

/// The right to compile one key, as a file in a folder that processes share. Given back when it goes.
struct KeyLockTraits {
  struct Handle {
    FileSystem* files = nullptr;
    std::filesystem::path path;
    std::string text;  ///< what the file holds while it is ours
    friend bool operator!=(const Handle& a, const Handle& b) { return a.files != b.files; }
  };
  static Handle null() { return {}; }
  static void close(const Handle& handle) noexcept;
};
using KeyLock = UniqueHandle<KeyLockTraits>;

struct KeyTurn {
  KeyLock lock;         ///< empty: go on without; at worst something is done twice
  bool waited = false;  ///< another process held the lock
};

/// Lets one process at a time work on a key. A lock file names its owner. The lock is taken over from an
/// owner that has ended, if that can be seen from here, or else after its lease. The waiter counts the lease
/// on its own clock from when it first saw the file, so clocks need not agree. If files cannot be made there
/// are no locks. No process waits for two keys.
class KeyLocks {
 public:
  KeyLocks(FileSystem& files, const Clock& clock, std::filesystem::path folder, double lease_seconds);

  /// Takes the lock of `name`. While another process has it, waits; ends the wait without a lock when
  /// `is_done` says that the work has been done, or when the other one gave up.
  [[nodiscard]] KeyTurn take(const std::string& name, const std::function<bool()>& is_done);

  /// Signals to waiters that the work failed: they need not queue up to fail one after the other.
  void give_up(KeyLock lock);

  /// Whether a living owner has it, or one that cannot be seen from here and took it within a lease.
  [[nodiscard]] bool is_held(const std::string& name) const;
  /// Lock files of dead owners, or of unknown ones for longer than a lease.
  [[nodiscard]] std::vector<std::string> stale() const;
  /// Removes that; returns how many.
  std::uint64_t remove_stale();

 private:
  enum class State { kAbsent, kHeld, kStale };
  struct Examined {
    State state = State::kAbsent;
    std::string text;
  };
  [[nodiscard]] Examined examine(const std::string& name) const;
  [[nodiscard]] KeyLock try_take(const std::filesystem::path& path);
  void take_away(const std::filesystem::path& path, const std::string& text);

  FileSystem& files_;
  const Clock& clock_;
  std::filesystem::path folder_;
  double lease_seconds_;
};

}  // namespace kiln
