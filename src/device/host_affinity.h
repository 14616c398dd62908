#pragma once

#include <string>
#include <vector>

#include "base/file.h"

namespace kiln {

/// The host's processors nearest to a device, by its PCI address ("0000:1b:00.0"), as Linux lists them in
/// /sys/bus/pci/devices/ADDRESS/local_cpulist. Empty for a device without an address, and where the kernel
/// does not say.
[[nodiscard]] std::vector<int> processors_near(FileSystem& files, const std::string& pci_address);

/// Binds the calling thread, and the threads and processes that it starts from now on, to those of its
/// processors that are near the device; the memory that they touch first lies there, too. Where none of its
/// processors is near, as a launcher has bound it elsewhere, nothing changes.
void bind_thread_near(FileSystem& files, const std::string& pci_address);

}  // namespace kiln
