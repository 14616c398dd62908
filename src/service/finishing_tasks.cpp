#include "service/finishing_tasks.h"

#include <utility>

namespace kiln {

FinishingTasks::~FinishingTasks() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
    changed_.notify_all();
  }
  for (std::thread& thread : threads_) thread.join();
}

void FinishingTasks::add(Task task) {
  constexpr std::size_t kMostThreads = 4;
  const std::lock_guard lock(mutex_);
  waiting_.push_back(std::move(task));
  if (waiting_.size() > idle_ && threads_.size() < kMostThreads) threads_.emplace_back([this] { work(); });
  changed_.notify_all();
}

void FinishingTasks::finish() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return waiting_.empty() && running_ == 0; });
}

void FinishingTasks::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    ++idle_;
    changed_.wait(lock, [this] { return ends_ || !waiting_.empty(); });
    --idle_;
    if (waiting_.empty()) return;
    Task task = std::move(waiting_.front());
    waiting_.pop_front();
    ++running_;
    lock.unlock();
    task();
    task = nullptr;  // what it holds goes before it counts as done
    lock.lock();
    --running_;
    changed_.notify_all();
  }
}

}  // namespace kiln
