#include "device/cuda/cuda_management.h"

#include <array>

#include "device/vendor_library.h"

namespace kiln {
namespace {

struct Reason {
  unsigned long long bit;
  const char* words;
};

constexpr std::array<Reason, 8> kReasons = {{{nvml_abi::kIdle, "idle"},
                                             {nvml_abi::kApplicationClocks, "application clocks"},
                                             {nvml_abi::kSoftwarePowerCap, "power cap"},
                                             {nvml_abi::kHardwareSlowdown, "hardware slowdown"},
                                             {nvml_abi::kSyncBoost, "sync boost"},
                                             {nvml_abi::kSoftwareThermal, "heat (software)"},
                                             {nvml_abi::kHardwareThermal, "heat (hardware)"},
                                             {nvml_abi::kPowerBrake, "power brake"}}};

using ClockCall = nvml_abi::Result (*)(nvml_abi::Device, nvml_abi::Clock, unsigned*);

std::optional<unsigned> ask(ClockCall call, nvml_abi::Device device, nvml_abi::Clock which) {
  unsigned mhz = 0;
  if (call == nullptr || call(device, which, &mhz) != nvml_abi::kSuccess) return std::nullopt;
  return mhz;
}

}  // namespace

nvml_abi::Device CudaManagement::device() {
  std::call_once(opened_, [this] { open(); });
  return device_;
}

void CudaManagement::open() {
  const VendorLibrary library = open_library({"", {"libnvidia-ml.so.1"}, {"/usr/lib/wsl/lib"}}, files_);
  if (library.handle == nullptr) return;
  call_ = nvml_abi::Functions(library);
  if (call_.missing() != nullptr) return;
  if (call_.init() != nvml_abi::kSuccess) return;
  if (call_.device_by_pci_bus_id(pci_address_.c_str(), &device_) != nvml_abi::kSuccess) device_ = nullptr;
  if (device_ == nullptr) return;
  compute_max_mhz_ = ask(call_.max_clock, device_, nvml_abi::Clock::kSm);
  memory_max_mhz_ = ask(call_.max_clock, device_, nvml_abi::Clock::kMemory);
}

std::optional<double> CudaManagement::energy_joules() {
  constexpr double kMillijoule = 1e-3;
  unsigned long long energy = 0;
  if (device() == nullptr || call_.total_energy == nullptr ||
      call_.total_energy(device_, &energy) != nvml_abi::kSuccess)
    return std::nullopt;
  return static_cast<double>(energy) * kMillijoule;
}

std::optional<DeviceClocks> CudaManagement::clocks() {
  if (device() == nullptr) return std::nullopt;
  using nvml_abi::Clock;
  DeviceClocks clocks;
  clocks.compute_mhz = ask(call_.clock, device_, Clock::kSm);
  clocks.memory_mhz = ask(call_.clock, device_, Clock::kMemory);
  clocks.compute_max_mhz = compute_max_mhz_;
  clocks.memory_max_mhz = memory_max_mhz_;
  unsigned long long reasons = 0;
  if (call_.clock_reasons != nullptr && call_.clock_reasons(device_, &reasons) == nvml_abi::kSuccess) {
    for (const Reason& reason : kReasons) {
      if ((reasons & reason.bit) != 0) clocks.limited_by.emplace_back(reason.words);
    }
  }
  return clocks;
}

}  // namespace kiln
