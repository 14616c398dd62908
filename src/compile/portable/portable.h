// kiln/portable.h: the few things that a kernel text needs and that CUDA, HIP and the host spell differently.
// One text for every back end; it includes nothing, because NVRTC and the host shim have no standard headers.
// The back end defines one of KILN_BACKEND_CUDA, KILN_BACKEND_HIP, KILN_BACKEND_CPU and, where it is not 32
// (64 for HIP), KILN_WARP_SIZE. An ahead-of-time build by nvcc or hipcc needs no macro; plain host C++ can
// include it too.
#pragma once

#if !defined(KILN_BACKEND_CUDA) && !defined(KILN_BACKEND_HIP) && !defined(KILN_BACKEND_CPU)
#if defined(__HIP__) || defined(__HIPCC__)
#define KILN_BACKEND_HIP 1
#elif defined(__CUDACC__)
#define KILN_BACKEND_CUDA 1
#endif
#endif

#if defined(KILN_BACKEND_CUDA) || defined(KILN_BACKEND_HIP)
#define KILN_HOST_DEVICE __host__ __device__ __forceinline__
#define KILN_DEVICE __device__ __forceinline__
#else
#define KILN_HOST_DEVICE inline
#define KILN_DEVICE inline
#endif

#ifndef KILN_WARP_SIZE
#if defined(KILN_BACKEND_HIP) && defined(__AMDGCN_WAVEFRONT_SIZE)
#define KILN_WARP_SIZE __AMDGCN_WAVEFRONT_SIZE
#elif defined(KILN_BACKEND_HIP)
#define KILN_WARP_SIZE 64
#else
#define KILN_WARP_SIZE 32
#endif
#endif

// KILN_UNROLL(4) for (...): asks for unrolling by a literal factor. KILN_UNROLL_ALL: a short loop of known
// length.
#define KILN_PRAGMA(text) _Pragma(#text)
#if defined(__clang__) || defined(KILN_BACKEND_CUDA) || defined(KILN_BACKEND_HIP)
#define KILN_UNROLL(factor) KILN_PRAGMA(unroll factor)
#define KILN_UNROLL_ALL KILN_PRAGMA(unroll)
#else
#define KILN_UNROLL(factor) KILN_PRAGMA(GCC unroll factor)
#define KILN_UNROLL_ALL KILN_PRAGMA(GCC unroll 64)
#endif

// KILN_SIMD for (...): no turn needs what an earlier one wrote; on a CPU they may become lanes of vectors.
#if defined(KILN_BACKEND_CUDA) || defined(KILN_BACKEND_HIP)
#define KILN_SIMD
#else
#define KILN_SIMD KILN_PRAGMA(omp simd)
#endif

namespace kiln {

constexpr int warp_size = KILN_WARP_SIZE;  // NOLINT(readability-identifier-naming): written in kernels

using uint32 = unsigned int;
using uint64 = unsigned long long;

// ---------------------------------------------------------------------------------------------- random
// numbers Counter-based, so that element i has the same value on each device and in any order of evaluation.

struct RandomWords {
  uint32 word[4];
};

/// Philox4x32-10: Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC'11.
/// Counter (index, stream), key seed; four independent 32-bit words. Ten rounds; integer arithmetic only.
KILN_HOST_DEVICE RandomWords random_words(uint64 seed, uint64 index, uint64 stream = 0) {
  uint32 c0 = static_cast<uint32>(index);
  uint32 c1 = static_cast<uint32>(index >> 32);
  uint32 c2 = static_cast<uint32>(stream);
  uint32 c3 = static_cast<uint32>(stream >> 32);
  uint32 k0 = static_cast<uint32>(seed);
  uint32 k1 = static_cast<uint32>(seed >> 32);
  for (int round = 0; round < 10; ++round) {
    const uint64 p0 = static_cast<uint64>(0xD2511F53u) * c0;
    const uint64 p1 = static_cast<uint64>(0xCD9E8D57u) * c2;
    c0 = static_cast<uint32>(p1 >> 32) ^ c1 ^ k0;
    c1 = static_cast<uint32>(p1);
    c2 = static_cast<uint32>(p0 >> 32) ^ c3 ^ k1;
    c3 = static_cast<uint32>(p0);
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
  return RandomWords{{c0, c1, c2, c3}};
}

/// 64 random bits for element `index` of the sequence (seed, stream).
KILN_HOST_DEVICE uint64 random_bits(uint64 seed, uint64 index, uint64 stream = 0) {
  const RandomWords words = random_words(seed, index, stream);
  return static_cast<uint64>(words.word[1]) << 32 | words.word[0];
}

/// Uniform in [0, 1), a multiple of 2^-53: the same bits everywhere.
KILN_HOST_DEVICE double uniform01(uint64 seed, uint64 index, uint64 stream = 0) {
  return static_cast<double>(random_bits(seed, index, stream) >> 11) * (1.0 / 9007199254740992.0);
}

namespace detail {

KILN_HOST_DEVICE double fused(double a, double b, double c) {
#if defined(KILN_BACKEND_CUDA) || defined(KILN_BACKEND_HIP)
  return fma(a, b, c);
#else
  return __builtin_fma(a, b, c);
#endif
}

KILN_HOST_DEVICE double root(double a) {
#if defined(KILN_BACKEND_CUDA) || defined(KILN_BACKEND_HIP)
  return sqrt(a);
#else
  return __builtin_sqrt(a);
#endif
}

/// -ln(n * 2^-53) for 1 <= n <= 2^53, by 2 artanh((m - 1) / (m + 1)) with m in [sqrt(1/2), sqrt(2)].
/// Only operations that IEEE 754 rounds correctly, each fused step written out, so that every device agrees.
KILN_HOST_DEVICE double minus_log(uint64 n) {
  int exponent = -1;
  for (int step = 32; step > 0; step /= 2) {
    if (n < (1ull << (53 - step))) {
      n <<= step;
      exponent -= step;
    }
  }
  double m = static_cast<double>(n) * (1.0 / 4503599627370496.0);
  if (n == 1ull << 53) {
    m = 1.0;
    exponent = 0;
  }
  if (m > 1.4142135623730951) {
    m *= 0.5;
    exponent += 1;
  }
  const double s = (m - 1.0) / (m + 1.0);
  const double s2 = s * s;
  double sum = 0.0;
  for (int k = 23; k >= 3; k -= 2) sum = fused(sum, s2, 1.0 / k);
  const double log_m = fused(s * s2, 2.0 * sum, 2.0 * s);
  return -fused(exponent, 0.6931471805599453, log_m);
}

/// cos(2 pi n * 2^-53) for 0 <= n < 2^53, folded exactly onto [0, pi/4], then the Taylor series.
KILN_HOST_DEVICE double cos_turns(uint64 n) {
  const uint64 quarter = 1ull << 51;
  if (n > 2 * quarter) n = 4 * quarter - n;
  const bool negative = n > quarter;
  if (negative) n = 2 * quarter - n;
  const bool swap = n > quarter / 2;
  if (swap) n = quarter - n;
  const double x = static_cast<double>(n) * (6.283185307179586 / 9007199254740992.0);
  const double x2 = x * x;
  double sum = 1.0;
  for (int k = swap ? 17 : 16; k >= 2; k -= 2) sum = fused(sum, -x2 / static_cast<double>(k * (k - 1)), 1.0);
  if (swap) sum = sum * x;
  return negative ? -sum : sum;
}

}  // namespace detail

/// Standard normal deviate by the Box-Muller transform: the same bits on each device, unless compiled with
/// fast-math.
KILN_HOST_DEVICE double normal01(uint64 seed, uint64 index, uint64 stream = 0) {
  const RandomWords words = random_words(seed, index, stream);
  const uint64 radius = (static_cast<uint64>(words.word[1]) << 32 | words.word[0]) >> 11;
  const uint64 angle = (static_cast<uint64>(words.word[3]) << 32 | words.word[2]) >> 11;
  return detail::root(2.0 * detail::minus_log(radius + 1)) * detail::cos_turns(angle);
}

#if defined(KILN_BACKEND_CUDA) || defined(KILN_BACKEND_HIP) || defined(KILN_BACKEND_CPU)

// ---------------------------------------------------------------------------------------------- indices

/// This work-item's place in the whole grid; 64-bit, so that it never wraps.
KILN_DEVICE long long global_index_x() {
  return static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
}
KILN_DEVICE long long global_index_y() {
  return static_cast<long long>(blockIdx.y) * blockDim.y + threadIdx.y;
}
KILN_DEVICE long long global_index_z() {
  return static_cast<long long>(blockIdx.z) * blockDim.z + threadIdx.z;
}
/// Work-items in the whole grid along x: the step of a grid-stride loop.
KILN_DEVICE long long global_size_x() {
  return static_cast<long long>(gridDim.x) * blockDim.x;
}

/// The number, below 1024, of the multiprocessor that the caller runs on; 0 where the hardware is not asked
/// (HIP, CPU).
KILN_DEVICE int multiprocessor() {
#if defined(KILN_BACKEND_CUDA)
  int number;
  asm("mov.u32 %0, %%smid;" : "=r"(number));
  return number;
#else
  return 0;
#endif
}

// ---------------------------------------------------------------------------------------------- memory hints
// For data that is touched once: __stcs and __ldcs on CUDA, plain accesses elsewhere.

template <class V>
KILN_DEVICE void stream_store(V* address, V value) {
#if defined(KILN_BACKEND_CUDA)
  __stcs(address, value);
#else
  *address = value;
#endif
}

template <class V>
KILN_DEVICE V stream_load(const V* address) {
#if defined(KILN_BACKEND_CUDA)
  return __ldcs(address);
#else
  return *address;
#endif
}

// ---------------------------------------------------------------------------------------------- packs

/// Count neighbouring elements (a power of two), aligned so that one access of up to 16 bytes moves them.
template <class V, int Count>
struct alignas(sizeof(V) * Count) Pack {
  V at[Count];
};

/// The elements from `address` on, which is a multiple of the pack's size.
template <int Count, class V>
KILN_DEVICE Pack<V, Count> load_pack(const V* address) {
  return *reinterpret_cast<const Pack<V, Count>*>(address);
}

template <class V, int Count>
KILN_DEVICE void store_pack(V* address, Pack<V, Count> pack) {
  *reinterpret_cast<Pack<V, Count>*>(address) = pack;
}

#if defined(KILN_BACKEND_CUDA)
namespace detail {
template <int Bytes>
struct Word {
  using Type = uint4;  // a larger pack is several of them
};
template <>
struct Word<4> {
  using Type = unsigned int;
};
template <>
struct Word<8> {
  using Type = uint2;
};
KILN_DEVICE void store_word(unsigned int* to, unsigned int word) {
  asm volatile("st.global.u32 [%0], %1;" ::"l"(__cvta_generic_to_global(to)), "r"(word) : "memory");
}
KILN_DEVICE void store_word(uint2* to, uint2 word) {
  asm volatile("st.global.v2.u32 [%0], {%1, %2};" ::"l"(__cvta_generic_to_global(to)), "r"(word.x),
               "r"(word.y)
               : "memory");
}
KILN_DEVICE void store_word(uint4* to, uint4 word) {
  asm volatile("st.global.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(__cvta_generic_to_global(to)), "r"(word.x),
               "r"(word.y), "r"(word.z), "r"(word.w)
               : "memory");
}
}  // namespace detail
#endif

/// As store_pack, to global memory, and never element by element: NVIDIA's compiler stores the elements of a
/// pack one by one where they were moved within the pack.
template <class V, int Count>
KILN_DEVICE void store_global_pack(V* address, Pack<V, Count> pack) {
#if defined(KILN_BACKEND_CUDA)
  if constexpr (sizeof(pack) >= 4) {
    using Word = typename detail::Word<sizeof(pack)>::Type;
    for (int i = 0; i < static_cast<int>(sizeof(pack) / sizeof(Word)); ++i)
      detail::store_word(reinterpret_cast<Word*>(address) + i, reinterpret_cast<const Word*>(&pack)[i]);
    return;
  }
#endif
  store_pack(address, pack);
}

/// As load_pack and store_pack, for data that is touched once.
template <int Count, class V>
KILN_DEVICE Pack<V, Count> stream_load_pack(const V* address) {
#if defined(KILN_BACKEND_CUDA)
  using Word = typename detail::Word<sizeof(V) * Count>::Type;
  Pack<V, Count> pack;
  for (int i = 0; i < static_cast<int>(sizeof(pack) / sizeof(Word)); ++i)
    reinterpret_cast<Word*>(&pack)[i] = __ldcs(reinterpret_cast<const Word*>(address) + i);
  return pack;
#else
  return load_pack<Count>(address);
#endif
}

template <class V, int Count>
KILN_DEVICE void stream_store_pack(V* address, Pack<V, Count> pack) {
#if defined(KILN_BACKEND_CUDA)
  using Word = typename detail::Word<sizeof(V) * Count>::Type;
  for (int i = 0; i < static_cast<int>(sizeof(pack) / sizeof(Word)); ++i)
    __stcs(reinterpret_cast<Word*>(address) + i, reinterpret_cast<const Word*>(&pack)[i]);
#else
  store_pack(address, pack);
#endif
}

#if defined(KILN_BACKEND_CUDA) && defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
namespace detail {
/// 16 bytes. Volatile, so that the compiler leaves it before the loads that come after it in the text.
#define KILN_FETCH(bytes)                                                              \
  KILN_DEVICE void fetch_##bytes(double* to, const double* from) {                     \
    asm volatile("ld.global.nc.L2::" #bytes "B.v2.f64 {%0, %1}, [%2];"                 \
                 : "=d"(to[0]), "=d"(to[1])                                            \
                 : "l"(__cvta_generic_to_global(from)));                               \
  }                                                                                    \
  KILN_DEVICE void fetch_##bytes(float* to, const float* from) {                       \
    asm volatile("ld.global.nc.L2::" #bytes "B.v4.f32 {%0, %1, %2, %3}, [%4];"         \
                 : "=f"(to[0]), "=f"(to[1]), "=f"(to[2]), "=f"(to[3])                  \
                 : "l"(__cvta_generic_to_global(from)));                               \
  }                                                                                    \
  template <class V>                                                                   \
  KILN_DEVICE void fetch_##bytes(V* to, const V* from) {                               \
    fetch_##bytes(reinterpret_cast<float*>(to), reinterpret_cast<const float*>(from)); \
  }
KILN_FETCH(64)
KILN_FETCH(128)
KILN_FETCH(256)
#undef KILN_FETCH
template <int Fetch, class V>
KILN_DEVICE void fetch(V* to, const V* from) {
  if constexpr (Fetch == 64)
    fetch_64(to, from);
  else if constexpr (Fetch == 128)
    fetch_128(to, from);
  else
    fetch_256(to, from);
}
}  // namespace detail
#define KILN_CAN_FETCH 1
#else
#define KILN_CAN_FETCH 0
#endif

#if KILN_CAN_FETCH
namespace detail {
/// The second-level cache is to keep what is read longer than what is written.
KILN_DEVICE unsigned long long kept_policy() {
  unsigned long long policy;
  asm("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(policy));
  return policy;
}
KILN_DEVICE void load_kept(unsigned int* to, const unsigned int* from) {
  asm volatile("ld.global.nc.L2::cache_hint.u32 %0, [%1], %2;"
               : "=r"(*to)
               : "l"(__cvta_generic_to_global(from)), "l"(kept_policy()));
}
KILN_DEVICE void load_kept(uint2* to, const uint2* from) {
  asm volatile("ld.global.nc.L2::cache_hint.v2.u32 {%0, %1}, [%2], %3;"
               : "=r"(to->x), "=r"(to->y)
               : "l"(__cvta_generic_to_global(from)), "l"(kept_policy()));
}
KILN_DEVICE void load_kept(uint4* to, const uint4* from) {
  asm volatile("ld.global.nc.L2::cache_hint.v4.u32 {%0, %1, %2, %3}, [%4], %5;"
               : "=r"(to->x), "=r"(to->y), "=r"(to->z), "=r"(to->w)
               : "l"(__cvta_generic_to_global(from)), "l"(kept_policy()));
}
}  // namespace detail
#endif

/// As load_pack, for what nothing writes while the kernel runs and is read once, where as much is written:
/// the second-level cache evicts what was written before what was read, so that it writes to memory in the
/// order of the stores. A hint, and none for packs of less than 4 bytes and where the hardware takes none.
/// What was read may stay in the cache after the kernel.
template <int Count, class V>
KILN_DEVICE Pack<V, Count> kept_load_pack(const V* address) {
#if KILN_CAN_FETCH
  if constexpr (sizeof(V) * Count >= 4) {
    using Word = typename detail::Word<sizeof(V) * Count>::Type;
    Pack<V, Count> pack;
    for (int i = 0; i < static_cast<int>(sizeof(pack) / sizeof(Word)); ++i)
      detail::load_kept(reinterpret_cast<Word*>(&pack) + i, reinterpret_cast<const Word*>(address) + i);
    return pack;
  }
#endif
  return load_pack<Count>(address);
}

/// As load_pack, for what nothing writes while the kernel runs. The second-level cache is
/// asked to fetch the `Fetch` bytes (64, 128 or 256) around each 16 of the pack: a hint, and none for 0, for
/// smaller packs, and where the hardware takes none.
template <int Count, int Fetch, class V>
KILN_DEVICE Pack<V, Count> fetch_pack(const V* address) {
  static_assert(Fetch == 0 || Fetch == 64 || Fetch == 128 || Fetch == 256, "64, 128 or 256 bytes, or 0");
#if KILN_CAN_FETCH
  constexpr int kStep = 16 / static_cast<int>(sizeof(V));
  if constexpr (Fetch > 0 && Count % kStep == 0) {
    Pack<V, Count> pack;
    for (int i = 0; i < Count; i += kStep) detail::fetch<Fetch>(pack.at + i, address + i);
    return pack;
  }
#endif
  return load_pack<Count>(address);
}

// ---------------------------------------------------------------------------------------------- arithmetic

/// max(0, min(1, a * b + c)), rounded once; 0 for NaN. On an NVIDIA GPU one instruction with or without
/// fast-math, where the compiler makes two of a saturated fmaf() with it.
KILN_DEVICE float saturated_fma(float a, float b, float c) {
#if defined(KILN_BACKEND_CUDA)
  float result;
  asm("fma.rn.sat.f32 %0, %1, %2, %3;" : "=f"(result) : "f"(a), "f"(b), "f"(c));
  return result;
#elif defined(KILN_BACKEND_HIP) && defined(__AMDGCN__)
  return __builtin_amdgcn_fmed3f(fmaf(a, b, c), 0.0f, 1.0f);
#elif defined(KILN_BACKEND_HIP)
  return fminf(fmaxf(fmaf(a, b, c), 0.0f), 1.0f);
#else
  return __saturatef(fmaf(a, b, c));
#endif
}

/// The square root to about one unit in the last place, by one instruction with or without fast-math;
/// denormal numbers may count as 0.
KILN_DEVICE float approximate_sqrt(float value) {
#if defined(KILN_BACKEND_CUDA)
  float root;
  asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(root) : "f"(value));
  return root;
#elif defined(KILN_BACKEND_HIP) && defined(__AMDGCN__)
  return __builtin_amdgcn_sqrtf(value);
#elif defined(KILN_BACKEND_HIP)
  return sqrtf(value);
#else
  return __builtin_sqrtf(value);
#endif
}

/// 1 / sqrt(a) to two units in the last place, for 1e-300 < a < 1e300 only: where rsqrt() has to look for
/// zeros, infinities and denormals, this is an estimate (20 bits or more) and one step of third order.
KILN_DEVICE double fast_rsqrt(double a) {
#if defined(KILN_BACKEND_CUDA) || defined(KILN_BACKEND_HIP)
#if defined(KILN_BACKEND_CUDA)
  double estimate;
  asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(estimate) : "d"(a));
#else
  const double estimate = __builtin_amdgcn_rsq(a);
#endif
  const double error = fma(-a, estimate * estimate, 1.0);
  return fma(fma(error, 0.375, 0.5), estimate * error, estimate);
#else
  return 1.0 / __builtin_sqrt(a);
#endif
}

// ---------------------------------------------------------------------------------------------- warps and
// blocks Every work-item of the warp (of the block) has to call these.

template <class V>
KILN_DEVICE V shuffle_down(V value, int delta) {
#if defined(KILN_BACKEND_HIP)
  return __shfl_down(value, delta);
#else
  return __shfl_down_sync(0xffffffffu, value, delta);
#endif
}

template <class V>
KILN_DEVICE V shuffle_xor(V value, int mask) {
#if defined(KILN_BACKEND_HIP)
  return __shfl_xor(value, mask);
#else
  return __shfl_xor_sync(0xffffffffu, value, mask);
#endif
}

/// A barrier for the warp: what its lanes wrote to shared memory before is seen by all of them after.
KILN_DEVICE void sync_warp() {
#if defined(KILN_BACKEND_HIP)
  __builtin_amdgcn_fence(__ATOMIC_ACQ_REL, "wavefront");
  __builtin_amdgcn_wave_barrier();
#else
  __syncwarp();
#endif
}

/// The sum over the warp, valid in its lane 0. The order is fixed: lanes i and i + 16, then i + 8, ...
template <class V>
KILN_DEVICE V warp_reduce_sum(V value) {
  for (int delta = warp_size / 2; delta > 0; delta /= 2) value += shuffle_down(value, delta);
  return value;
}

/// The sum over a block of Size work-items (a power of two), valid in its work-item 0; `rank` is the linear
/// index in the block. Uses Size * sizeof(V) bytes of static shared memory; may be called repeatedly.
template <int Size, class V>
KILN_DEVICE V block_reduce_sum(V value, int rank) {
  static_assert(Size > 0 && (Size & (Size - 1)) == 0, "the block size must be a power of two");
  __shared__ V partial[Size];
  __syncthreads();
  partial[rank] = value;
#if defined(KILN_BACKEND_CPU)
  // The same sums in the same order, by one work-item: there is nothing to share out, and barriers cost.
  __syncthreads();
  for (int half = rank == 0 ? Size / 2 : 0; half > 0; half /= 2) {
    for (int i = 0; i < half; ++i) partial[i] += partial[i + half];
  }
  return partial[0];
#else
  // Work-item 0 keeps its sum in a register: a compiler may let all read what it stores last.
  for (int half = Size / 2; half > 0; half /= 2) {
    __syncthreads();
    if (rank < half) partial[rank] = value += partial[rank + half];
  }
  return value;
#endif
}

#endif

}  // namespace kiln
