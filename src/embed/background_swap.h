#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/log.h"
#include "compile/compiler.h"
#include "device/device.h"
#include "kiln/background.h"
#include "service/kernel_service.h"
#include "specialize/specialization.h"

namespace kiln {

/// Code that starts generic and becomes specialised as soon as that is compiled: what BackgroundKernel and
/// BackgroundFunction share. It does not know what a launch is: `Made` is what its owner launches.
class BackgroundSwap {
 public:
  using Made = std::shared_ptr<const void>;

  /// Code that may be asked for, and how what can be launched is made of it.
  struct Candidate {
    Specialization specialization;
    std::function<Made(ServiceResult)> make;
  };

  struct Task {
    KernelService* service = nullptr;
    const Clock* clock = nullptr;
    Log* log = nullptr;
    Compiler* compiler = nullptr;
    std::shared_ptr<Device> device;
    void* caller_stream = nullptr;  ///< may be captured; null: none
    std::string name;               ///< "kernel 'axpy<double>'", for messages
    Candidate specialised;
    /// Asked for only where the specialised code is not there: from the cache in this order, compiled in the
    /// opposite one.
    std::function<std::vector<Candidate>()> generic;
    /// Why the specialised code must not be used; empty function: both need not be compared.
    std::function<std::optional<std::string>(const Made& generic, const Made& specialised)> find_mismatch;
    std::function<Error(const Diagnostic&)> error_of;
  };

  /// Returns when one of both can be launched. Throws what `error_of` makes where none compiles.
  explicit BackgroundSwap(Task task);

  /// The kernel to launch now; never null.
  [[nodiscard]] const void* current() const { return current_.load(std::memory_order_acquire); }
  /// A launch of what current() gave.
  void count(const void* launched) {
    launches_[launched == generic_.get() ? 0 : 1].count.fetch_add(1, std::memory_order_relaxed);
  }
  [[nodiscard]] BackgroundStatus status() const;
  /// Until it is decided which stays.
  void wait() const;

 private:
  [[nodiscard]] std::optional<ServiceResult> find(const Candidate& wanted);
  /// From the cache, else compiled; false if the text does not compile in this form.
  [[nodiscard]] bool get_generic();
  void use_generic(const Candidate& candidate, ServiceResult found);
  void use_specialised(ServiceResult found);
  void use_specialised(Made made, const std::string& key);
  void keep_generic(const std::string& why) noexcept;
  /// Runs in a thread of its own, until done or stopped.
  void specialise(const std::stop_token& stop) noexcept;
  /// Nothing is loaded while the caller's stream is captured into a graph. False when stopped.
  [[nodiscard]] bool wait_for_capture(const std::stop_token& stop) const;
  [[nodiscard]] double seconds() const { return seconds_between(begin_ns_, task_.clock->steady_ns()); }

  /// One of them is written by each launch; side by side, they would share a cache line.
  struct alignas(64) LaunchCount {
    std::atomic<std::uint64_t> count{0};
  };

  Task task_;
  std::int64_t begin_ns_;
  Made generic_;  ///< not changed once there are launches
  std::string generic_key_;
  std::atomic<const void*> current_{nullptr};
  std::array<LaunchCount, 2> launches_;  ///< generic, specialised
  mutable std::mutex mutex_;             // protects the members below; no launch takes it
  mutable std::condition_variable decided_;
  Made specialised_;
  std::string specialised_key_;
  BackgroundState state_ = BackgroundState::kGeneric;
  std::string reason_;
  double ready_seconds_ = 0, swap_seconds_ = 0;
  std::jthread worker_;  // last: ends before what it works on
};

}  // namespace kiln
