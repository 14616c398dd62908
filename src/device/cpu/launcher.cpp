#include "device/cpu/launcher.h"

#include <algorithm>
#include <chrono>
#include <new>
#include <optional>
#include <shared_mutex>
#include <system_error>
#include <thread>
#include <unordered_map>
#include <utility>

#include "base/alternate_stack.h"
#include "device/cpu/concurrent_blocks.h"
#include "device/fault.h"
#include "kiln/error.h"

namespace kiln {
namespace {

/// A launch that takes less time than this runs on the calling thread.
constexpr double kShort = 4e-6;
/// What a cooperative launch may have: a block is a thread, a work-item of a kernel with fibers is a stack
/// and its guard page, and Linux gives a process 65530 mappings.
constexpr std::uint64_t kGridBlocks = 256;
constexpr std::uint64_t kGridWorkItems = 16384;
/// Of a cluster; as many as an H100 takes.
constexpr std::uint64_t kClusterBlocks = 16;
/// Of a kernel whose blocks take turns: each has a stack. More than any GPU runs at the same time.
constexpr std::uint64_t kBlocksInTurn = 16384;

std::string text_of(const Dim3& extents) {
  return "(" + std::to_string(extents.x) + "," + std::to_string(extents.y) + "," + std::to_string(extents.z) +
         ")";
}

cpu_abi::Index3 narrow(const Dim3& extents) {
  return {static_cast<unsigned>(extents.x), static_cast<unsigned>(extents.y),
          static_cast<unsigned>(extents.z)};
}

void check_block(const cpu_abi::Kernel& kernel, const Dim3& block) {
  const Dim3 fixed{kernel.fixed_block.x, kernel.fixed_block.y, kernel.fixed_block.z};
  if (fixed.x != 0 && fixed != block) {
    throw bad_input(std::string("kernel '") + kernel.name + "' was compiled for blocks of " + text_of(fixed) +
                    " and is launched with " + text_of(block));
  }
  if (block.volume() > 1024) {
    throw bad_input(std::string("kernel '") + kernel.name + "' is launched with blocks of " + text_of(block) +
                    "; the cpu takes at most 1024 work-items");
  }
}

/// In blocks, along each axis; one block where neither the launch nor the kernel has clusters.
Dim3 cluster_of(const cpu_abi::Kernel& kernel, const LaunchShape& shape) {
  const std::string start = std::string("kernel '") + kernel.name + "' ";
  const Dim3 fixed{kernel.cluster.x, kernel.cluster.y, kernel.cluster.z};
  if (fixed.volume() != 0 && shape.clustered() && shape.cluster != fixed) {
    throw bad_input(start + "has __cluster_dims__" + text_of(fixed) + " and is launched in clusters of " +
                    text_of(shape.cluster));
  }
  if (fixed.volume() == 0 && !shape.clustered()) return {1, 1, 1};
  const Dim3 cluster = fixed.volume() != 0 ? fixed : shape.cluster;
  if (cluster.volume() > kClusterBlocks) {
    throw bad_input(start + "is launched in clusters of " + text_of(cluster) + "; the cpu takes at most " +
                    std::to_string(kClusterBlocks) + " blocks");
  }
  if (shape.grid.x % cluster.x != 0 || shape.grid.y % cluster.y != 0 || shape.grid.z % cluster.z != 0) {
    throw bad_input(start + "is launched with a grid of " + text_of(shape.grid) +
                    ", which is no multiple of its cluster of " + text_of(cluster));
  }
  return cluster;
}

void check_grid(const cpu_abi::Kernel& kernel, const LaunchShape& shape) {
  const std::uint64_t blocks = shape.grid.volume();
  const std::uint64_t work_items = blocks * shape.block.volume();
  const bool fits = kernel.syncs_grid != 0
                        ? blocks <= kBlocksInTurn
                        : blocks <= kGridBlocks && (kernel.uses_fibers == 0 || work_items <= kGridWorkItems);
  if (fits) return;
  if (kernel.syncs_grid != 0) {
    throw bad_input(std::string("kernel '") + kernel.name + "' is cooperative and is launched with " +
                    std::to_string(blocks) + " blocks; the cpu runs at most " +
                    std::to_string(kBlocksInTurn) + " at the same time");
  }
  throw bad_input(std::string("kernel '") + kernel.name + "' is cooperative and is launched with " +
                  std::to_string(blocks) + " blocks of " + std::to_string(shape.block.volume()) +
                  " work-items; the cpu runs at most " + std::to_string(kGridBlocks) + " blocks and " +
                  std::to_string(kGridWorkItems) + " work-items at the same time");
}

void raise_no_stacks(const cpu_abi::Kernel& kernel, FaultSink& faults) {
  faults.raise(std::string("no memory for the stacks of the work-items of '") + kernel.name + "'");
}

/// The streams of the process, by handle.
struct KnownStreams {
  std::shared_mutex mutex;
  std::unordered_map<const void*, CpuStream*> streams;
};

KnownStreams& known_streams() {
  static KnownStreams known;
  return known;
}

}  // namespace

CpuStream::CpuStream() {
  KnownStreams& known = known_streams();
  const std::unique_lock lock(known.mutex);
  known.streams.emplace(this, this);
}

CpuStream::~CpuStream() {
  KnownStreams& known = known_streams();
  const std::unique_lock lock(known.mutex);
  known.streams.erase(this);
}

CpuStream& CpuStream::of(Stream& stream) {
  if (auto* own = dynamic_cast<CpuStream*>(&stream)) return *own;
  return dynamic_cast<BorrowedCpuStream&>(stream).lent();
}

CpuStream* CpuStream::find(const void* native) {
  KnownStreams& known = known_streams();
  const std::shared_lock lock(known.mutex);
  const auto found = known.streams.find(native);
  return found == known.streams.end() ? nullptr : found->second;
}

void CpuStream::synchronize() {
  require_no_capture("synchronize");
  std::string fault;
  {
    const std::lock_guard lock(mutex_);
    fault = std::exchange(fault_, {});
  }
  if (!fault.empty()) throw device_fault(fault);
}

void CpuStream::fail(const std::string& message) {
  const std::lock_guard lock(mutex_);
  if (fault_.empty()) fault_ = message;
}

Launcher::Launcher(int threads, std::size_t stack_bytes) : stack_bytes_(stack_bytes), pool_(threads) {
  for (int thread = 0; thread < pool_.threads(); ++thread) runners_.push_back(make_block_runner(stack_bytes));
}

bool LaunchCost::short_for(std::uint64_t work_items) const {
  const float known = seconds_per_item_.load(std::memory_order_relaxed);
  return known >= 0 && static_cast<double>(known) * static_cast<double>(work_items) < kShort;
}

void LaunchCost::learn(std::uint64_t work_items, double thread_seconds) {
  seconds_per_item_.store(static_cast<float>(thread_seconds / static_cast<double>(work_items)),
                          std::memory_order_relaxed);
}

void Launcher::launch(const cpu_abi::Kernel& kernel, LaunchCost& cost, CpuStream& stream,
                      const LaunchShape& shape, void* const* arguments) {
  check_block(kernel, shape.block);
  const std::uint64_t blocks = shape.grid.volume();
  if (blocks == 0 || shape.block.volume() == 0) return;
  const Dim3 cluster = cluster_of(kernel, shape);
  const cpu_abi::Launch launch = {narrow(shape.grid), narrow(shape.block), arguments, narrow(cluster)};
  FaultSink faults;
  if (shape.cooperative) check_grid(kernel, shape);
  // Blocks of a kernel without fibers do not wait for their cluster.
  const bool clustered = cluster.volume() > 1 && kernel.uses_fibers != 0;
  if ((shape.cooperative || clustered) && kernel.syncs_grid == 0) {
    run_concurrent(kernel, launch, shape.dynamic_shared_bytes, shape.cooperative, faults);
    run_launched(faults);
    if (faults.raised()) stream.fail(faults.message());
    return;
  }
  const std::uint64_t work_items = blocks * shape.block.volume();
  const bool alone = cost.short_for(work_items);
  const auto begin = std::chrono::steady_clock::now();
  std::uint64_t phases = 1;  // each costs what a launch does: the threads wait for each other
  if (shape.cooperative)
    phases = run_phases(kernel, launch, shape.dynamic_shared_bytes, alone ? 1 : pool_.threads(), faults);
  else
    run_blocks(kernel, launch, shape.dynamic_shared_bytes, alone, faults);
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
  const bool one_thread = alone || blocks == 1;
  cost.learn(work_items * phases, elapsed.count() * (one_thread ? 1 : pool_.threads()));
  run_launched(faults);
  if (faults.raised()) stream.fail(faults.message());
}

void Launcher::run_blocks(const cpu_abi::Kernel& kernel, const cpu_abi::Launch& launch,
                          std::size_t dynamic_shared_bytes, bool alone, FaultSink& faults) {
  pool_.run(volume(launch.grid), alone, [&](int thread, std::uint64_t first, std::uint64_t last) {
    if (faults.raised()) return;
    try {
      runners_[static_cast<std::size_t>(thread)]->run(kernel, launch, dynamic_shared_bytes, first, last,
                                                      faults, {});
    } catch (const std::bad_alloc&) {
      raise_no_stacks(kernel, faults);
    }
  });
}

void Launcher::run_launched(FaultSink& faults) {
  if (faults.launches().empty()) return;
  faults.launches().run_all(faults, [&](const cpu_abi::Kernel& kernel, const cpu_abi::Launch& launch,
                                        std::size_t dynamic_shared_bytes, FaultSink& of_grid) {
    run_blocks(kernel, launch, dynamic_shared_bytes, volume(launch.grid) == 1, of_grid);
  });
}

std::uint64_t Launcher::run_phases(const cpu_abi::Kernel& kernel, const cpu_abi::Launch& launch,
                                   std::size_t dynamic_shared_bytes, int threads, FaultSink& faults) {
  const std::uint64_t blocks = volume(launch.grid);
  const auto count = std::min(static_cast<std::uint64_t>(threads), blocks);
  GridPhases phases(blocks, static_cast<unsigned>(count), kernel.name, faults);
  pool_.run_on_each(static_cast<int>(count), [&](int thread, std::uint64_t, std::uint64_t) {
    const auto t = static_cast<std::uint64_t>(thread);
    const std::uint64_t first = blocks / count * t + std::min(t, blocks % count);
    const std::uint64_t last = first + blocks / count + (t < blocks % count ? 1 : 0);
    try {
      runners_[t]->run_phases(kernel, launch, dynamic_shared_bytes, first, last, faults, phases);
    } catch (const std::bad_alloc&) {
      raise_no_stacks(kernel, faults);
      static_cast<void>(phases.next({0, last - first, 0}));  // the other threads wait for this one
    }
  });
  return phases.count();
}

void Launcher::run_concurrent(const cpu_abi::Kernel& kernel, const cpu_abi::Launch& launch,
                              std::size_t dynamic_shared_bytes, bool cooperative, FaultSink& faults) {
  const std::lock_guard lock(grid_mutex_);
  ConcurrentBlocks blocks(kernel, launch, cooperative, faults);
  const auto run_blocks = [&](std::uint64_t thread) {
    std::optional<AlternateStack> stack;
    std::unique_ptr<BlockRunner> runner;
    while (blocks.next()) {
      try {
        if (!stack) stack.emplace();
        if (!runner) runner = make_block_runner(stack_bytes_);
        const std::uint64_t block = blocks.block_of(thread);
        runner->run(kernel, launch, dynamic_shared_bytes, block, block + 1, faults, blocks.beside(thread));
      } catch (const std::bad_alloc&) {
        raise_no_stacks(kernel, faults);
      }
      blocks.leave(thread);
    }
  };
  std::vector<std::jthread> threads;
  try {
    threads.reserve(blocks.threads());
    while (threads.size() < blocks.threads()) threads.emplace_back(run_blocks, threads.size());
  } catch (const std::exception&) {  // std::system_error, std::bad_alloc
    faults.raise(std::string("the system refuses a thread for each block of '") + kernel.name + "'");
    blocks.give_up(blocks.threads() - threads.size());
  }
}

}  // namespace kiln
