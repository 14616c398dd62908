#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "device/cpu/concurrent_blocks.h"
#include "device/cpu/context.h"
#include "device/cpu/fault_sink.h"
#include "device/cpu/fiber_stacks.h"
#include "device/cpu/worker_abi.h"

namespace kiln {

/// Runs the work-items of one block as fibers of the calling thread. A work-item that waits hands on to the
/// next one that can continue. If none can and not all have left the kernel, the block is given up, and a
/// fault lists the waiting work-items and where they wait.
class FiberTeam {
 public:
  explicit FiberTeam(std::size_t stack_bytes) : stacks_(stack_bytes) {}
  FiberTeam(const FiberTeam&) = delete;  // its fibers know its address
  FiberTeam& operator=(const FiberTeam&) = delete;

  /// Stores the calling thread's context; run_block is then called on this thread.
  void adopt_this_thread() { adopt_thread(thread_); }
  void run_block(const cpu_abi::Kernel& kernel, const cpu_abi::Launch& launch, cpu_abi::Index3 block,
                 FaultSink& faults, const BlocksBeside& beside);

  // The services for the running work-item; a barrier waits for the work-items that have not left the kernel,
  // as on a GPU; see cpu_abi::Services.
  unsigned block_barrier(cpu_abi::BarrierKind kind, unsigned predicate, unsigned line);
  unsigned long long warp_exchange(unsigned mask, unsigned long long value, unsigned source);
  unsigned warp_vote(unsigned mask, unsigned predicate);
  unsigned active_lanes(unsigned line);
  void grid_sync(unsigned line);
  void cluster_sync(unsigned line);
  void wait_while(const unsigned* word, unsigned value, unsigned line);
  /// Gives the block up. Does not return: the objects on the caller's stack are not destroyed.
  void fail_assertion(const char* condition, const char* file, unsigned line);

 private:
  enum class State : std::uint8_t {
    kRunning,
    kAtBlockBarrier,
    kAtWarpOperation,
    kGathering,
    kWatching,
    kLeft
  };
  enum class WarpOperation : std::uint8_t { kExchange, kVote };

  struct Item {
    Context context;
    FiberTeam* team = nullptr;
    State state = State::kLeft;
    WarpOperation operation = WarpOperation::kExchange;
    const unsigned* word = nullptr;  ///< that it watches while the word is `value`
    unsigned mask = 0;
    unsigned source = 0;           ///< lane whose value is wanted, or line of a barrier or of a gathering
    unsigned long long value = 0;  ///< the value that the lane brings
    unsigned long long result = 0;
  };

  void sync_blocks(GridBarrier& blocks, std::size_t work_items, const char* sync, unsigned line);
  void give_up();
  static void item_main(void* item);
  void prepare_items(std::size_t count);
  void restart_abandoned();
  void leave();
  [[nodiscard]] bool warps_agree() const;
  void open_barrier();
  void hand_on();
  void wait_at_warp(WarpOperation operation, unsigned mask, unsigned long long value, unsigned source);
  void release_gathered();
  void release_watching(std::size_t first, std::size_t end);
  [[nodiscard]] bool complete_warp(std::size_t warp_first, unsigned mask, WarpOperation operation);
  [[nodiscard]] cpu_abi::Index3 position(std::size_t item) const;
  [[nodiscard]] std::string where() const;
  [[nodiscard]] std::string describe_wait() const;

  FiberStacks stacks_;
  std::vector<std::unique_ptr<Item>> items_;  ///< items beyond count_ are idle, from larger blocks
  std::size_t count_ = 0;
  std::size_t running_ = 0;
  std::size_t left_ = 0;
  Context thread_;

  std::vector<std::uint16_t> ready_;  ///< a queue: the next is ready_[next_ready_]
  std::size_t next_ready_ = 0;

  std::vector<std::uint16_t> at_barrier_;  ///< in order of arrival
  unsigned barrier_line_ = 0;
  bool barrier_lines_differ_ = false;
  unsigned barrier_count_ = 0;
  unsigned barrier_result_ = 0;
  unsigned barrier_arrivals_ = 0;

  std::size_t at_grid_ = 0;      ///< of those at the barrier, the ones in sync_blocks()
  std::size_t grid_opened_ = 0;  ///< at_grid_ when the barrier opened
  bool grid_passed_ = false;     ///< a work-item has waited for the other blocks since then

  std::size_t gathering_ = 0;  ///< work-items in active_lanes()
  std::size_t watching_ = 0;   ///< work-items in wait_while()

  const cpu_abi::Kernel* kernel_ = nullptr;
  const cpu_abi::Launch* launch_ = nullptr;
  cpu_abi::Index3 block_{};
  FaultSink* faults_ = nullptr;
  BlocksBeside beside_;
};

}  // namespace kiln
