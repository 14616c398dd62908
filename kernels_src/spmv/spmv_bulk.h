#pragma once

#include "spmv.h"

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
#include "../tiles/tma.h"
#define SPMV_BULK 1
#else
#define SPMV_BULK 0
#endif

// Two ranges of memory, values and what stands for their columns, copied to shared memory as they are: on
// Hopper by its copy engine, which moves packs of 16 bytes.

template <class V>
constexpr int pack_of = 16 / int(sizeof(V));

// Bytes of shared memory for `count` elements that may begin anywhere in a pack.
template <class V>
constexpr int bytes_for(int count) {
  return (count + 2 * pack_of<V>) / pack_of<V> * 16;
}

// The range [begin, begin + count) of an array of `all` elements; the copy engine copies `whole` elements from
// `base` on: packs, which may reach beyond the range but not beyond the array.
template <class V>
struct Range {
  V* to;
  const V* from;
  int base, behind, whole;
  __device__ Range(char* memory, const V* array, int begin, int count, int all)
      : to(reinterpret_cast<V*>(memory)), from(array), base(begin / pack_of<V> * pack_of<V>), behind(begin + count) {
    const int reach = (behind + pack_of<V> - 1) / pack_of<V> * pack_of<V>;
    whole = SPMV_BULK ? (reach <= all ? reach : behind / pack_of<V> * pack_of<V>)-base : 0;
  }
  [[nodiscard]] __device__ V at(int k) const { return to[k - base]; }
  [[nodiscard]] __device__ bool has_rest() const { return base + whole < behind; }
  __device__ void copy_rest() const {
    KILN_UNROLL(1)
    for (int k = base + whole + int(threadIdx.x); k < behind; k += Params::block) to[k - base] = from[k];
  }
};

// Copies on their way to the stages of a block. `begin` starts one, `end` waits for the n-th of a stage, where
// n is 0 for the first; all work-items of the block call both. Where there is no copy engine, `end` copies.
template <int Stages>
class Copies {
 public:
  // Before a barrier of the block.
  __device__ void init() {
#if SPMV_BULK
    if (threadIdx.x > 0) return;
    for (int stage = 0; stage < Stages; ++stage) barriers_[stage].init(1);
    tiles::fence_barriers();
#endif
  }
  template <class V, class W>
  __device__ void begin(int stage, const Range<V>& first, const Range<W>& second) {
#if SPMV_BULK
    if (threadIdx.x > 0) return;
    barriers_[stage].expect(first.whole * int(sizeof(V)) + second.whole * int(sizeof(W)));
    load(first, barriers_[stage]);
    load(second, barriers_[stage]);
#endif
  }
  template <class V, class W>
  __device__ void end(int stage, unsigned n, const Range<V>& first, const Range<W>& second) {
#if SPMV_BULK
    barriers_[stage].wait(n % 2);
    if (!first.has_rest() && !second.has_rest()) return;
#endif
    first.copy_rest();
    second.copy_rest();
    __syncthreads();
  }

 private:
#if SPMV_BULK
  template <class V>
  __device__ void load(const Range<V>& range, tiles::Barrier& barrier) {
    if (range.whole > 0)
      tiles::load_bytes(range.to, range.from + range.base, range.whole * int(sizeof(V)), barrier);
  }
  tiles::Barrier barriers_[Stages];
#endif
};
