// The CUDA dialect for a host compiler, part 4: barriers, shuffles, votes, fences, assertions.
// A call that waits may run other work-items of the block on this thread, so threadIdx is saved across it.
#pragma once

KILN_SHIM unsigned kiln_barrier(kiln::cpu_abi::BarrierKind kind, unsigned predicate, unsigned line) {
  const unsigned x = threadIdx.x, y = threadIdx.y, z = threadIdx.z;
  const unsigned result = kiln_worker->services->block_barrier(kiln_worker, kind, predicate, line);
  threadIdx.x = x;
  threadIdx.y = y;
  threadIdx.z = z;
  return result;
}

KILN_SHIM unsigned long long kiln_exchange(unsigned mask, unsigned long long value, unsigned source) {
  const unsigned x = threadIdx.x, y = threadIdx.y, z = threadIdx.z;
  const unsigned long long result = kiln_worker->services->warp_exchange(kiln_worker, mask, value, source);
  threadIdx.x = x;
  threadIdx.y = y;
  threadIdx.z = z;
  return result;
}

KILN_SHIM unsigned kiln_vote(unsigned mask, unsigned predicate) {
  const unsigned x = threadIdx.x, y = threadIdx.y, z = threadIdx.z;
  const unsigned result = kiln_worker->services->warp_vote(kiln_worker, mask, predicate);
  threadIdx.x = x;
  threadIdx.y = y;
  threadIdx.z = z;
  return result;
}

/// Waits while *word is `value`. Other work-items of the block run meanwhile.
KILN_SHIM void kiln_wait_while(const unsigned* word, unsigned value, unsigned line) {
  const unsigned x = threadIdx.x, y = threadIdx.y, z = threadIdx.z;
  kiln_worker->services->wait_while(kiln_worker, word, value, line);
  threadIdx.x = x;
  threadIdx.y = y;
  threadIdx.z = z;
}

#if !defined(KILN_PREPROCESSING)
#define __syncthreads() ((void)kiln_barrier(kiln::cpu_abi::BarrierKind::kPlain, 0, __LINE__))
#define __syncthreads_count(p) \
  (static_cast<int>(kiln_barrier(kiln::cpu_abi::BarrierKind::kCount, (p) ? 1u : 0u, __LINE__)))
#define __syncthreads_and(p) \
  (static_cast<int>(kiln_barrier(kiln::cpu_abi::BarrierKind::kAnd, (p) ? 1u : 0u, __LINE__)))
#define __syncthreads_or(p) \
  (static_cast<int>(kiln_barrier(kiln::cpu_abi::BarrierKind::kOr, (p) ? 1u : 0u, __LINE__)))
#endif

KILN_SHIM void __syncwarp(unsigned mask = 0xffffffffu) {
  kiln_vote(mask, 0);
}
KILN_SHIM unsigned __activemask(unsigned line = __builtin_LINE()) {
  const unsigned x = threadIdx.x, y = threadIdx.y, z = threadIdx.z;
  const unsigned result = kiln_worker->services->active_lanes(kiln_worker, line);
  threadIdx.x = x;
  threadIdx.y = y;
  threadIdx.z = z;
  return result;
}
/// Waits for the lanes that a GPU runs in step with this one: no other lane of the warp can go on, and those
/// in lines above have come here.
KILN_SHIM void kiln_warp_step(unsigned line = __builtin_LINE()) {
  __activemask(line | kiln::cpu_abi::kStepOfWarp);
}
/// In a wait for what another work-item, or another block, writes.
KILN_SHIM void kiln_let_others_run(unsigned line) {
  __activemask(line);
}
KILN_SHIM unsigned __ballot_sync(unsigned mask, int p) {
  return kiln_vote(mask, p ? 1u : 0u);
}
KILN_SHIM int __any_sync(unsigned mask, int p) {
  return kiln_vote(mask, p ? 1u : 0u) != 0;
}
KILN_SHIM int __all_sync(unsigned mask, int p) {
  return kiln_vote(mask, p ? 0u : 1u) == 0;
}
// As older CUDA has them, of the lanes that come here.
KILN_SHIM unsigned __ballot(int p) {
  return __ballot_sync(0xffffffffu, p);
}
KILN_SHIM int __any(int p) {
  return __any_sync(0xffffffffu, p);
}
KILN_SHIM int __all(int p) {
  return __all_sync(0xffffffffu, p);
}

template <class V>
KILN_SHIM V kiln_shuffle(unsigned mask, V value, unsigned source) {
  static_assert(sizeof(V) <= 8, "a shuffle moves at most 8 bytes");
  unsigned long long bits = 0;
  __builtin_memcpy(&bits, &value, sizeof(V));
  bits = kiln_exchange(mask, bits, source);
  V result;
  __builtin_memcpy(&result, &bits, sizeof(V));
  return result;
}

/// Of any size, in parts.
template <class V>
KILN_SHIM V kiln_shuffle_large(unsigned mask, V value, unsigned source) {
  if constexpr (sizeof(V) <= 8) {
    return kiln_shuffle(mask, value, source);
  } else {
    struct Parts {
      unsigned long long part[(sizeof(V) + 7) / 8];
    } parts = {};
    __builtin_memcpy(&parts, &value, sizeof(V));
    for (auto& part : parts.part) part = kiln_exchange(mask, part, source);
    __builtin_memcpy(&value, &parts, sizeof(V));
    return value;
  }
}

template <class V>
KILN_SHIM V __shfl_sync(unsigned mask, V value, int source, int width = 32) {
  const unsigned lane = KILN_LINEAR_THREAD() & 31u, low = static_cast<unsigned>(width) - 1u;
  return kiln_shuffle(mask, value, (lane & ~low) | (static_cast<unsigned>(source) & low));
}
// Of a distance the last five bits count, as on a GPU.
template <class V>
KILN_SHIM V __shfl_up_sync(unsigned mask, V value, unsigned delta, int width = 32) {
  delta &= 31u;
  const unsigned lane = KILN_LINEAR_THREAD() & 31u, first = lane & ~(static_cast<unsigned>(width) - 1u);
  return kiln_shuffle(mask, value, lane - first >= delta ? lane - delta : lane);
}
template <class V>
KILN_SHIM V __shfl_down_sync(unsigned mask, V value, unsigned delta, int width = 32) {
  delta &= 31u;
  const unsigned lane = KILN_LINEAR_THREAD() & 31u, last = lane | (static_cast<unsigned>(width) - 1u);
  return kiln_shuffle(mask, value, delta <= last - lane ? lane + delta : lane);
}
template <class V>
KILN_SHIM V __shfl_xor_sync(unsigned mask, V value, int lane_mask, int width = 32) {
  const unsigned lane = KILN_LINEAR_THREAD() & 31u, last = lane | (static_cast<unsigned>(width) - 1u);
  const unsigned source = lane ^ (static_cast<unsigned>(lane_mask) & 31u);
  return kiln_shuffle(mask, value, source <= last ? source : lane);
}

// The forms without a mask, as HIP and older CUDA have them.
template <class V>
KILN_SHIM V __shfl(V value, int source, int width = 32) {
  return __shfl_sync(0xffffffffu, value, source, width);
}
template <class V>
KILN_SHIM V __shfl_up(V value, unsigned delta, int width = 32) {
  return __shfl_up_sync(0xffffffffu, value, delta, width);
}
template <class V>
KILN_SHIM V __shfl_down(V value, unsigned delta, int width = 32) {
  return __shfl_down_sync(0xffffffffu, value, delta, width);
}
template <class V>
KILN_SHIM V __shfl_xor(V value, int lane_mask, int width = 32) {
  return __shfl_xor_sync(0xffffffffu, value, lane_mask, width);
}

/// The lanes of `mask` that hold the same bits as the caller.
template <class V>
KILN_SHIM unsigned __match_any_sync(unsigned mask, V value) {
  const unsigned present = kiln_vote(mask, 1);
  unsigned equal = 0;
  for (unsigned lane = 0; lane < 32; ++lane) {
    if ((present >> lane & 1u) == 0) continue;
    const V other = kiln_shuffle(mask, value, lane);
    if (__builtin_memcmp(&other, &value, sizeof(V)) == 0) equal |= 1u << lane;
  }
  return equal;
}
template <class V>
KILN_SHIM unsigned __match_all_sync(unsigned mask, V value, int* all_equal) {
  const unsigned present = kiln_vote(mask, 1);
  *all_equal = __match_any_sync(mask, value) == present;
  return *all_equal ? present : 0u;
}

#define KILN_WARP_REDUCE(name, type, expression)                                            \
  KILN_SHIM type __reduce_##name##_sync(unsigned mask, type value) {                        \
    const unsigned present = kiln_vote(mask, 1);                                            \
    type a = kiln_shuffle(mask, value, static_cast<unsigned>(__builtin_ctz(present)));      \
    for (unsigned rest = present & (present - 1); rest != 0; rest &= rest - 1) {            \
      const type b = kiln_shuffle(mask, value, static_cast<unsigned>(__builtin_ctz(rest))); \
      a = (expression);                                                                     \
    }                                                                                       \
    return a;                                                                               \
  }
KILN_WARP_REDUCE(add, unsigned, a + b)
KILN_WARP_REDUCE(min, unsigned, b < a ? b : a)
KILN_WARP_REDUCE(max, unsigned, a < b ? b : a)
KILN_WARP_REDUCE(and, unsigned, a& b)
KILN_WARP_REDUCE(or, unsigned, a | b)
KILN_WARP_REDUCE(xor, unsigned, a ^ b)
KILN_WARP_REDUCE(add, int, a + b)
KILN_WARP_REDUCE(min, int, b < a ? b : a)
KILN_WARP_REDUCE(max, int, a < b ? b : a)

KILN_SHIM void __threadfence() {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
KILN_SHIM void __threadfence_block() {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
KILN_SHIM void __threadfence_system() {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
KILN_SHIM void __nanosleep(unsigned) {}

KILN_SHIM void kiln_assert(bool holds, const char* condition, const char* file, unsigned line) {
  if (!holds) kiln_worker->services->assertion_failed(kiln_worker, condition, file, line);
}

// They fail the launch. As after a failed assertion, the work-item goes on in a kernel without barriers.
KILN_SHIM void __trap() {
  kiln_worker->services->assertion_failed(kiln_worker, "the kernel calls __trap", nullptr, 0);
}
KILN_SHIM void __brkpt() {
  kiln_worker->services->assertion_failed(kiln_worker, "the kernel calls __brkpt", nullptr, 0);
}

// A kernel cannot end the process: the linker turns its calls (--wrap) into these, which fail the launch.
// What is called outside of one, as by a static constructor, is an abort, which the job tells with the
// variant.
#define KILN_PROCESS_END(name, parameter)                                                          \
  extern "C" [[noreturn]] KILN_EXPORT void __wrap_##name(parameter) {                              \
    if (kiln_worker)                                                                               \
      kiln_worker->services->assertion_failed(kiln_worker, "the kernel calls " #name, nullptr, 0); \
    __real_abort();                                                                                \
  }
extern "C" [[noreturn]] void __real_abort();
KILN_PROCESS_END(exit, int)
KILN_PROCESS_END(_exit, int)
KILN_PROCESS_END(_Exit, int)
KILN_PROCESS_END(quick_exit, int)
KILN_PROCESS_END(abort, void)

#undef assert
#if defined(NDEBUG)
#define assert(condition) ((void)0)
#else
// A constant expression may hold one that is true.
#define assert(condition) \
  (static_cast<bool>(condition) ? (void)0 : kiln_assert(false, #condition, __FILE__, __LINE__))
#endif
