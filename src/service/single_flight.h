#pragma once

#include <exception>
#include <future>
#include <map>
#include <mutex>
#include <string>
#include <utility>

namespace kiln {

/// Work that several threads may ask for at the same time and that is done once: the first caller of a key
/// does it, the others wait for its value or its exception. Nothing is remembered afterwards; no lock is held
/// while working. Work of one key must not ask for the same key.
template <class Value>
class SingleFlight {
 public:
  struct Outcome {
    Value value;
    bool waited = false;
  };

  /// `make` gives the Value; `on_wait` is called before waiting for another thread's.
  template <class Make, class OnWait>
  Outcome run(const std::string& key, Make&& make, OnWait&& on_wait) {
    std::promise<Value> promise;
    if (auto others = join_or_lead(key, promise); others.valid()) {
      on_wait();
      return {others.get(), true};
    }
    try {
      Value value = make();
      promise.set_value(value);
      land(key);
      return {std::move(value), false};
    } catch (...) {
      promise.set_exception(std::current_exception());
      land(key);
      throw;
    }
  }

 private:
  /// The future of the thread that already works on it; not valid if the caller is now that thread.
  std::shared_future<Value> join_or_lead(const std::string& key, std::promise<Value>& promise) {
    const std::lock_guard lock(mutex_);
    const auto found = in_flight_.find(key);
    if (found != in_flight_.end()) return found->second;
    in_flight_.emplace(key, promise.get_future().share());
    return {};
  }

  void land(const std::string& key) {
    const std::lock_guard lock(mutex_);
    in_flight_.erase(key);
  }

  std::mutex mutex_;
  std::map<std::string, std::shared_future<Value>> in_flight_;
};

}  // namespace kiln
