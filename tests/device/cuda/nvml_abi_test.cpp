// Kiln's declarations of NVML's interface against NVIDIA's, where nvml.h is found when the tests are built.
#include "device/cuda/nvml_abi.h"

#include <gtest/gtest.h>

#if __has_include(<nvml.h>)
#include <nvml.h>

#include "support/abi_equal.h"

namespace kiln::test {
namespace {

using F = nvml_abi::Functions;

static_assert(nvml_abi::kSuccess == NVML_SUCCESS);
static_assert(static_cast<int>(nvml_abi::Clock::kSm) == NVML_CLOCK_SM);
static_assert(static_cast<int>(nvml_abi::Clock::kMemory) == NVML_CLOCK_MEM);
static_assert(nvml_abi::kIdle == nvmlClocksThrottleReasonGpuIdle);
static_assert(nvml_abi::kApplicationClocks == nvmlClocksThrottleReasonApplicationsClocksSetting);
static_assert(nvml_abi::kSoftwarePowerCap == nvmlClocksThrottleReasonSwPowerCap);
static_assert(nvml_abi::kHardwareSlowdown == nvmlClocksThrottleReasonHwSlowdown);
static_assert(nvml_abi::kSyncBoost == nvmlClocksThrottleReasonSyncBoost);
static_assert(nvml_abi::kSoftwareThermal == nvmlClocksThrottleReasonSwThermalSlowdown);
static_assert(nvml_abi::kHardwareThermal == nvmlClocksThrottleReasonHwThermalSlowdown);
static_assert(nvml_abi::kPowerBrake == nvmlClocksThrottleReasonHwPowerBrakeSlowdown);
static_assert(kAbiEqual<decltype(F::init), decltype(&::nvmlInit_v2)>);
static_assert(kAbiEqual<decltype(F::device_by_pci_bus_id), decltype(&::nvmlDeviceGetHandleByPciBusId_v2)>);
static_assert(kAbiEqual<decltype(F::clock), decltype(&::nvmlDeviceGetClockInfo)>);
static_assert(kAbiEqual<decltype(F::max_clock), decltype(&::nvmlDeviceGetMaxClockInfo)>);
static_assert(kAbiEqual<decltype(F::clock_reasons), decltype(&::nvmlDeviceGetCurrentClocksThrottleReasons)>);
static_assert(kAbiEqual<decltype(F::total_energy), decltype(&::nvmlDeviceGetTotalEnergyConsumption)>);

TEST(NvmlAbi, AgreesWithTheVendorsHeader) {
  SUCCEED() << "nvml.h, API version " << NVML_API_VERSION;
}

}  // namespace
}  // namespace kiln::test

#else

TEST(NvmlAbi, AgreesWithTheVendorsHeader) {
  GTEST_SKIP() << "nvml.h was not found when the tests were built";
}

#endif
