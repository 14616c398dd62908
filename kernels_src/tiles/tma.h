#pragma once

// Copies of boxes by the tensor memory accelerator, and the barriers that count their bytes: NVIDIA, from
// sm_90 on, for kernels that no other back end needs. PTX ISA: mbarrier, cp.async.bulk.tensor.
#include <cuda.h>

namespace tiles {

__device__ inline unsigned shared_address(const void* p) {
  return unsigned(__cvta_generic_to_shared(p));
}

/// The first byte of dynamic shared memory at a multiple of `alignment`, a power of two.
__device__ inline char* align_shared(char* memory, unsigned alignment) {
  return memory + (0u - shared_address(memory)) % alignment;
}

/// An mbarrier in shared memory. One work-item initialises it; `fence_barriers` and a barrier of the block
/// come before its first use. Its phase changes when all arrivals and all expected bytes are there; a phase's
/// parity begins with 0.
class Barrier {
 public:
  __device__ void init(int arrivals) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(address()), "r"(arrivals) : "memory");
  }
  __device__ void arrive() {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(address()) : "memory");
  }
  /// Arrives at the barrier that stands in this place in another block of the cluster, or in this one. (With
  /// the scope `cluster` in its text it would wait for all memory, which more than halved a product's speed.)
  __device__ void arrive_at(int block) {
    asm volatile(
        "{\n.reg .b32 there;\n"
        "mapa.shared::cluster.u32 there, %0, %1;\n"
        "mbarrier.arrive.shared::cluster.b64 _, [there];\n}" ::"r"(address()),
        "r"(block)
        : "memory");
  }
  /// Arrives, and adds bytes that copies will bring.
  __device__ void expect(int bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(address()), "r"(bytes)
                 : "memory");
  }
  /// Until the phase of this parity is over.
  __device__ void wait(unsigned parity) {
    unsigned done = 0;
    while (done == 0) {
      asm volatile(
          "{\n.reg .pred p;\n"
          "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n"
          "selp.u32 %0, 1, 0, p;\n}"
          : "=r"(done)
          : "r"(address()), "r"(parity)
          : "memory");
    }
  }
  [[nodiscard]] __device__ unsigned address() const { return shared_address(&state_); }

 private:
  unsigned long long state_;
};

/// What `init` wrote is seen by the copies.
__device__ inline void fence_barriers() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

/// What this work-item wrote to shared memory is seen by copies that begin after the block's next barrier. Copies
/// that it begins itself write after the reads that ended before, by the barrier that it has waited for: without
/// the fence a copy may overtake loads of a warp that has arrived.
__device__ inline void fence_shared_for_copies() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

/// What copies need of a map is asked for.
__device__ inline void prefetch_map(const CUtensorMap& map) {
  asm volatile("prefetch.tensormap [%0];" ::"l"(&map) : "memory");
}

/// `bytes` neighbouring bytes, a multiple of 16 as both addresses are, to shared memory; they arrive at
/// `barrier`.
__device__ inline void load_bytes(void* to, const void* from, int bytes, Barrier& barrier) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
          shared_address(to)),
      "l"(__cvta_generic_to_global(from)), "r"(bytes), "r"(barrier.address())
      : "memory");
}

/// The box at (x, y[, z]) of `map`, x along the last dimension, to shared memory; its bytes arrive at
/// `barrier`.
__device__ inline void load_box(void* to, const CUtensorMap& map, Barrier& barrier, int x, int y) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4}], "
      "[%2];" ::"r"(shared_address(to)),
      "l"(&map), "r"(barrier.address()), "r"(x), "r"(y)
      : "memory");
}
__device__ inline void load_box(void* to, const CUtensorMap& map, Barrier& barrier, int x, int y, int z) {
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4, %5}], "
      "[%2];" ::"r"(shared_address(to)),
      "l"(&map), "r"(barrier.address()), "r"(x), "r"(y), "r"(z)
      : "memory");
}

__device__ inline void load_box(void* to, const CUtensorMap& map, Barrier& barrier, int x, int y, int z,
                                int w) {
  asm volatile(
      "cp.async.bulk.tensor.4d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4, %5, "
      "%6}], [%2];" ::"r"(shared_address(to)),
      "l"(&map), "r"(barrier.address()), "r"(x), "r"(y), "r"(z), "r"(w)
      : "memory");
}

/// As load_box, to the same place in each block of the cluster whose bit is set in `blocks`; the bytes arrive
/// at the barriers that stand in this one's place there.
__device__ inline void spread_box(void* to, const CUtensorMap& map, Barrier& barrier, int x, int y,
                                  unsigned blocks) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], "
      "[%1, {%3, %4}], [%2], %5;" ::"r"(shared_address(to)),
      "l"(&map), "r"(barrier.address()), "r"(x), "r"(y), "h"((unsigned short)blocks)
      : "memory");
}

__device__ inline void store_box(const CUtensorMap& map, const void* from, int x, int y, int z) {
  asm volatile("cp.async.bulk.tensor.3d.global.shared::cta.bulk_group [%0, {%2, %3, %4}], [%1];" ::"l"(&map),
               "r"(shared_address(from)), "r"(x), "r"(y), "r"(z)
               : "memory");
}

/// All work-items of all blocks of the cluster: what they wrote before is seen after it.
__device__ inline void sync_cluster() {
  asm volatile("barrier.cluster.arrive.release;\nbarrier.cluster.wait.acquire;" ::: "memory");
}

/// Ends a group of this work-item's stores.
__device__ inline void commit_stores() {
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

/// Until no more than `Left` of this work-item's groups still read shared memory.
template <int Left>
__device__ void wait_stores_read() {
  asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(Left) : "memory");
}

}  // namespace tiles
