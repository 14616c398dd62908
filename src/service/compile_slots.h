#pragma once

#include <condition_variable>
#include <list>
#include <mutex>
#include <stop_token>
#include <string>

#include "base/unique_handle.h"

namespace kiln {

/// How soon a compile is needed.
enum class Urgency {
  kAhead,   ///< will be requested
  kWanted,  ///< a caller waits for it
};

class CompileSlots;

struct CompileSlotTraits {
  using Handle = CompileSlots*;
  static Handle null() { return nullptr; }
  static void close(Handle slots) noexcept;
};
/// The right to compile now.
using CompileSlot = UniqueHandle<CompileSlotTraits>;

/// Bounds how many compiles run at once in a process. Compiles that a caller waits for go first, then in
/// order of arrival. Thread-safe; outlives its slots.
class CompileSlots {
 public:
  explicit CompileSlots(int count) : free_(count) {}

  /// Waits for a slot. Empty if `stop` was requested before its turn.
  [[nodiscard]] CompileSlot take(const std::string& key, Urgency urgency, const std::stop_token& stop = {});
  /// A caller waits for this key now.
  void raise(const std::string& key);

 private:
  friend struct CompileSlotTraits;
  struct Waiter {
    std::string key;
    Urgency urgency;
  };
  using Position = std::list<Waiter>::iterator;

  [[nodiscard]] bool is_next(Position waiter);
  void give_back() noexcept;

  std::mutex mutex_;  // of all below
  std::condition_variable_any changed_;
  std::list<Waiter> waiting_;  // in order of arrival
  int free_;
};

}  // namespace kiln
