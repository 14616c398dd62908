#pragma once

#include <string>
#include <vector>

#include "base/file.h"

namespace kiln {

/// The host's processors nearest to a device, by its PCI address ("0000:1b:00.0"), as Linux lists them in
/// /sys/bus/pci/devices/ADDRESS/local_cpulist. Empty for a device without an address, and if the kernel has
/// no list.
[[nodiscard]] std::vector<int> processors_near(FileSystem& files, const std::string& pci_address);

/// Binds the calling thread, and the threads and processes that it starts from now on, to the thread's
/// processors that are near the device. Memory that they touch first lies near the device, too. Changes
/// nothing if none of the thread's processors is near, for example because a launcher has bound it elsewhere.
void bind_thread_near(FileSystem& files, const std::string& pci_address);

}  // namespace kiln
