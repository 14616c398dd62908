#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>

namespace kiln {

struct ServiceCounters {
  std::uint64_t memory_hits = 0;  ///< found loaded
  std::uint64_t disk_hits = 0;
  std::uint64_t remote_hits = 0;  ///< of the disk hits, from the server of cache_remote
  std::uint64_t uploads = 0;      ///< entries that it was given
  std::uint64_t compiled = 0;
  std::uint64_t waited = 0;                         ///< another thread or process was compiling the same key
  std::uint64_t waited_processes = 0;               ///< of the waits, for a process
  std::uint64_t failed = 0;                         ///< compiles, and loads by the driver
  std::uint64_t bytes_read = 0, bytes_written = 0;  ///< bytes of code, from and to the disk
  double read_seconds = 0, write_seconds = 0;       ///< for these
  double compile_seconds = 0;                       ///< of `compiled`
  double upload_seconds = 0;                        ///< time of `uploads`, and of queries to the server
  double wait_seconds = 0;                          ///< of `waited`
  double failed_seconds = 0;
  double load_seconds = 0;  ///< in the driver
};

/// Counters that several threads add to.
class ServiceTally {
 public:
  /// `change(counters)`; what it changes is seen at once or not at all.
  template <class Change>
  void update(Change change) {
    const std::lock_guard lock(mutex_);
    change(counters_);
  }
  void count(std::uint64_t ServiceCounters::*counter) {
    update([&](ServiceCounters& counters) { ++(counters.*counter); });
  }
  /// On paths where a lock would be felt.
  void count_memory_hit() { memory_hits_.fetch_add(1, std::memory_order_relaxed); }
  [[nodiscard]] ServiceCounters counters() const {
    const std::lock_guard lock(mutex_);
    ServiceCounters counters = counters_;
    counters.memory_hits += memory_hits_.load(std::memory_order_relaxed);
    return counters;
  }

 private:
  mutable std::mutex mutex_;
  ServiceCounters counters_;
  std::atomic<std::uint64_t> memory_hits_{0};  // beside those in counters_
};

}  // namespace kiln
