#pragma once

#include <mutex>
#include <optional>
#include <string>

#include "base/file.h"
#include "device/cuda/nvml_abi.h"
#include "device/device.h"

namespace kiln {

/// Reads a GPU's clocks from NVML, which is opened at the first reading. It never sets anything.
class CudaClockReader {
 public:
  /// `pci_address` names the device ("0000:1b:00.0"); `files` must outlive the reader.
  CudaClockReader(std::string pci_address, FileSystem& files)
      : pci_address_(std::move(pci_address)), files_(files) {}

  /// `nullopt` where there is no NVML or it does not show the device.
  [[nodiscard]] std::optional<DeviceClocks> read();

 private:
  void open();

  std::string pci_address_;
  FileSystem& files_;
  std::once_flag opened_;
  nvml_abi::Functions call_;
  nvml_abi::Device device_ = nullptr;
};

}  // namespace kiln
