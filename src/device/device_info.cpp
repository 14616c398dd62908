#include "device/device_info.h"

#include "device/backend_kind.h"

namespace kiln {

DeviceInfo unknown_device(const Target& target) {
  DeviceInfo device;
  device.id = target.backend;
  device.target = target;
  device.limits.max_shared_bytes_per_block = backend_kind(target.backend).shared_limit(target.arch);
  return device;
}

double theoretical_bandwidth(int clock_khz, int bus_bits) {
  if (clock_khz <= 0 || bus_bits <= 0) return 0;
  constexpr double kTransfersPerCycle = 2;
  constexpr double kBitsPerByte = 8;
  return kTransfersPerCycle * clock_khz * 1e3 * bus_bits / kBitsPerByte / 1e9;
}

}  // namespace kiln
