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
  ++added_;
  if (waiting_.size() > idle_ && threads_.size() < kMostThreads) threads_.emplace_back([this] { work(); });
  changed_.notify_all();
}

void FinishingTasks::finish() {
  std::unique_lock lock(mutex_);
  const std::uint64_t last = added_;
  changed_.wait(lock, [&] {
    return added_ - waiting_.size() >= last && (running_.empty() || *running_.begin() > last);
  });
}

void FinishingTasks::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    ++idle_;
    changed_.wait(lock, [this] { return ends_ || !waiting_.empty(); });
    --idle_;
    if (waiting_.empty()) return;
    const std::uint64_t number = added_ - waiting_.size() + 1;
    Task task = std::move(waiting_.front());
    waiting_.pop_front();
    running_.insert(number);
    lock.unlock();
    task();
    task = nullptr;  // what it holds goes before it counts as done
    lock.lock();
    running_.erase(number);
    changed_.notify_all();
  }
}

}  // namespace kiln
