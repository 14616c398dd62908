#pragma once

#include <memory>

#include "base/file.h"
#include "device/device.h"
#include "device/hip/hip_folders.h"

namespace kiln {

/// AMD's GPUs, "hip:0", ..., through the HIP run time. The run time is opened at the first request for a
/// problem, a list or a device; without a run time, `problem()` says so. `files` must outlive it.
[[nodiscard]] std::unique_ptr<Backend> make_hip_backend(HipPlaces places, FileSystem& files);

}  // namespace kiln
