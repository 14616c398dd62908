#pragma once

#include <functional>
#include <mutex>
#include <utility>
#include <vector>

#include "device/cpu/worker_abi.h"

namespace kiln {

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

  /// Runs them one after the other, each with all that it launches, until `run` returns false. What a grid
  /// launches to be run last comes behind the others. `run` runs one and adds what that one launches.
  void run_all(const std::function<bool(const cpu_abi::DeviceLaunch&, DeviceLaunches& launched)>& run);

 private:
  std::vector<cpu_abi::DeviceLaunch> launches_;
};

}  // namespace kiln
