#include "device/cuda/cuda_clocks.h"

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

void CudaClockReader::open() {
  const VendorLibrary library = open_library({"", {"libnvidia-ml.so.1"}, {"/usr/lib/wsl/lib"}}, files_);
  if (library.handle == nullptr) return;
  call_ = nvml_abi::Functions(library);
  if (call_.missing() != nullptr) return;
  if (call_.init() != nvml_abi::kSuccess) return;
  if (call_.device_by_pci_bus_id(pci_address_.c_str(), &device_) != nvml_abi::kSuccess) device_ = nullptr;
}

std::optional<DeviceClocks> CudaClockReader::read() {
  std::call_once(opened_, [this] { open(); });
  if (device_ == nullptr) return std::nullopt;
  using nvml_abi::Clock;
  DeviceClocks clocks;
  clocks.compute_mhz = ask(call_.clock, device_, Clock::kSm);
  clocks.memory_mhz = ask(call_.clock, device_, Clock::kMemory);
  clocks.compute_max_mhz = ask(call_.max_clock, device_, Clock::kSm);
  clocks.memory_max_mhz = ask(call_.max_clock, device_, Clock::kMemory);
  unsigned long long reasons = 0;
  if (call_.clock_reasons != nullptr && call_.clock_reasons(device_, &reasons) == nvml_abi::kSuccess) {
    for (const Reason& reason : kReasons) {
      if ((reasons & reason.bit) != 0) clocks.limited_by.emplace_back(reason.words);
    }
  }
  return clocks;
}

}  // namespace kiln
