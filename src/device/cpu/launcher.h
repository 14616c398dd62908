#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "device/cpu/block_runner.h"
#include "device/cpu/thread_pool.h"
#include "device/device.h"
#include "device/recorded_graph.h"

namespace kiln {

/// The CPU's stream: work is complete when the call that enqueues it returns; only a fault is reported later,
/// by synchronize.
class CpuStream final : public RecordingStream {
 public:
  CpuStream();
  ~CpuStream() override;
  CpuStream(const CpuStream&) = delete;
  CpuStream& operator=(const CpuStream&) = delete;

  /// `stream` belongs to this device: a CpuStream or a BorrowedCpuStream.
  [[nodiscard]] static CpuStream& of(Stream& stream);
  /// The stream of this handle; null if there is no such stream. A handle is an address that is never read,
  /// so a foreign pointer is harmless.
  [[nodiscard]] static CpuStream* find(const void* native);

  [[nodiscard]] void* native() const override {
    return const_cast<CpuStream*>(this);
  }  // NOLINT(*-const-cast)
  void synchronize() override;
  /// Does nothing: work that was enqueued before the event is complete.
  void wait(const Event& /*event*/) override {}
  /// Remembers the first fault since the last synchronize.
  void fail(const std::string& message);

 private:
  std::mutex mutex_;
  std::string fault_;
};

/// A stream that another object owns; it outlives this.
class BorrowedCpuStream final : public Stream {
 public:
  explicit BorrowedCpuStream(CpuStream& lent) : lent_(lent) {}
  [[nodiscard]] void* native() const override { return lent_.native(); }
  void synchronize() override { lent_.synchronize(); }
  void wait(const Event& event) override { lent_.wait(event); }
  [[nodiscard]] CpuStream& lent() const { return lent_; }

 private:
  CpuStream& lent_;
};

/// The time of earlier launches of a kernel, by which a short launch is not spread over threads that would
/// take longer to wake up.
class LaunchCost {
 public:
  /// False before the first launch, when no time is known.
  [[nodiscard]] bool short_for(std::uint64_t work_items) const;
  void learn(std::uint64_t work_items, double thread_seconds);

 private:
  std::atomic<float> seconds_per_item_{-1};
};

/// Runs launches on a pool of threads. Thread-safe: launches of several threads take turns.
class Launcher {
 public:
  Launcher(int threads, std::size_t stack_bytes);

  [[nodiscard]] ThreadPool& pool() { return pool_; }
  void launch(const cpu_abi::Kernel& kernel, LaunchCost& cost, CpuStream& stream, const LaunchShape& shape,
              void* const* arguments);

 private:
  void run_blocks(const cpu_abi::Kernel& kernel, const cpu_abi::Launch& launch,
                  std::size_t dynamic_shared_bytes, bool alone, FaultSink& faults);
  /// Runs what the kernel of a launch launched, on the pool.
  void run_launched(FaultSink& faults);
  /// A cooperative launch whose blocks wait for each other only at the grid's sync: on `threads` threads of
  /// the pool, which run all blocks up to the sync, then on to the next one. Returns
  /// the number of such phases.
  std::uint64_t run_phases(const cpu_abi::Kernel& kernel, const cpu_abi::Launch& launch,
                           std::size_t dynamic_shared_bytes, int threads, FaultSink& faults);
  /// Any other launch with blocks that wait for each other: each block on a thread of its own.
  void run_concurrent(const cpu_abi::Kernel& kernel, const cpu_abi::Launch& launch,
                      std::size_t dynamic_shared_bytes, bool cooperative, FaultSink& faults);

  std::size_t stack_bytes_;
  std::mutex grid_mutex_;  ///< one launch with concurrent blocks at a time
  ThreadPool pool_;
  std::vector<std::unique_ptr<BlockRunner>> runners_;  ///< one per thread of the pool
};

}  // namespace kiln
