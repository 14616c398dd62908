#include "service/task_threads.h"

#include <algorithm>
#include <atomic>
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

  void run() {
    for (std::size_t i = next++; i < count && !stop.stop_requested(); i = next++) task(i, stop.get_token());
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
  Work& work = *work_;
  for (std::size_t i = 0; i < std::min(threads, count); ++i)
    work.threads.emplace_back([&work] { work.run(); });
}

void TaskThreads::wait() {
  work_->join();
}

}  // namespace kiln
