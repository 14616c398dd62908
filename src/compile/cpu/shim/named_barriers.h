// The CUDA dialect for a host compiler: barriers by number, which a part of a block may wait for.
#pragma once

namespace kiln::cpu {

struct NamedBarriers {
  unsigned block = 0;  ///< to which the counts belong
  unsigned arrived[16] = {};
  unsigned phase[16] = {};
};

}  // namespace kiln::cpu

static thread_local kiln::cpu::NamedBarriers kiln_named_barriers;

/// Barrier `id` of `expected` work-items, by default of the whole block. The lanes of a warp that come here
/// together count as 32, as on a GPU. Without `waits` they arrive and go on.
KILN_SHIM void kiln_named_barrier(unsigned id, unsigned expected, bool waits,
                                  unsigned line = __builtin_LINE()) {
  if (id == 0 && expected == 0 && waits) {
    kiln_barrier(kiln::cpu_abi::BarrierKind::kPlain, 0, line);
    return;
  }
  kiln_assert(id < 16, "the number of a barrier is below 16", nullptr, line);
  kiln::cpu::NamedBarriers& barriers = kiln_named_barriers;
  if (barriers.block != kiln_block_serial) {
    barriers = {};
    barriers.block = kiln_block_serial;
  }
  if (expected == 0) expected = (blockDim.x * blockDim.y * blockDim.z + 31u) / 32u * 32u;
  const unsigned lanes = __activemask(line);
  const auto first = static_cast<unsigned>(__builtin_ctz(lanes));
  unsigned phase = 0;
  if ((KILN_LINEAR_THREAD() & 31u) == first) {
    phase = barriers.phase[id];
    barriers.arrived[id] += 32;
    if (barriers.arrived[id] >= expected) {
      barriers.arrived[id] = 0;
      ++barriers.phase[id];
    }
  }
  phase = static_cast<unsigned>(kiln_exchange(lanes, phase, first));
  if (waits && barriers.phase[id] == phase) kiln_wait_while(&barriers.phase[id], phase, line);
}

KILN_SHIM void __barrier_sync(unsigned id, unsigned line = __builtin_LINE()) {
  kiln_named_barrier(id, 0, true, line);
}
KILN_SHIM void __barrier_sync_count(unsigned id, unsigned count, unsigned line = __builtin_LINE()) {
  kiln_named_barrier(id, count, true, line);
}
