#pragma once

#include "copy.h"

// Stages of tiles in shared memory: while the operation works on one, the next ones are on their way.

namespace tiles {

/// Shared memory that `accumulate` needs.
template <class Operation, int Stages>
constexpr int pipeline_bytes = Stages*(Operation::LayoutA::bytes + Operation::LayoutB::bytes);

/// Sums the products of a's rows from `row` on and b's from `column` on, along the depth [k_begin, k_end), in
/// the operation. All work-items of the block call it; `memory` is 128-byte aligned shared memory.
template <int Stages, class Copy, class Operation, class SourceA, class SourceB>
KILN_DEVICE void accumulate(Operation& operation, const SourceA& a, const SourceB& b, int row, int column,
                            int k_begin, int k_end, char* memory, int rank) {
  static_assert(Stages >= 2, "a stage is loaded while another one is used");
  using LayoutA = typename Operation::LayoutA;
  using LayoutB = typename Operation::LayoutB;
  constexpr int stage_bytes = LayoutA::bytes + LayoutB::bytes;
  const int steps = (k_end - k_begin + LayoutA::depth - 1) / LayoutA::depth;
  const auto tile_a = [&](int stage) {
    return reinterpret_cast<typename LayoutA::Element*>(memory + stage * stage_bytes);
  };
  const auto tile_b = [&](int stage) {
    return reinterpret_cast<typename LayoutB::Element*>(memory + stage * stage_bytes + LayoutA::bytes);
  };
  const auto load = [&](int step, int stage) {
    if (step < steps) {
      const int k = k_begin + step * LayoutA::depth;
      copy_tile<LayoutA, Copy, Operation::block>(tile_a(stage), a, row, k, rank);
      copy_tile<LayoutB, Copy, Operation::block>(tile_b(stage), b, column, k, rank);
    }
    Copy::commit();
  };
  operation.begin(row, column, k_begin, rank);
  KILN_UNROLL_ALL
  for (int stage = 0; stage < Stages - 1; ++stage) load(stage, stage);
  int here = 0;
  int free = Stages - 1;
  for (int step = 0; step < steps; ++step) {
    Copy::template wait<Stages - 2>();
    __syncthreads();  // this stage is there for all, and all are done with the one before
    load(step + Stages - 1, free);
    operation.step(tile_a(here), tile_b(here), k_begin + step * LayoutA::depth, rank);
    here = here + 1 == Stages ? 0 : here + 1;
    free = free + 1 == Stages ? 0 : free + 1;
  }
  operation.finish(rank);
}

}  // namespace tiles
