#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

namespace kiln {

/// Work without a waiting caller that is nevertheless done before this is destroyed: by a few threads of its
/// own, which begin when there is work. A task must not throw. Thread-safe.
class FinishingTasks {
 public:
  using Task = std::function<void()>;

  FinishingTasks() = default;
  ~FinishingTasks();
  FinishingTasks(const FinishingTasks&) = delete;
  FinishingTasks& operator=(const FinishingTasks&) = delete;

  void add(Task task);
  /// Until all that was added before is done.
  void finish();

 private:
  void work();

  std::mutex mutex_;  // of all below
  std::condition_variable changed_;
  std::deque<Task> waiting_;
  std::uint64_t added_ = 0;          ///< tasks so far; the last of `waiting_` is the last of them
  std::set<std::uint64_t> running_;  ///< tasks, by their number
  std::size_t idle_ = 0;             ///< threads
  bool ends_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace kiln
