#pragma once

#include <cstddef>
#include <memory>

#include "device/cpu/concurrent_blocks.h"
#include "device/cpu/fault_sink.h"
#include "device/cpu/grid_barrier.h"
#include "device/cpu/worker_abi.h"

namespace kiln {

/// The objects with which one thread runs blocks of a kernel: dynamic shared memory and fibers, which are
/// made when a kernel first needs them. Used by one thread at a time.
class BlockRunner {
 public:
  virtual ~BlockRunner() = default;
  /// Runs blocks [first, last) of a launch, counted x fastest. An error is raised in `faults`; the remaining
  /// blocks are then skipped, and the runner can be used again. Adds what the blocks launch to `faults`.
  virtual void run(const cpu_abi::Kernel& kernel, const cpu_abi::Launch& launch,
                   std::size_t dynamic_shared_bytes, unsigned long long first, unsigned long long last,
                   FaultSink& faults, const BlocksBeside& beside) = 0;
  /// Runs this thread's blocks of a cooperative launch, of a kernel with Kernel::syncs_grid. All threads of
  /// the launch call it at the same time. Throws std::bad_alloc before the first phase.
  virtual void run_phases(const cpu_abi::Kernel& kernel, const cpu_abi::Launch& launch,
                          std::size_t dynamic_shared_bytes, unsigned long long first, unsigned long long last,
                          FaultSink& faults, GridPhases& phases) = 0;
};

/// `stack_bytes`: stack of each work-item of a kernel with barriers, above a guard page.
[[nodiscard]] std::unique_ptr<BlockRunner> make_block_runner(std::size_t stack_bytes);

}  // namespace kiln
