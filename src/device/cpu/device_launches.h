#pragma once

#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

#include "device/cpu/worker_abi.h"

namespace kiln {

class FaultSink;

/// Launches that kernels asked for and that have not run yet; it releases their arguments.
class DeviceLaunches {
 public:
  DeviceLaunches() = default;
  DeviceLaunches(DeviceLaunches&& other) noexcept : launches_(std::exchange(other.launches_, {})) {}
  DeviceLaunches& operator=(DeviceLaunches&&) = delete;
  ~DeviceLaunches();

  void add(const cpu_abi::DeviceLaunch& launch) { launches_.push_back(launch); }
  /// Takes all of the other's.
  void add(DeviceLaunches&& others);
  [[nodiscard]] bool empty() const { return launches_.empty(); }

  /// Runs one grid; what it launches is added to `faults`.
  using RunGrid = std::function<void(const cpu_abi::Kernel&, const cpu_abi::Launch&,
                                     std::size_t dynamic_shared_bytes, FaultSink& faults)>;
  /// Runs them one after the other, each with all that it launches, up to the first fault, which is raised in
  /// `faults`. What a grid launches to be run last comes behind the others.
  void run_all(FaultSink& faults, const RunGrid& run_grid);

 private:
  std::vector<cpu_abi::DeviceLaunch> launches_;
};

}  // namespace kiln
