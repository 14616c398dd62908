#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "device/cpu/context.h"
#include "device/cpu/fault_sink.h"
#include "device/cpu/fiber_stacks.h"
#include "device/cpu/grid_barrier.h"
#include "device/cpu/memory_map.h"
#include "device/cpu/worker_abi.h"

namespace kiln {

/// Runs blocks of a kernel that was split at its barriers and has the grid's sync, each on a stack of its
/// own. A block that comes to the sync hands on to the next one, and later continues where it was: its stack
/// keeps all that its work-items have.
class BlockTeam {
 public:
  BlockTeam();
  BlockTeam(const BlockTeam&) = delete;  // its blocks know its address
  BlockTeam& operator=(const BlockTeam&) = delete;

  /// Runs blocks [first, last) of the launch on the calling thread, each with its own `dynamic_shared_bytes`.
  /// `phases`: null unless the launch is cooperative; then called by each thread of the launch, for its
  /// blocks. Throws std::bad_alloc before a block runs.
  void run(const cpu_abi::Kernel& kernel, const cpu_abi::Launch& launch, std::size_t dynamic_shared_bytes,
           std::uint64_t first, std::uint64_t last, cpu_abi::Worker& worker, FaultSink& faults,
           GridPhases* phases);
  /// The service of the running block; see cpu_abi::Services.
  void grid_sync(unsigned line, unsigned left);

 private:
  struct Block {
    Context context;
    BlockTeam* team = nullptr;
    bool waits = false, left = false;
    unsigned line = 0;  ///< of the sync where it waits
  };
  static void block_main(void* block);
  void prepare(std::size_t count, std::size_t dynamic_shared_bytes);
  [[nodiscard]] GridPhases::Arrivals run_phase();
  void run_one(std::size_t i);
  [[nodiscard]] std::string fault_at_sync(unsigned line, unsigned left) const;

  FiberStacks stacks_;
  MemoryMap shared_;
  std::size_t shared_stride_ = 0;
  std::vector<std::unique_ptr<Block>> blocks_;  ///< blocks beyond count_ are idle, from larger launches
  std::size_t count_ = 0;
  std::size_t running_ = 0;
  Context thread_;

  const cpu_abi::Kernel* kernel_ = nullptr;
  const cpu_abi::Launch* launch_ = nullptr;
  cpu_abi::Worker* worker_ = nullptr;
  FaultSink* faults_ = nullptr;
  std::uint64_t first_ = 0;
};

}  // namespace kiln
