#pragma once

#include <cstddef>
#include <memory>

#include "device/cpu/fault_sink.h"
#include "device/cpu/worker_abi.h"

namespace kiln {

/// One thread's means to run blocks of a kernel: dynamic shared memory and, made when a kernel first needs
/// them, fibers. Used by one thread at a time.
class BlockRunner {
 public:
  virtual ~BlockRunner() = default;
  /// Runs blocks [first, last) of a launch, counted x fastest. What goes wrong is raised in `faults`; the
  /// blocks that are left are then skipped, and the runner can be used again.
  virtual void run(const cpu_abi::Kernel& kernel, const cpu_abi::Launch& launch,
                   std::size_t dynamic_shared_bytes, unsigned long long first, unsigned long long last,
                   FaultSink& faults) = 0;
};

/// `stack_bytes`: for each work-item of a kernel with barriers, below a guard page.
[[nodiscard]] std::unique_ptr<BlockRunner> make_block_runner(std::size_t stack_bytes);

}  // namespace kiln
