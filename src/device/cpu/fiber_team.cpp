#include "device/cpu/fiber_team.h"

#include <algorithm>
#include <map>
#include <utility>

namespace kiln {
namespace {

constexpr std::size_t kWarp = 32;

std::string text_of(cpu_abi::Index3 index) {
  return "(" + std::to_string(index.x) + "," + std::to_string(index.y) + "," + std::to_string(index.z) + ")";
}

unsigned lane_bit(std::size_t lane) {
  return 1u << lane;
}

}  // namespace

void FiberTeam::run_block(const cpu_abi::Kernel& kernel, const cpu_abi::Launch& launch, cpu_abi::Index3 block,
                          FaultSink& faults, const BlocksBeside& beside) {
  kernel_ = &kernel;
  launch_ = &launch;
  block_ = block;
  faults_ = &faults;
  beside_ = beside;
  prepare_items(std::size_t{launch.block.x} * launch.block.y * launch.block.z);
  running_ = ready_[next_ready_++];
  switch_context(thread_, items_[running_]->context);
  if (left_ != count_) restart_abandoned();
}

/// Work-items that did not leave the kernel never continue: their stacks are started afresh.
void FiberTeam::restart_abandoned() {
  for (std::size_t i = 0; i < count_; ++i) {
    if (items_[i]->state != State::kLeft) prepare_context(items_[i]->context, i);
  }
}

void FiberTeam::prepare_items(std::size_t count) {
  while (items_.size() < count) {
    auto item = std::make_unique<Item>();
    item->team = this;
    stacks_.start(item->context, items_.size(), &FiberTeam::item_main, item.get());
    items_.push_back(std::move(item));
  }
  count_ = count;
  left_ = 0;
  next_ready_ = 0;
  ready_.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    ready_[i] = static_cast<std::uint16_t>(i);
    items_[i]->state = State::kRunning;
  }
  at_barrier_.clear();
  barrier_count_ = 0;
  barrier_lines_differ_ = false;
  at_grid_ = 0;
  gathering_ = 0;
  watching_ = 0;
}

void FiberTeam::item_main(void* argument) {
  Item& item = *static_cast<Item*>(argument);
  FiberTeam& team = *item.team;
  for (;;) {
    team.kernel_->run_item(team.launch_, team.position(team.running_));
    team.leave();  // returns when a later block starts this work-item
  }
}

cpu_abi::Index3 FiberTeam::position(std::size_t item) const {
  const cpu_abi::Index3 block = launch_->block;
  const auto linear = static_cast<unsigned>(item);
  return {linear % block.x, linear / block.x % block.y, linear / block.x / block.y};
}

/// Runs the next work-item that can continue, in place of the one that waits.
void FiberTeam::hand_on() {
  Item& self = *items_[running_];
  if (gathering_ != 0) release_gathered();
  if (watching_ != 0 && next_ready_ == ready_.size()) {
    ready_.clear();
    next_ready_ = 0;
    release_watching(0, count_);
  }
  if (next_ready_ == ready_.size()) {
    if (left_ != count_) faults_->raise(describe_wait());
    switch_context(self.context, thread_);
    return;
  }
  const std::size_t stopped = std::exchange(running_, ready_[next_ready_++]);
  if (running_ != stopped) switch_context(self.context, items_[running_]->context);
}

void FiberTeam::leave() {
  Item& self = *items_[running_];
  self.state = State::kLeft;
  ++left_;
  // Lanes no longer wait for this one.
  const std::size_t first = running_ / kWarp * kWarp;
  for (std::size_t i = first; i < std::min(first + kWarp, count_); ++i) {
    const Item& other = *items_[i];
    if (other.state == State::kAtWarpOperation && complete_warp(first, other.mask, other.operation)) break;
  }
  // A barrier does not wait for it either.
  if (!at_barrier_.empty() && at_barrier_.size() == count_ - left_ && warps_agree()) open_barrier();
  hand_on();
}

/// Whether the lanes of each warp wait at the same barrier. Warps may wait at different ones, as on a GPU,
/// which counts them.
bool FiberTeam::warps_agree() const {
  if (!barrier_lines_differ_) return true;
  std::map<std::size_t, unsigned> line_of_warp;
  return std::all_of(at_barrier_.begin(), at_barrier_.end(), [&](std::size_t item) {
    const unsigned line = items_[item]->source;
    return line_of_warp.emplace(item / kWarp, line).first->second == line;
  });
}

/// Lets the waiting work-items continue.
void FiberTeam::open_barrier() {
  barrier_result_ = barrier_count_;
  barrier_arrivals_ = static_cast<unsigned>(count_ - left_);
  barrier_count_ = 0;
  barrier_lines_differ_ = false;
  grid_opened_ = std::exchange(at_grid_, 0);
  grid_passed_ = false;
  for (const std::uint16_t item : at_barrier_) items_[item]->state = State::kRunning;
  ready_.swap(at_barrier_);
  next_ready_ = 0;
  at_barrier_.clear();
}

unsigned FiberTeam::block_barrier(cpu_abi::BarrierKind kind, unsigned predicate, unsigned line) {
  Item& self = *items_[running_];
  self.source = line;
  if (at_barrier_.empty()) barrier_line_ = line;
  barrier_lines_differ_ = barrier_lines_differ_ || line != barrier_line_;
  barrier_count_ += predicate;
  if (at_barrier_.size() + 1 == count_ - left_ && !barrier_lines_differ_) {
    open_barrier();
  } else {
    self.state = State::kAtBlockBarrier;
    at_barrier_.push_back(static_cast<std::uint16_t>(running_));
    if (at_barrier_.size() == count_ - left_ && warps_agree()) open_barrier();
    hand_on();
  }
  switch (kind) {
    case cpu_abi::BarrierKind::kAnd:
      return barrier_result_ == barrier_arrivals_ ? 1u : 0u;
    case cpu_abi::BarrierKind::kOr:
      return barrier_result_ != 0 ? 1u : 0u;
    case cpu_abi::BarrierKind::kCount:
    case cpu_abi::BarrierKind::kPlain:
      break;
  }
  return barrier_result_;
}

void FiberTeam::grid_sync(unsigned line) {
  if (beside_.grid == nullptr) {
    faults_->raise(
        "a work-item calls the grid's sync in line " + std::to_string(line) + " " + where() +
        ", but the launch is not cooperative: give the kernel 'cooperative: true' in the workload");
    give_up();
  }
  sync_blocks(*beside_.grid, count_, "the grid's sync", line);
}

/// Waits for the work-items that have not left the kernel.
void FiberTeam::cluster_sync(unsigned line) {
  sync_blocks(*beside_.cluster, 0, "the cluster's sync", line);
}

/// A barrier of the block, to which `work_items` must come (0: all that have not left the kernel). The first
/// work-item that continues waits for the other blocks.
void FiberTeam::sync_blocks(GridBarrier& blocks, std::size_t work_items, const char* sync, unsigned line) {
  ++at_grid_;
  block_barrier(cpu_abi::BarrierKind::kPlain, 0, line);
  if (grid_passed_) return;
  if (grid_opened_ != (work_items == 0 ? barrier_arrivals_ : work_items)) {
    faults_->raise(std::to_string(grid_opened_) + " of " + std::to_string(count_) + " work-items wait at " +
                   sync + " in line " + std::to_string(line) + " " + where() + "; " + std::to_string(left_) +
                   " left the kernel");
    give_up();
  }
  if (!blocks.wait(line)) give_up();
  grid_passed_ = true;
}

unsigned long long FiberTeam::warp_exchange(unsigned mask, unsigned long long value, unsigned source) {
  wait_at_warp(WarpOperation::kExchange, mask, value, source);
  return items_[running_]->result;
}

unsigned FiberTeam::warp_vote(unsigned mask, unsigned predicate) {
  wait_at_warp(WarpOperation::kVote, mask, predicate, 0);
  return static_cast<unsigned>(items_[running_]->result);
}

unsigned FiberTeam::active_lanes(unsigned line) {
  Item& self = *items_[running_];
  self.source = line;
  self.state = State::kGathering;
  ++gathering_;
  hand_on();
  return static_cast<unsigned>(self.result);
}

/// Called after the running work-item has stopped. If no work-item of its warp can continue, the gathering
/// ones do, each with the work-items that gather in the same line.
void FiberTeam::release_gathered() {
  const std::size_t first = running_ / kWarp * kWarp;
  const std::size_t end = std::min(first + kWarp, count_);
  if (watching_ != 0) release_watching(first, end);  // a lane whose word has changed can continue
  std::map<unsigned, unsigned> lanes_at_line;
  // Lanes that took a branch are at a step in an earlier line than those that went past the branch.
  unsigned first_step = ~0u;
  for (std::size_t i = first; i < end; ++i) {
    if (items_[i]->state == State::kRunning) return;
    if (items_[i]->state != State::kGathering) continue;
    lanes_at_line[items_[i]->source] |= lane_bit(i - first);
    if ((items_[i]->source & cpu_abi::kStepOfWarp) != 0) first_step = std::min(first_step, items_[i]->source);
  }
  for (std::size_t i = first; i < end; ++i) {
    Item& item = *items_[i];
    if (item.state != State::kGathering) continue;
    if ((item.source & cpu_abi::kStepOfWarp) != 0 && item.source != first_step) continue;
    item.result = lanes_at_line[item.source];
    item.state = State::kRunning;
    --gathering_;
    ready_.push_back(static_cast<std::uint16_t>(i));
  }
}

void FiberTeam::wait_while(const unsigned* word, unsigned value, unsigned line) {
  Item& self = *items_[running_];
  self.source = line;
  self.word = word;
  self.value = value;
  self.state = State::kWatching;
  ++watching_;
  hand_on();
}

/// Of the work-items [first, end).
void FiberTeam::release_watching(std::size_t first, std::size_t end) {
  for (std::size_t i = first; i < end; ++i) {
    Item& item = *items_[i];
    if (item.state != State::kWatching || *item.word == item.value) continue;
    item.state = State::kRunning;
    --watching_;
    ready_.push_back(static_cast<std::uint16_t>(i));
  }
}

void FiberTeam::wait_at_warp(WarpOperation operation, unsigned mask, unsigned long long value,
                             unsigned source) {
  const std::size_t first = running_ / kWarp * kWarp;
  Item& self = *items_[running_];
  self.operation = operation;
  self.mask = mask | lane_bit(running_ - first);
  self.value = value;
  self.source = source;
  self.state = State::kAtWarpOperation;
  if (!complete_warp(first, self.mask, operation)) hand_on();
}

/// If every lane of `mask` that has not left has come to the same operation, hands out the results and lets
/// the lanes continue.
bool FiberTeam::complete_warp(std::size_t warp_first, unsigned mask, WarpOperation operation) {
  const std::size_t end = std::min(warp_first + kWarp, count_);
  unsigned lanes = 0;
  unsigned votes = 0;
  for (std::size_t i = warp_first; i < end; ++i) {
    const Item& item = *items_[i];
    if ((mask & lane_bit(i - warp_first)) == 0 || item.state == State::kLeft) continue;
    if (item.state != State::kAtWarpOperation || item.operation != operation || item.mask != mask)
      return false;
    lanes |= lane_bit(i - warp_first);
    if (item.value != 0) votes |= lane_bit(i - warp_first);
  }
  for (std::size_t i = warp_first; i < end; ++i) {
    if ((lanes & lane_bit(i - warp_first)) == 0) continue;
    Item& item = *items_[i];
    const bool has_source = item.source < kWarp && (lanes & lane_bit(item.source)) != 0;
    item.result = operation == WarpOperation::kVote ? votes
                  : has_source                      ? items_[warp_first + item.source]->value
                                                    : item.value;
  }
  // Every value has been read before a lane can bring its next one, so the lanes may run only now.
  if (next_ready_ > kWarp * kWarp) {
    ready_.erase(ready_.begin(), ready_.begin() + static_cast<std::ptrdiff_t>(next_ready_));
    next_ready_ = 0;
  }
  for (std::size_t i = warp_first; i < end; ++i) {
    if ((lanes & lane_bit(i - warp_first)) == 0) continue;
    items_[i]->state = State::kRunning;
    if (i != running_) ready_.push_back(static_cast<std::uint16_t>(i));
  }
  return true;
}

std::string FiberTeam::where() const {
  return "in block " + text_of(block_) + " of '" + kernel_->name + "'";
}

std::string FiberTeam::describe_wait() const {
  std::map<unsigned, std::size_t> at_line, watching;
  std::size_t at_warp = 0;
  for (std::size_t i = 0; i < count_; ++i) {
    if (items_[i]->state == State::kAtBlockBarrier) ++at_line[items_[i]->source];
    if (items_[i]->state == State::kWatching) ++watching[items_[i]->source];
    if (items_[i]->state == State::kAtWarpOperation) ++at_warp;
  }
  std::string text;
  const std::string of_all = " of " + std::to_string(count_) + " work-items wait at ";
  for (const auto& [line, waiting] : at_line) {
    text += (text.empty() ? "" : ", ") + std::to_string(waiting) + (text.empty() ? of_all : " at ") +
            "__syncthreads";
    if (at_line.size() > 1) text += " in line " + std::to_string(line);
  }
  for (const auto& [line, waiting] : watching) {
    text += (text.empty() ? "" : ", ") + std::to_string(waiting) + (text.empty() ? of_all : " at ") +
            "a cuda::barrier, a cuda::pipeline or a named barrier in line " + std::to_string(line);
  }
  if (at_warp != 0) {
    text += (text.empty() ? "" : ", ") + std::to_string(at_warp) + (text.empty() ? of_all : " at ") +
            "a warp operation";
  }
  text += " " + where();
  if (left_ != 0) text += "; " + std::to_string(left_) + " left the kernel";
  return text;
}

void FiberTeam::fail_assertion(const char* condition, const char* file, unsigned line) {
  faults_->raise(assertion_text(condition, file, line) + " by work-item " + text_of(position(running_)) +
                 " " + where());
  give_up();
}

/// Ends the block, after its own fault or that of another block. Does not return, so that callers must not
/// own anything: their objects are not destroyed.
void FiberTeam::give_up() {
  switch_context(items_[running_]->context, thread_);
}

}  // namespace kiln
