#include "device/cpu/block_team.h"

#include <algorithm>
#include <new>
#include <string>

namespace kiln {
namespace {

/// As much as a thread has: a split kernel keeps its arrays there. Only used pages take memory.
constexpr std::size_t kStackBytes = std::size_t{8} << 20;

std::string text_of(std::uint64_t block, cpu_abi::Index3 grid) {
  return "(" + std::to_string(block % grid.x) + "," + std::to_string(block / grid.x % grid.y) + "," +
         std::to_string(block / grid.x / grid.y) + ")";
}

}  // namespace

BlockTeam::BlockTeam() : stacks_(kStackBytes) {}

void BlockTeam::run(const cpu_abi::Kernel& kernel, const cpu_abi::Launch& launch,
                    std::size_t dynamic_shared_bytes, std::uint64_t first, std::uint64_t last,
                    cpu_abi::Worker& worker, FaultSink& faults, GridPhases* phases) {
  kernel_ = &kernel;
  launch_ = &launch;
  worker_ = &worker;
  faults_ = &faults;
  adopt_thread(thread_);
  if (phases == nullptr) {  // one after the other, as no block can wait
    for (first_ = first; first_ < last && !faults.raised(); ++first_) {
      prepare(1, dynamic_shared_bytes);
      run_one(0);
    }
    return;
  }
  first_ = first;
  prepare(static_cast<std::size_t>(last - first), dynamic_shared_bytes);
  while (phases->next(run_phase())) {
  }
}

void BlockTeam::prepare(std::size_t count, std::size_t dynamic_shared_bytes) {
  constexpr std::size_t kLine = 64;
  count_ = 0;
  while (blocks_.size() < count) {
    auto block = std::make_unique<Block>();
    block->team = this;
    block->left = true;
    stacks_.start(block->context, blocks_.size(), &BlockTeam::block_main, block.get());
    blocks_.push_back(std::move(block));
  }
  shared_stride_ = (dynamic_shared_bytes + kLine - 1) / kLine * kLine;
  if (count * shared_stride_ > shared_.get().bytes) {
    shared_ = map_memory(count * shared_stride_);
    if (!shared_) throw std::bad_alloc();
  }
  for (std::size_t i = 0; i < count; ++i) {
    Block& block = *blocks_[i];
    // A block that was given up never continues: its stack is started afresh.
    if (!block.left) prepare_context(block.context, i);
    block.left = block.waits = false;
  }
  count_ = count;
}

void BlockTeam::block_main(void* argument) {
  Block& block = *static_cast<Block*>(argument);
  BlockTeam& team = *block.team;
  for (;;) {
    const std::uint64_t number = team.first_ + team.running_;
    team.kernel_->run_blocks(team.launch_, number, number + 1, team.worker_);
    block.left = true;
    switch_context(block.context, team.thread_);  // returns when a later launch starts this block
  }
}

void BlockTeam::run_one(std::size_t i) {
  running_ = i;
  blocks_[i]->waits = false;
  worker_->dynamic_shared = static_cast<char*>(shared_.get().address) + i * shared_stride_;
  worker_->dynamic_shared_bytes = shared_stride_;
  switch_context(thread_, blocks_[i]->context);
}

GridPhases::Arrivals BlockTeam::run_phase() {
  GridPhases::Arrivals arrivals;
  for (std::size_t i = 0; i < count_; ++i) {
    const Block& block = *blocks_[i];
    if (!block.left && !faults_->raised()) run_one(i);
    arrivals.waiting += block.waits ? 1 : 0;
    arrivals.left += block.left ? 1 : 0;
    if (block.waits) arrivals.line = block.line;
  }
  return arrivals;
}

void BlockTeam::grid_sync(unsigned line, unsigned left) {
  Block& self = *blocks_[running_];
  if (worker_->cooperative != 0 && left == 0) {
    self.waits = true;
    self.line = line;
  } else {
    faults_->raise(fault_at_sync(line, left));
  }
  // After a fault the block is given up: it never continues, and the objects on its stack are not destroyed.
  switch_context(self.context, thread_);
}

std::string BlockTeam::fault_at_sync(unsigned line, unsigned left) const {
  const std::uint64_t items = std::uint64_t{launch_->block.x} * launch_->block.y * launch_->block.z;
  const std::string where = " the grid's sync in line " + std::to_string(line) + " in block " +
                            text_of(first_ + running_, launch_->grid) + " of '" + kernel_->name + "'";
  if (worker_->cooperative == 0)
    return "a work-item calls" + where +
           ", but the launch is not cooperative: give the kernel 'cooperative: true' in the workload";
  return std::to_string(items - left) + " of " + std::to_string(items) + " work-items wait at" + where +
         "; " + std::to_string(left) + " left the kernel";
}

}  // namespace kiln
