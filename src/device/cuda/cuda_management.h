#pragma once

#include <mutex>
#include <optional>
#include <string>

#include "base/file.h"
#include "device/cuda/nvml_abi.h"
#include "device/device.h"

namespace kiln {

/// Reads a GPU's clocks and energy from NVML, which is opened at the first reading. It never sets anything.
/// A reading costs up to some milliseconds.
class CudaManagement {
 public:
  /// `pci_address` names the device ("0000:1b:00.0"); `files` must outlive the reader.
  CudaManagement(std::string pci_address, FileSystem& files)
      : pci_address_(std::move(pci_address)), files_(files) {}

  /// `nullopt` if there is no NVML or it does not show the device.
  [[nodiscard]] std::optional<DeviceClocks> clocks();
  /// As Device::energy_joules.
  [[nodiscard]] std::optional<double> energy_joules();

 private:
  /// Null if there is no NVML or it does not show the device.
  nvml_abi::Device device();
  void open();

  std::string pci_address_;
  FileSystem& files_;
  std::once_flag opened_;
  nvml_abi::Functions call_;
  nvml_abi::Device device_ = nullptr;
  std::optional<unsigned> compute_max_mhz_, memory_max_mhz_;
};

}  // namespace kiln
