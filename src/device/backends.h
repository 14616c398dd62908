#pragma once

#include <memory>
#include <vector>

#include "base/file.h"
#include "device/cpu/cpu_backend.h"
#include "device/device.h"

namespace kiln {

/// What the back ends need to know of the user's settings.
struct BackendOptions {
  CpuBackendOptions cpu;
};

/// One object for each back end of this build, for DeviceRegistry. `files` must outlive them.
[[nodiscard]] std::vector<std::unique_ptr<Backend>> make_all_backends(const BackendOptions& options,
                                                                      FileSystem& files);

}  // namespace kiln
