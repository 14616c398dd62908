#pragma once

#include <memory>
#include <string>

#include "compile/cuda/cuda_headers.h"
#include "compile/cuda/nvrtc_library.h"
#include "device/cuda/cuda_context.h"
#include "device/cuda/driver.h"

namespace kiln::hip_shim {

/// The shim's one ISA: with wavefronts of 32, as NVIDIA's warps are.
constexpr const char* kIsa = "gfx1030";
constexpr int kWavefrontSize = 32;
/// In every device's name, so that each record shows what it was made with.
constexpr const char* kMark = "hip over cuda (test shim)";

/// The NVIDIA driver and NVRTC, opened by Kiln's own code; each once in a process, on first use.
/// Throws Error if there is none.
[[nodiscard]] std::shared_ptr<const CudaDriver> driver();
[[nodiscard]] const NvrtcLibrary& nvrtc();
/// CUDA's headers that belong to that NVRTC.
[[nodiscard]] const CudaHeaders& cuda_headers();

/// The primary context of a device.
[[nodiscard]] CudaContext& context(int device);

/// Compute capability of the first device, "sm_90"; of an H200 where there is none, so that compiling works.
[[nodiscard]] std::string cuda_arch();

}  // namespace kiln::hip_shim
