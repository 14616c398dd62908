#pragma once

#include <string>
#include <vector>

#include "config/expression.h"
#include "device/device.h"
#include "workload/workload.h"

namespace kiln {

/// Words of expressions that stand for the device: `cpu` (1 for the host, else 0), `sm` (compute capability
/// of an NVIDIA target, else 0), `cdna` (generation of an AMD target with matrix instructions, else 0),
/// `compute_units` and `memory_bandwidth` (GB/s), which are 0 where no device is known; `shared_limit` and
/// `block_limit`, the most bytes of shared memory, which the target decides, and work-items of a block, 1024
/// where no device is known.
[[nodiscard]] const std::vector<std::string>& device_words();
[[nodiscard]] bool is_device_word(const std::string& name);
/// Gives each of them its value.
void define_device_words(const DeviceInfo& device, Variables& variables);

/// Parameters that code may depend on and whose default on that back end depends on the device beyond its
/// target, in the workload's order: code that is compiled with no device may not be what a device asks for.
[[nodiscard]] std::vector<std::string> defaults_by_device(const Workload& workload,
                                                          const std::string& backend);

}  // namespace kiln
