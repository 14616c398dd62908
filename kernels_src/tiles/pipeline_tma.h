#pragma once

#include "tma.h"

// Stages of tiles in shared memory that boxes fill: one work-item of the first warpgroup asks for them, the
// other warpgroups compute (NVIDIA, sm_90a). A block, or a cluster of blocks that share tiles, stays and does
// one piece of work after the other; boxes of the next piece arrive while sums of the last one are stored.

namespace tiles {

/// What a block computes at a time: the tile at (row, column), over [k_begin, k_end), nothing where that is
/// empty; `split` numbers parts of one tile, `tile` the tiles of all clusters.
struct Work {
  int row, column, k_begin, k_end, split;
  int tile = 0;
};

/// Blocks of a cluster: `Down` of them have tiles below each other and share those of operand B, `Across`
/// have tiles beside each other and share those of A. Each loads a part of what is shared, for all.
template <int Down, int Across>
struct Cluster {
  static constexpr int down = Down;
  static constexpr int across = Across;
  static constexpr int blocks = Down * Across;
  static_assert(blocks <= 8, "what every GPU has");
  __device__ static int rank() { return int(blockIdx.x) % blocks; }
  __device__ static int y() { return rank() % Down; }
  __device__ static int x() { return rank() / Down; }
};

/// A tile of a matrix with a tensor map. The box is what one copy moves: along the depth rows / Parts rows,
/// else 128 bytes of rows. `part` is this block's; `blocks` are the ones that get it.
template <class Layout, int Parts>
struct Boxes {
  const CUtensorMap& map;
  int part;
  unsigned blocks;
  static constexpr int tall = Layout::k_contiguous ? Layout::rows / Parts : Layout::box_rows;
  static constexpr int count = Layout::rows / Parts / tall;
  static_assert(Layout::rows % (Parts * tall) == 0 && tall % 8 == 0 && tall <= 256, "whole boxes");

  __device__ void load(typename Layout::Element* to, Barrier& barrier, int row, int k) const {
    KILN_UNROLL_ALL
    for (int box = part * count; box < part * count + count; ++box) {
      char* place = reinterpret_cast<char*>(to) + box * tall * 128;
      const int x = Layout::k_contiguous ? k : row + box * tall;
      const int y = Layout::k_contiguous ? row + box * tall : k;
      if constexpr (Parts == 1)
        load_box(place, map, barrier, x, y);
      else
        spread_box(place, map, barrier, x, y, blocks);
    }
  }
};
/// Of operand A and of B, for this block of the cluster.
template <class Layout, class Cluster>
__device__ Boxes<Layout, Cluster::across> boxes_of_a(const CUtensorMap& map) {
  unsigned row_of_blocks = 0;
  for (int x = 0; x < Cluster::across; ++x) row_of_blocks |= 1u << (x * Cluster::down + Cluster::y());
  return {map, Cluster::x(), row_of_blocks};
}
template <class Layout, class Cluster>
__device__ Boxes<Layout, Cluster::down> boxes_of_b(const CUtensorMap& map) {
  return {map, Cluster::y(), ((1u << Cluster::down) - 1) << (Cluster::x() * Cluster::down)};
}

template <int Stages>
struct Ring {
  Barrier full[Stages], empty[Stages];
};

/// Which stage is next, and the parity of its barriers: both sides count alike.
template <int Stages>
struct Turn {
  int stage = 0;
  unsigned parity = 0;
  __device__ void advance() {
    if (++stage == Stages) {
      stage = 0;
      parity ^= 1;
    }
  }
  __device__ void skip(int steps) {
    const int to = stage + steps;
    stage = to % Stages;
    parity ^= unsigned(to / Stages) & 1;
  }
};

/// Teams of an operation's work-items, which take pieces of work by turns: one computes while another stores.
template <class Operation, class = void>
constexpr int teams_of = 1;
template <class Operation>
constexpr int teams_of<Operation, decltype(void(Operation::teams))> = Operation::teams;

/// More registers for the warpgroups that compute, from the one that loads.
template <int Count>
__device__ void claim_registers() {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(Count));
}
template <int Count>
__device__ void release_registers() {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(Count));
}

template <int Value>
struct Number {
  static constexpr int value = Value;
};

/// Steps of the kinds First to Count - 1, from k on.
template <int First, int Count, class Compute>
__device__ __forceinline__ void compute_in_turn(int k, int depth, const Compute& compute) {
  compute(k, Number<First>{});
  if constexpr (First + 1 < Count) compute_in_turn<First + 1, Count>(k + depth, depth, compute);
}

/// Whether the last kind of an operation's steps waits for all products. Such an operation has two more
/// kinds, which do so, too: for the steps that are left at the end.
template <class Operation, class = void>
constexpr bool has_singles = false;
template <class Operation>
constexpr bool has_singles<Operation, decltype(void(Operation::singles))> = true;

/// What run_boxes calls where nobody wants to be called.
struct Nothing {
  __device__ void operator()() const {}
};

/// A barrier for the `Count` work-items of a block that compute, as run_boxes calls `finish` with them.
template <int Count>
__device__ void sync_computing() {
  asm volatile("bar.sync 1, %0;" ::"n"(Count) : "memory");
}

/// Of both operands' tiles. Stages begin at the first multiple of 1024 bytes of dynamic shared memory.
template <class Operation>
constexpr int stage_bytes = Operation::LayoutA::bytes + Operation::LayoutB::bytes;

/// All work of the block: works.count pieces for all clusters, works.at(i) one of them for this block.
/// finish(operation, work, rank) stores the sums; asked() is called by one work-item when all tiles of the
/// block are on their way. `a` and `b` load tiles, as Boxes do; `memory` is dynamic shared memory. All 128 +
/// Operation::block work-items of the block call it; more where the operation has teams, whose `rank` counts
/// from a team's first.
template <class Cluster, int Stages, class Operation, class Works, class BoxesA, class BoxesB, class Finish,
          class Asked = Nothing>
KILN_DEVICE void run_boxes(Operation operation, const Works& works, const BoxesA& a, const BoxesB& b,
                           char* memory, const Finish& finish, const Asked& asked = {}) {
  using LayoutA = typename Operation::LayoutA;
  using LayoutB = typename Operation::LayoutB;
  constexpr int bytes = stage_bytes<Operation>;
  constexpr int teams = teams_of<Operation>;
  constexpr int groups = Operation::block / 128 * teams;
  __shared__ Ring<Stages> ring;
  __shared__ Barrier order[teams];  // a team has waited for all of its tiles: the next one's may be waited for
  memory = align_shared(memory, 1024);
  const auto tile_a = [&](int stage) {
    return reinterpret_cast<typename LayoutA::Element*>(memory + stage * bytes);
  };
  const auto tile_b = [&](int stage) {
    return reinterpret_cast<typename LayoutB::Element*>(memory + stage * bytes + LayoutA::bytes);
  };
  if (threadIdx.x == 0) {
    for (int team = 0; teams > 1 && team < teams; ++team) order[team].init(Operation::block / 32);
    for (int stage = 0; stage < Stages; ++stage) {
      ring.full[stage].init(1);
      ring.empty[stage].init(Operation::block / 32 * Cluster::blocks);  // each warp of a team, of each block
    }
    fence_barriers();
  }
  if (Cluster::blocks > 1)
    sync_cluster();
  else
    __syncthreads();

  const int first = int(blockIdx.x) / Cluster::blocks;
  const int stride = int(gridDim.x) / Cluster::blocks;
  Turn<Stages> turn;
  if (threadIdx.x < 128) {
    if constexpr (groups == 2) release_registers<40>();
    if constexpr (groups == 3) release_registers<32>();
    if (threadIdx.x == 0) {
      for (int index = first; index < works.count; index += stride) {
        const Work work = works.at(index);
        for (int k = work.k_begin; k < work.k_end; k += LayoutA::depth) {
          ring.empty[turn.stage].wait(turn.parity ^ 1);
          // Loads of such an operation may be under way when a warp has arrived. Others' products have ended.
          if constexpr (Operation::behind == 0) fence_shared_for_copies();
          ring.full[turn.stage].expect(bytes);
          a.load(tile_a(turn.stage), ring.full[turn.stage], work.row, k);
          b.load(tile_b(turn.stage), ring.full[turn.stage], work.column, k);
          turn.advance();
        }
      }
      asked();
    }
  } else {
    if constexpr (groups == 2) claim_registers<232>();
    if constexpr (groups == 3) claim_registers<160>();
    const int team = (int(threadIdx.x) - 128) / Operation::block;
    const int rank = int(threadIdx.x) - 128 - team * Operation::block;
    int whose = 0;  // the team that has the next piece
    unsigned order_parity = team == 0;
    const auto free = [&](int stage) {
      if (rank % 32 < Cluster::blocks) {
        if (Cluster::blocks == 1)
          ring.empty[stage].arrive();
        else
          ring.empty[stage].arrive_at(rank % 32);
      }
    };
    for (int index = first; index < works.count; index += stride) {
      const Work work = works.at(index);
      if (work.k_begin >= work.k_end) continue;
      if constexpr (teams > 1) {
        const bool mine = whose == team;
        whose = whose + 1 == teams ? 0 : whose + 1;
        if (!mine) {
          turn.skip((work.k_end - work.k_begin + LayoutA::depth - 1) / LayoutA::depth);
          continue;
        }
        // Parities tell one phase from the next, no more: tiles are waited for in their order.
        order[team].wait(order_parity);
        order_parity ^= 1;
      }
      int used = -1;  // the stage of the step before
      operation.begin(work.row, work.column, work.k_begin, rank);
      const auto compute = [&](int k, auto number) {
        ring.full[turn.stage].wait(turn.parity);
        if constexpr (Operation::turns > 1)
          operation.template step<number.value>(tile_a(turn.stage), tile_b(turn.stage), k, rank);
        else
          operation.step(tile_a(turn.stage), tile_b(turn.stage), k, rank);
        if (Operation::behind > 0 && used >= 0) free(used);
        if constexpr (Operation::behind == 0 ||
                      has_singles<Operation> && number.value >= Operation::turns - 1) {
          free(turn.stage);
          used = -1;
        } else {
          used = turn.stage;
        }
        turn.advance();
      };
      int k = work.k_begin;
      constexpr int depth = LayoutA::depth, turns = Operation::turns;
      for (; k + (turns - 1) * depth < work.k_end; k += turns * depth)
        compute_in_turn<0, turns>(k, depth, compute);
      if constexpr (has_singles<Operation>) {
        for (; k < work.k_end; k += 2 * depth) {
          compute(k, Number<turns>{});
          if (k + depth < work.k_end) compute(k + depth, Number<turns + 1>{});
        }
      } else if constexpr (turns > 1) {
        static_assert(turns == 2);
        if (k < work.k_end) compute(k, Number<0>{});
      }
      if (teams > 1 && rank % 32 == 0) order[(team + 1) % teams].arrive();
      operation.finish(rank);
      if (used >= 0) free(used);
      finish(operation, work, rank);
    }
  }
  if (Cluster::blocks > 1) sync_cluster();  // other blocks still arrive at this one's barriers
}

}  // namespace tiles
