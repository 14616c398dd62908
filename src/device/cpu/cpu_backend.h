#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "base/file.h"
#include "device/device.h"

namespace kiln {

struct CpuBackendOptions {
  int threads = 0;                     ///< 0: as many as this process may use
  std::size_t stack_bytes = 64 << 10;  ///< of each work-item of a kernel with barriers
  std::string scratch = "/tmp";        ///< for the rare system that cannot load a kernel from memory
};

/// The host's cores as one device, "cpu". Always works. `files` (for /proc and /sys) must outlive it and its
/// device.
[[nodiscard]] std::unique_ptr<Backend> make_cpu_backend(CpuBackendOptions options, FileSystem& files);

}  // namespace kiln
