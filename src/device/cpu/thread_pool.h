#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "base/unique_handle.h"

namespace kiln {

/// Persistent threads for parallel loops in which the caller takes part. After a loop they watch for the next
/// one for some microseconds before they sleep, so that launches in a row start within a microsecond.
class ThreadPool {
 public:
  /// `threads` counts the caller: one thread fewer is started.
  explicit ThreadPool(int threads);
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  [[nodiscard]] int threads() const { return static_cast<int>(workers_.size()) + 1; }

  /// The action of a thread, numbered from 0, on a range of indices.
  using Body = std::function<void(int thread, std::uint64_t first, std::uint64_t last)>;

  /// Calls `body` for ranges that cover [0, total) once, on all threads; returns when they are done. Thread t
  /// starts with the t-th equal part, in pieces, and then helps the other threads, so that the same thread
  /// touches the same part each time. One loop runs at a time; further callers wait. `body` must not throw.
  /// With `alone`, the caller does all the work.
  void run(std::uint64_t total, bool alone, const Body& body);
  /// Calls body(t, t, t + 1) on the first `threads` threads, 1 to threads(), all at the same time: they may
  /// wait for each other.
  void run_on_each(int threads, const Body& body);

 private:
  void start(const Body& body, bool own_parts_only);

  struct alignas(64) Part {
    std::atomic<std::uint64_t> next{0};
    std::uint64_t last = 0;
    std::uint64_t piece = 1;
  };
  /// The state that the threads share; it outlives them.
  struct Shared {
    std::vector<Part> parts;
    const Body* body = nullptr;
    bool own_parts_only = false;            ///< a thread does not help the others
    std::atomic<std::uint32_t> loop{0};     ///< number of the running loop, or of the last one
    std::atomic<std::uint32_t> at_work{0};  ///< threads of the pool that have not finished the loop
    std::atomic<bool> stop{false};

    explicit Shared(int threads) : parts(static_cast<std::size_t>(threads)) {}
    void work(int thread);
    void serve(int thread);
  };
  struct StopTraits {
    using Handle = Shared*;
    static Handle null() { return nullptr; }
    static void close(Handle shared) noexcept;
  };

  std::mutex mutex_;
  std::unique_ptr<Shared> shared_;
  std::vector<std::jthread> workers_;
  UniqueHandle<StopTraits> stopper_;  ///< last member: wakes the threads up so that they can be joined
};

}  // namespace kiln
