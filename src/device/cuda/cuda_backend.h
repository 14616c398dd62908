#pragma once

#include <memory>

#include "base/file.h"
#include "device/cuda/cuda_folders.h"
#include "device/device.h"

namespace kiln {

/// NVIDIA's GPUs, "cuda:0", ..., through the CUDA driver interface. The driver is opened at the first request
/// for a problem, a list or a device; without a driver, `problem()` says so. `files` must outlive it.
[[nodiscard]] std::unique_ptr<Backend> make_cuda_backend(CudaPlaces places, FileSystem& files);

}  // namespace kiln
