#include "device/cpu/block_runner.h"

#include <cstdint>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include "base/alternate_stack.h"
#include "device/cpu/block_team.h"
#include "device/cpu/fiber_team.h"
#include "device/cpu/memory_map.h"

namespace kiln {
namespace {

/// The kernel's view of the thread, and a pointer from a service back to the runner.
struct Worker : cpu_abi::Worker {
  std::optional<FiberTeam> team;
  std::optional<BlockTeam> blocks;
  const cpu_abi::Kernel* kernel = nullptr;
  FaultSink* faults = nullptr;
  DeviceLaunches launched;
  std::size_t stack_bytes = 0;
};

Worker& own(cpu_abi::Worker* worker) {
  return *static_cast<Worker*>(worker);
}

void launch_later(cpu_abi::Worker* worker, const cpu_abi::DeviceLaunch* launch) {
  own(worker).launched.add(*launch);
}

/// Runs what the thread's blocks have launched, on another thread: the running work-item keeps its variables,
/// which belong to the thread.
void await_launches(cpu_abi::Worker* worker) {
  Worker& waiting = own(worker);
  if (waiting.launched.empty()) return;
  const auto run_all = [&] {
    const AlternateStack stack;
    const std::unique_ptr<BlockRunner> runner = make_block_runner(waiting.stack_bytes);
    waiting.launched.run_all(
        *waiting.faults, [&](const cpu_abi::Kernel& kernel, const cpu_abi::Launch& launch,
                             std::size_t dynamic_shared_bytes, FaultSink& faults) {
          runner->run(kernel, launch, dynamic_shared_bytes, 0, volume(launch.grid), faults, {});
        });
  };
  try {
    std::jthread(run_all).join();
  } catch (const std::system_error&) {
    waiting.faults->raise(std::string("the system refuses a thread for what '") + waiting.kernel->name +
                          "' launches");
  }
}

const cpu_abi::Services kFiberServices = {
    [](cpu_abi::Worker* worker, cpu_abi::BarrierKind kind, unsigned predicate, unsigned line) {
      return own(worker).team->block_barrier(kind, predicate, line);
    },
    [](cpu_abi::Worker* worker, unsigned mask, unsigned long long value, unsigned source) {
      return own(worker).team->warp_exchange(mask, value, source);
    },
    [](cpu_abi::Worker* worker, unsigned mask, unsigned predicate) {
      return own(worker).team->warp_vote(mask, predicate);
    },
    [](cpu_abi::Worker* worker, unsigned line) { return own(worker).team->active_lanes(line); },
    [](cpu_abi::Worker* worker, const char* condition, const char* file, unsigned line) {
      own(worker).team->fail_assertion(condition, file, line);
    },
    [](cpu_abi::Worker*, unsigned, unsigned, unsigned) {},
    [](cpu_abi::Worker* worker, unsigned line, unsigned) { own(worker).team->grid_sync(line); },
    [](cpu_abi::Worker* worker, const unsigned* word, unsigned value, unsigned line) {
      own(worker).team->wait_while(word, value, line);
    },
    [](cpu_abi::Worker* worker, unsigned line) { own(worker).team->cluster_sync(line); },
    launch_later,
    await_launches};

void refuse(cpu_abi::Worker* worker, const std::string& what) {
  own(worker).faults->raise(
      std::string("'") + own(worker).kernel->name + "' reached " + what +
      ", which its text did not show when it was compiled; write the call in the kernel text");
}

/// Services of a kernel that runs as a plain loop: it cannot wait for other work-items, so the launch fails
/// and its results are void.
const cpu_abi::Services kLoopServices = {
    [](cpu_abi::Worker* worker, cpu_abi::BarrierKind, unsigned, unsigned line) {
      refuse(worker, "__syncthreads in line " + std::to_string(line));
      return 0u;
    },
    [](cpu_abi::Worker* worker, unsigned, unsigned long long value, unsigned) {
      refuse(worker, "a warp operation");
      return value;
    },
    [](cpu_abi::Worker* worker, unsigned, unsigned) {
      refuse(worker, "a warp operation");
      return 0u;
    },
    [](cpu_abi::Worker*, unsigned) { return 1u; },
    [](cpu_abi::Worker* worker, const char* condition, const char* file, unsigned line) {
      own(worker).faults->raise(assertion_text(condition, file, line) + " in '" + own(worker).kernel->name +
                                "'");
    },
    [](cpu_abi::Worker* worker, unsigned yes, unsigned all, unsigned line) {
      own(worker).faults->raise(std::to_string(yes) + " of " + std::to_string(all) +
                                " work-items go to a barrier by way of line " + std::to_string(line) +
                                ", the others do not, in '" + own(worker).kernel->name + "'");
    },
    [](cpu_abi::Worker* worker, unsigned line, unsigned left) {
      if (own(worker).kernel->syncs_grid != 0)
        own(worker).blocks->grid_sync(line, left);
      else
        refuse(worker, "the grid's sync in line " + std::to_string(line));
    },
    [](cpu_abi::Worker* worker, const unsigned*, unsigned, unsigned line) {
      refuse(worker, "a cuda::barrier or cuda::pipeline in line " + std::to_string(line));
    },
    [](cpu_abi::Worker* worker, unsigned line) {
      refuse(worker, "the cluster's sync in line " + std::to_string(line));
    },
    launch_later,
    await_launches};

class Runner final : public BlockRunner {
 public:
  explicit Runner(std::size_t stack_bytes) { worker_.stack_bytes = stack_bytes; }

  void run(const cpu_abi::Kernel& kernel, const cpu_abi::Launch& launch, std::size_t dynamic_shared_bytes,
           unsigned long long first, unsigned long long last, FaultSink& faults,
           const BlocksBeside& beside) override {
    begin(kernel, launch, faults, beside.grid != nullptr);
    worker_.cluster_blocks = beside.cluster_blocks;
    if (kernel.syncs_grid != 0) {
      run_blocks_in_turn(kernel, launch, dynamic_shared_bytes, first, last, faults, nullptr);
    } else {
      reserve_shared(dynamic_shared_bytes);
      run_separate_blocks(kernel, launch, first, last, faults, beside);
    }
    faults.add_launches(std::move(worker_.launched));
  }

  void run_phases(const cpu_abi::Kernel& kernel, const cpu_abi::Launch& launch,
                  std::size_t dynamic_shared_bytes, unsigned long long first, unsigned long long last,
                  FaultSink& faults, GridPhases& phases) override {
    begin(kernel, launch, faults, true);
    run_blocks_in_turn(kernel, launch, dynamic_shared_bytes, first, last, faults, &phases);
    faults.add_launches(std::move(worker_.launched));
  }

 private:
  void run_blocks_in_turn(const cpu_abi::Kernel& kernel, const cpu_abi::Launch& launch,
                          std::size_t dynamic_shared_bytes, unsigned long long first, unsigned long long last,
                          FaultSink& faults, GridPhases* phases) {
    if (!worker_.blocks) worker_.blocks.emplace();
    worker_.services = &kLoopServices;
    worker_.blocks->run(kernel, launch, dynamic_shared_bytes, first, last, worker_, faults, phases);
  }

  void begin(const cpu_abi::Kernel& kernel, const cpu_abi::Launch& launch, FaultSink& faults,
             bool cooperative) {
    const DeviceLaunches left = std::move(worker_.launched);  // of a launch that an exception ended
    worker_.kernel = &kernel;
    worker_.faults = &faults;
    worker_.cooperative = cooperative ? 1 : 0;
    worker_.cluster = launch.cluster;
    worker_.cluster_blocks = nullptr;
  }

  void run_separate_blocks(const cpu_abi::Kernel& kernel, const cpu_abi::Launch& launch,
                           unsigned long long first, unsigned long long last, FaultSink& faults,
                           const BlocksBeside& beside) {
    if (kernel.uses_fibers != 0) return run_with_fibers(kernel, launch, first, last, faults, beside);
    worker_.services = &kLoopServices;
    kernel.run_blocks(&launch, first, last, &worker_);
  }

  void run_with_fibers(const cpu_abi::Kernel& kernel, const cpu_abi::Launch& launch, unsigned long long first,
                       unsigned long long last, FaultSink& faults, const BlocksBeside& beside) {
    if (!worker_.team) worker_.team.emplace(worker_.stack_bytes);
    worker_.services = &kFiberServices;
    worker_.team->adopt_this_thread();
    for (unsigned long long i = first; i < last && !faults.raised(); ++i) {
      const cpu_abi::Index3 block = cpu_abi::position(i, launch.grid);
      kernel.enter_block(&launch, block, &worker_);
      // A block may ask for addresses in another one from its start on.
      if (beside.cluster != nullptr && (!beside.cluster->wait(0) || faults.raised())) return;
      worker_.team->run_block(kernel, launch, block, faults, beside);
    }
  }

  void reserve_shared(std::size_t bytes) {
    if (bytes > shared_.get().bytes) shared_ = map_memory(bytes);
    worker_.dynamic_shared = shared_.get().address;
    worker_.dynamic_shared_bytes = bytes;
  }

  MemoryMap shared_;
  Worker worker_{};
};

}  // namespace

std::unique_ptr<BlockRunner> make_block_runner(std::size_t stack_bytes) {
  return std::make_unique<Runner>(stack_bytes);
}

}  // namespace kiln
