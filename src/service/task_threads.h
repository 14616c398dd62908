#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <stop_token>

namespace kiln {

/// Tasks 0 to `count` - 1, done in order by threads of its own. A task must not throw. The destructor drops
/// tasks that have not begun, stops the others by the token, and waits for them.
class TaskThreads {
 public:
  using Task = std::function<void(std::size_t index, const std::stop_token& stop)>;

  TaskThreads(std::size_t threads, std::size_t count, Task task);

  /// Until all are done.
  void wait();
  /// wait() for at most `limit`: true if all are done.
  [[nodiscard]] bool wait_for(std::chrono::milliseconds limit);
  /// What the destructor does, without the wait.
  void stop();

 private:
  struct Work;
  struct Finish {
    void operator()(Work* work) const;
  };
  std::unique_ptr<Work, Finish> work_;
};

/// Cores that this process may use; at least 1.
[[nodiscard]] int usable_cores();

/// Calls `task(0)` to `task(count - 1)` on all cores and waits; a single one on the caller's thread. Of what
/// tasks throw, the first one's by number is thrown again.
void for_each_task(std::size_t count, const std::function<void(std::size_t index)>& task);

}  // namespace kiln
