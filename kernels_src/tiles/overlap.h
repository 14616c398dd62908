#pragma once

// For kernels with `overlap: true`, whose blocks may start before the launch before has ended (NVIDIA, from
// sm_90 on): PTX ISA, griddepcontrol. Elsewhere launches follow each other, and the functions do nothing.

namespace tiles {

/// Blocks of the next launch may start once all blocks of this one have called it.
KILN_DEVICE void let_next_start() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;");
#endif
}

/// Until all launches before have ended and what they wrote is seen. Every block calls it, each work-item
/// before it reads what they wrote, or writes what they read.
KILN_DEVICE void wait_for_launches_before() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

/// Loads boxes of what launches before have written: the first load waits for them.
template <class Boxes>
struct LaterBoxes {
  const Boxes& boxes;
  bool& waits;
  template <class To, class Barrier>
  KILN_DEVICE void load(To* to, Barrier& barrier, int row, int k) const {
    if (waits) wait_for_launches_before();
    waits = false;
    boxes.load(to, barrier, row, k);
  }
};

}  // namespace tiles
