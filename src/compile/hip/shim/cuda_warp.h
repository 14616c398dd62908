// CUDA's functions of a warp, for texts that were written for warps of 32 work-items: a wavefront of 64 is
// two of them. Masks work as in CUDA; work-items of a wavefront run in step, so no function has to wait.
#ifdef __AMDGCN__
#ifndef KILN_OWN_WARP_SIZE  // the text declares a variable of that name
#undef warpSize
#define warpSize 32
#endif

namespace kiln_hip {

__device__ inline unsigned lane() {
  return __builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0u));
}

/// Of the 32 work-items of the calling one.
__device__ inline unsigned ballot(int predicate) {
  return static_cast<unsigned>(static_cast<unsigned long long>(__ballot(predicate)) >> (lane() & 32u));
}

template <class T>
__device__ inline T reduce(unsigned mask, T value, T (*join)(T, T)) {
  T result = value;
  bool first = true;
  for (int i = 0; i < 32; ++i) {
    const T other = __shfl(value, i, 32);
    if ((mask >> i & 1u) == 0) continue;
    result = first ? other : join(result, other);
    first = false;
  }
  return result;
}

}  // namespace kiln_hip

#ifndef __activemask
__device__ inline unsigned __activemask() {
  return kiln_hip::ballot(1);
}
__device__ inline unsigned __ballot_sync(unsigned mask, int predicate) {
  return kiln_hip::ballot(predicate) & mask;
}
__device__ inline int __any_sync(unsigned mask, int predicate) {
  return (kiln_hip::ballot(predicate) & mask) != 0;
}
__device__ inline int __all_sync(unsigned mask, int predicate) {
  return (kiln_hip::ballot(predicate == 0) & mask) == 0;
}
__device__ inline void __syncwarp(unsigned = 0xffffffffu) {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "wavefront");
  __builtin_amdgcn_wave_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "wavefront");
}
template <class T>
__device__ inline T __shfl_sync(unsigned, T value, int source, int width = 32) {
  return __shfl(value, source, width);
}
template <class T>
__device__ inline T __shfl_up_sync(unsigned, T value, unsigned delta, int width = 32) {
  return __shfl_up(value, delta, width);
}
template <class T>
__device__ inline T __shfl_down_sync(unsigned, T value, unsigned delta, int width = 32) {
  return __shfl_down(value, delta, width);
}
template <class T>
__device__ inline T __shfl_xor_sync(unsigned, T value, int lanes, int width = 32) {
  return __shfl_xor(value, lanes, width);
}
template <class T>
__device__ inline unsigned __match_any_sync(unsigned mask, T value) {
  unsigned equal = 0;
  for (int i = 0; i < 32; ++i) {
    if (__shfl(value, i, 32) == value) equal |= 1u << i;
  }
  return equal & mask & kiln_hip::ballot(1);
}
template <class T>
__device__ inline unsigned __match_all_sync(unsigned mask, T value, int* all) {
  const unsigned equal = __match_any_sync(mask, value);
  *all = equal == (mask & kiln_hip::ballot(1));
  return *all ? equal : 0u;
}
#define KILN_HIP_REDUCE(name, type, expression)                                            \
  __device__ inline type name(unsigned mask, type value) {                                 \
    return kiln_hip::reduce<type>(mask, value, [](type a, type b) { return expression; }); \
  }
KILN_HIP_REDUCE(__reduce_add_sync, int, a + b)
KILN_HIP_REDUCE(__reduce_add_sync, unsigned, a + b)
KILN_HIP_REDUCE(__reduce_min_sync, int, (a < b ? a : b))
KILN_HIP_REDUCE(__reduce_min_sync, unsigned, (a < b ? a : b))
KILN_HIP_REDUCE(__reduce_max_sync, int, (a < b ? b : a))
KILN_HIP_REDUCE(__reduce_max_sync, unsigned, (a < b ? b : a))
KILN_HIP_REDUCE(__reduce_and_sync, unsigned, (a & b))
KILN_HIP_REDUCE(__reduce_or_sync, unsigned, (a | b))
KILN_HIP_REDUCE(__reduce_xor_sync, unsigned, (a ^ b))
#undef KILN_HIP_REDUCE
#endif

#ifndef __trap
__device__ inline void __trap() {
  __builtin_trap();
}
#endif
#endif
