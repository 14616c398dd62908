#pragma once

#include <chrono>
#include <exception>
#include <future>
#include <map>
#include <mutex>
#include <stop_token>
#include <string>
#include <utility>

#include "compile/compiler.h"

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

  /// `make` gives the Value; `on_wait` is called before waiting for another thread's. Throws Cancelled if
  /// `stop` is requested while it waits.
  template <class Make, class OnWait>
  Outcome run(const std::string& key, Make&& make, OnWait&& on_wait, const std::stop_token& stop = {}) {
    std::promise<Value> promise;
    if (auto others = join_or_lead(key, promise); others.valid()) {
      on_wait();
      wait_for(others, stop);
      return {others.get(), true};
    }
    try {
      Value value = make();
      promise.set_value(value);
      land(key);
      return {std::move(value), false};
    } catch (...) {
      land(key);  // first: one who then asks again does not join this one
      promise.set_exception(std::current_exception());
      throw;
    }
  }

 private:
  static void wait_for(const std::shared_future<Value>& others, const std::stop_token& stop) {
    constexpr std::chrono::milliseconds kAskAgain{20};
    if (!stop.stop_possible()) return;
    while (others.wait_for(kAskAgain) != std::future_status::ready) {
      if (stop.stop_requested()) throw Cancelled();
    }
  }

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
