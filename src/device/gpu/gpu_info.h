#pragma once

#include <array>
#include <string>

#include "device/device_info.h"
#include "device/gpu/gpu_context.h"

namespace kiln {

/// Queries the driver about one device, with the calls that CUDA and HIP share.
template <class Driver>
class GpuInfo {
 public:
  using Attribute = typename Driver::DeviceAttribute;

  GpuInfo(const Driver& driver, int ordinal) : driver_(driver) {
    run_call(driver, driver.call.device_get, &device_, ordinal);
  }

  [[nodiscard]] int device() const { return device_; }
  [[nodiscard]] int attribute(Attribute which) const {
    int value = 0;
    run_call(driver_, driver_.call.device_get_attribute, &value, which, device_);
    return value;
  }
  [[nodiscard]] std::uint64_t size(Attribute which) const {
    return static_cast<std::uint64_t>(attribute(which));
  }

  /// All properties except the target and the limits whose attributes differ between vendors.
  [[nodiscard]] DeviceInfo describe(const std::string& id) const {
    DeviceInfo info;
    info.id = id;
    std::array<char, 256> name{};
    run_call(driver_, driver_.call.device_get_name, name.data(), static_cast<int>(name.size()) - 1, device_);
    info.name = name.data();
    info.compute_units = attribute(Attribute::kMultiprocessors);
    std::size_t memory = 0;
    run_call(driver_, driver_.call.device_total_memory, &memory, device_);
    info.memory_bytes = memory;
    info.l2_bytes = size(Attribute::kL2Bytes);
    info.memory_bandwidth = theoretical_bandwidth(attribute_if_known(Attribute::kMemoryClockKhz),
                                                  attribute_if_known(Attribute::kMemoryBusBits));
    info.driver = driver_.description();
    info.pci_address = pci_address();
    info.limits.max_threads_per_block = size(Attribute::kMaxThreadsPerBlock);
    info.limits.max_block = {size(Attribute::kMaxBlockX), size(Attribute::kMaxBlockY),
                             size(Attribute::kMaxBlockZ)};
    info.limits.max_grid = {size(Attribute::kMaxGridX), size(Attribute::kMaxGridY),
                            size(Attribute::kMaxGridZ)};
    info.limits.max_threads_per_unit = size(Attribute::kMaxThreadsPerMultiprocessor);
    return info;
  }

 private:
  [[nodiscard]] std::string pci_address() const {
    const auto& get = driver_.call.device_get_pci_bus_id;
    std::array<char, 64> text{};
    const bool known = get != nullptr && get(text.data(), static_cast<int>(text.size()) - 1, device_) ==
                                             static_cast<decltype(get(nullptr, 0, 0))>(kDriverSuccess);
    return known ? text.data() : "";
  }
  /// An attribute that is useful but not needed: 0 if the driver does not know it.
  [[nodiscard]] int attribute_if_known(Attribute which) const {
    int value = 0;
    const int result = driver_.call.device_get_attribute(&value, which, device_);
    return result == kDriverSuccess ? value : 0;
  }

  const Driver& driver_;
  int device_ = 0;
};

}  // namespace kiln
