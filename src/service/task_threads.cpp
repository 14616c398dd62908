#include "service/task_threads.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace kiln {

struct TaskThreads::Work {
  std::size_t count;
  Task task;
  std::stop_source stop = {};
  std::atomic<std::size_t> next = 0;
  std::vector<std::thread> threads = {};
  std::mutex mutex = {};  // of what follows
  std::condition_variable ended = {};
  std::size_t running = 0;  ///< threads

  void start(std::size_t number) {
    running = number;
    for (std::size_t i = 0; i < number; ++i) {
      try {
        threads.emplace_back([this] { run(); });
      } catch (const std::system_error&) {
        return go_on_with(i, number);
      }
    }
  }

  /// The system gives no more threads: those that there are, or else the caller, do all of the work.
  void go_on_with(std::size_t started, std::size_t wanted) {
    {
      const std::lock_guard lock(mutex);
      running -= wanted - std::max<std::size_t>(started, 1);
    }
    if (started == 0) run();
  }

  void run() {
    for (std::size_t i = next++; i < count && !stop.stop_requested(); i = next++) task(i, stop.get_token());
    const std::lock_guard lock(mutex);
    if (--running == 0) ended.notify_all();
  }

  void join() {
    for (std::thread& thread : threads) {
      if (thread.joinable()) thread.join();
    }
  }
};

void TaskThreads::Finish::operator()(Work* work) const {
  work->stop.request_stop();
  work->join();
  delete work;
}

TaskThreads::TaskThreads(std::size_t threads, std::size_t count, Task task)
    : work_(new Work{count, std::move(task)}) {
  work_->start(std::min(threads, count));
}

void TaskThreads::wait() {
  work_->join();
}

bool TaskThreads::wait_for(std::chrono::milliseconds limit) {
  std::unique_lock lock(work_->mutex);
  return work_->ended.wait_for(lock, limit, [this] { return work_->running == 0; });
}

void TaskThreads::stop() {
  work_->stop.request_stop();
}

int usable_cores() {
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

void for_each_task(std::size_t count, const std::function<void(std::size_t index)>& task) {
  if (count == 1) return task(0);
  std::vector<std::exception_ptr> thrown(count);
  TaskThreads threads(static_cast<std::size_t>(usable_cores()), count,
                      [&](std::size_t index, const std::stop_token&) {
                        try {
                          task(index);
                        } catch (...) {
                          thrown[index] = std::current_exception();
                        }
                      });
  threads.wait();
  for (const std::exception_ptr& error : thrown) {
    if (error) std::rethrow_exception(error);
  }
}

}  // namespace kiln
