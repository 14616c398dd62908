#pragma once

#include "copy.h"

// NVIDIA, from sm_80 on: copies to shared memory that run while the block computes (PTX ISA: cp.async).

namespace tiles {

struct AsyncCopy {
  template <int Count, class E>
  KILN_DEVICE static void move(E* to, const E* from) {
    constexpr int bytes = Count * int(sizeof(E));
    const unsigned place = unsigned(__cvta_generic_to_shared(to));
    if constexpr (bytes == 16) {  // past the first-level cache
      asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(place),
                   "l"(__cvta_generic_to_global(from)));
    } else if constexpr (bytes == 4 || bytes == 8) {
      asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(place),
                   "l"(__cvta_generic_to_global(from)), "n"(bytes));
    } else {
      PlainCopy::move<Count>(to, from);
    }
  }
  KILN_DEVICE static void commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
  /// Until no more than `Left` groups of this work-item are on their way.
  template <int Left>
  KILN_DEVICE static void wait() {
    asm volatile("cp.async.wait_group %0;" ::"n"(Left) : "memory");
  }
};

}  // namespace tiles
