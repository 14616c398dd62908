#include "device/cpu/launcher.h"

#include <chrono>
#include <new>
#include <shared_mutex>
#include <unordered_map>
#include <utility>

#include "device/fault.h"
#include "kiln/error.h"

namespace kiln {
namespace {

/// A launch that takes less time than this runs on the calling thread.
constexpr double kShort = 4e-6;

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

Launcher::Launcher(int threads, std::size_t stack_bytes) : pool_(threads) {
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
  const cpu_abi::Launch launch = {narrow(shape.grid), narrow(shape.block), arguments};
  FaultSink faults;
  const std::uint64_t work_items = blocks * shape.block.volume();
  const bool alone = cost.short_for(work_items);
  const auto begin = std::chrono::steady_clock::now();
  pool_.run(blocks, alone, [&](int thread, std::uint64_t first, std::uint64_t last) {
    if (faults.raised()) return;
    try {
      runners_[static_cast<std::size_t>(thread)]->run(kernel, launch, shape.dynamic_shared_bytes, first, last,
                                                      faults);
    } catch (const std::bad_alloc&) {
      faults.raise(std::string("no memory for the stacks of the work-items of '") + kernel.name + "'");
    }
  });
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
  const bool one_thread = alone || blocks == 1;
  cost.learn(work_items, elapsed.count() * (one_thread ? 1 : pool_.threads()));
  if (faults.raised()) stream.fail(faults.message());
}

}  // namespace kiln
