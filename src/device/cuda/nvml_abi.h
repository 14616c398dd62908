#pragma once

#include "device/vendor_library.h"

/// The part of the NVIDIA management library that Kiln calls, declared by Kiln.
/// tests/device/cuda/nvml_abi_test.cpp proves it against nvml.h where that is found.
namespace kiln::nvml_abi {

using Result = int;
using Device = struct DeviceTag*;

constexpr Result kSuccess = 0;

/// nvmlClockType_t
enum class Clock : int { kSm = 1, kMemory = 2 };

// Reasons for a clock below its maximum, nvmlClocksEventReason*.
constexpr unsigned long long kIdle = 0x1;
constexpr unsigned long long kApplicationClocks = 0x2;
constexpr unsigned long long kSoftwarePowerCap = 0x4;
constexpr unsigned long long kHardwareSlowdown = 0x8;
constexpr unsigned long long kSyncBoost = 0x10;
constexpr unsigned long long kSoftwareThermal = 0x20;
constexpr unsigned long long kHardwareThermal = 0x40;
constexpr unsigned long long kPowerBrake = 0x80;

struct Functions : LibraryImports {
  using LibraryImports::LibraryImports;
  Import<Result()> init = need("nvmlInit_v2");
  Import<Result(const char* id, Device*)> device_by_pci_bus_id = need("nvmlDeviceGetHandleByPciBusId_v2");
  Import<Result(Device, Clock, unsigned* mhz)> clock = want("nvmlDeviceGetClockInfo");
  Import<Result(Device, Clock, unsigned* mhz)> max_clock = want("nvmlDeviceGetMaxClockInfo");
  /// The newer name has "event" in place of "throttle"; every release has the older one.
  Import<Result(Device, unsigned long long* reasons)> clock_reasons =
      want("nvmlDeviceGetCurrentClocksThrottleReasons");
  Import<Result(Device, unsigned long long* millijoules)> total_energy =
      want("nvmlDeviceGetTotalEnergyConsumption");
};

}  // namespace kiln::nvml_abi
