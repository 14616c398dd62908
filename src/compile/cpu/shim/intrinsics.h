// The CUDA dialect for a host compiler, part 3: bits of reals, conversions, rounding variants, cached loads,
// clocks. Where CUDA has a less exact variant of a function, the exact one stands in for it.
#pragma once

/// The carry that `add.cc` leaves for an `addc` of another statement, of each work-item, as statements may
/// have loops over work-items of their own.
inline thread_local unsigned kiln_ptx_carries[1024];

// ------------------------------------------------------------------------------------------ bits of reals

#define KILN_BITS(name, from, to)             \
  KILN_SHIM to name(from x) {                 \
    to bits;                                  \
    __builtin_memcpy(&bits, &x, sizeof bits); \
    return bits;                              \
  }
KILN_BITS(__float_as_int, float, int)
KILN_BITS(__int_as_float, int, float)
KILN_BITS(__float_as_uint, float, unsigned)
KILN_BITS(__uint_as_float, unsigned, float)
KILN_BITS(__double_as_longlong, double, long long)
KILN_BITS(__longlong_as_double, long long, double)
KILN_BITS(kiln_double_bits, double, unsigned long long)
KILN_BITS(kiln_double_from_bits, unsigned long long, double)

KILN_SHIM int __double2hiint(double x) {
  return static_cast<int>(kiln_double_bits(x) >> 32);
}
KILN_SHIM int __double2loint(double x) {
  return static_cast<int>(kiln_double_bits(x) & 0xffffffffull);
}
KILN_SHIM double __hiloint2double(int high, int low) {
  return kiln_double_from_bits(static_cast<unsigned long long>(static_cast<unsigned>(high)) << 32 |
                               static_cast<unsigned>(low));
}

// ------------------------------------------------------------------------------------------ conversions

#define KILN_CONVERT(name, from, to) \
  KILN_SHIM to name##_rn(from x) {   \
    return static_cast<to>(x);       \
  }

KILN_CONVERT(__int2float, int, float)
KILN_CONVERT(__uint2float, unsigned, float)
KILN_CONVERT(__ll2float, long long, float)
KILN_CONVERT(__ull2float, unsigned long long, float)
KILN_CONVERT(__ll2double, long long, double)
KILN_CONVERT(__ull2double, unsigned long long, double)
KILN_CONVERT(__double2float, double, float)
KILN_SHIM double __int2double_rn(int x) {
  return x;
}
KILN_SHIM double __uint2double_rn(unsigned x) {
  return x;
}

// ------------------------------------------------------------------------------------------ arithmetic
// variants

KILN_SHIM float __fadd_rn(float x, float y) {
  return x + y;
}
KILN_SHIM float __fsub_rn(float x, float y) {
  return x - y;
}
KILN_SHIM float __fdiv_rn(float x, float y) {
  return x / y;
}
KILN_SHIM float __frcp_rn(float x) {
  return 1.0f / x;
}
KILN_SHIM float __fsqrt_rn(float x) {
  return __builtin_sqrtf(x);
}
KILN_SHIM float __frsqrt_rn(float x) {
  return 1.0f / __builtin_sqrtf(x);
}
KILN_SHIM float __fmaf_rn(float x, float y, float z) {
  return __builtin_fmaf(x, y, z);
}
KILN_SHIM double __dadd_rn(double x, double y) {
  return x + y;
}
KILN_SHIM double __dsub_rn(double x, double y) {
  return x - y;
}
KILN_SHIM double __ddiv_rn(double x, double y) {
  return x / y;
}
KILN_SHIM double __drcp_rn(double x) {
  return 1.0 / x;
}
KILN_SHIM double __dsqrt_rn(double x) {
  return __builtin_sqrt(x);
}
KILN_SHIM float __fmaf_ieee_rn(float x, float y, float z) {
  return __builtin_fmaf(x, y, z);
}
KILN_SHIM double __fma_rn(double x, double y, double z) {
  return __builtin_fma(x, y, z);
}
// A product that is never fused with a following sum: the empty statement hides where it came from.
KILN_SHIM float __fmul_rn(float x, float y) {
  float product = x * y;
  __asm__("" : "+x"(product));
  return product;
}
KILN_SHIM double __dmul_rn(double x, double y) {
  double product = x * y;
  __asm__("" : "+x"(product));
  return product;
}

KILN_SHIM float __fdividef(float x, float y) {
  return x / y;
}
KILN_SHIM float fdividef(float x, float y) {
  return x / y;
}
KILN_SHIM double fdivide(double x, double y) {
  return x / y;
}
// Macros, because glibc's headers declare functions of these names for its own use.
#define __expf expf
#define __exp10f exp10f
#define __logf logf
#define __log2f log2f
#define __log10f log10f
#define __sinf sinf
#define __cosf cosf
#define __tanf tanf
#define __powf powf
#define __sincosf sincosf
#define __tanhf tanhf
// ------------------------------------------------------------------------------------------ memory and
// clocks

// Addresses of shared memory fit 32 bits, as on a GPU. They count from the dynamic array; from the page of a
// variable of the unit that is thread_local, as the static arrays of fibers are; or from the thread's stack,
// where those of split kernels are. Arrays are aligned by them as by their pointers: `address ^= 4096` is the
// other half of an array that is aligned to its size. Addresses in other blocks of a cluster have 24 bits of
// the block and its rank above them.
static thread_local char kiln_shared_variable;
static thread_local char* kiln_stack_anchor;
KILN_SHIM char* __cvta_anchor(void* p) {
  return static_cast<char*>(p) - reinterpret_cast<size_t>(p) % (1u << 16);
}
constexpr size_t kKilnDynamicShared = 1u << 24, kKilnWindow = 1u << 29, kKilnStaticShared = 1u << 30,
                 kKilnStackShared = 3u << 30, kKilnClusterStatic = 0xe0000000u,
                 kKilnClusterDynamic = 0xf0000000u;

KILN_SHIM size_t __cvta_generic_to_shared(const void* p) {
  const size_t address = reinterpret_cast<size_t>(p);
  const size_t dynamic = address - reinterpret_cast<size_t>(kiln_worker->dynamic_shared);
  if (dynamic < kKilnDynamicShared) return dynamic;
  const auto anchor = reinterpret_cast<size_t>(__cvta_anchor(&kiln_shared_variable));
  const size_t fixed = address - anchor + kKilnWindow;
  if (fixed < 2 * kKilnWindow) return fixed - kKilnWindow + kKilnStaticShared;
  if (kiln_stack_anchor == nullptr) kiln_stack_anchor = __cvta_anchor(__builtin_frame_address(0));
  const size_t stacked = address - reinterpret_cast<size_t>(kiln_stack_anchor) + kKilnWindow;
  if (stacked >= 2 * kKilnWindow)
    kiln_assert(false, "an address of shared memory", "__cvta_generic_to_shared", 0);
  return stacked - kKilnWindow + kKilnStackShared;
}
/// Older texts declare this one themselves.
extern "C" __attribute__((weak, visibility("hidden"))) unsigned __nvvm_get_smem_pointer(void* p) {
  return static_cast<unsigned>(__cvta_generic_to_shared(p));
}
KILN_SHIM size_t __cvta_generic_to_global(const void* p) {
  return reinterpret_cast<size_t>(p);
}
KILN_SHIM void* __cvta_shared_to_generic(size_t p) {
  if (p < kKilnDynamicShared) return static_cast<char*>(kiln_worker->dynamic_shared) + p;
  if (p >= kKilnClusterStatic) {
    const kiln::cpu_abi::ClusterBlock& block = kiln_worker->cluster_blocks[p / kKilnDynamicShared % 16];
    const size_t offset = p % kKilnDynamicShared;
    if (p >= kKilnClusterDynamic) return block.dynamic_shared + offset;
    return __cvta_anchor(&kiln_shared_variable) + offset - kKilnDynamicShared / 2 +
           (block.variables - reinterpret_cast<char*>(&kiln_worker));
  }
  const bool fixed = p < kKilnStaticShared + kKilnWindow;
  return (fixed ? __cvta_anchor(&kiln_shared_variable) : kiln_stack_anchor) +
         (p - (fixed ? kKilnStaticShared : kKilnStackShared));
}
KILN_SHIM void* __cvta_global_to_generic(size_t p) {
  return reinterpret_cast<void*>(p);
}
// Of constants and of a work-item's own variables.
KILN_SHIM size_t __cvta_generic_to_constant(const void* p) {
  return reinterpret_cast<size_t>(p);
}
KILN_SHIM size_t __cvta_generic_to_local(const void* p) {
  return reinterpret_cast<size_t>(p);
}
KILN_SHIM void* __cvta_constant_to_generic(size_t p) {
  return reinterpret_cast<void*>(p);
}
KILN_SHIM void* __cvta_local_to_generic(size_t p) {
  return reinterpret_cast<void*>(p);
}
KILN_SHIM unsigned short __nv_bswap16(unsigned short x) {
  return __builtin_bswap16(x);
}
KILN_SHIM unsigned __nv_bswap32(unsigned x) {
  return __builtin_bswap32(x);
}
KILN_SHIM unsigned long long __nv_bswap64(unsigned long long x) {
  return __builtin_bswap64(x);
}

#define KILN_LOAD(name)          \
  template <class V>             \
  KILN_SHIM V name(const V* p) { \
    return *p;                   \
  }
KILN_LOAD(__ldg)
KILN_LOAD(__ldca)
KILN_LOAD(__ldcg)
KILN_LOAD(__ldcs)
KILN_LOAD(__ldlu)
KILN_LOAD(__ldcv)
#define KILN_STORE(name)               \
  template <class V, class U>          \
  KILN_SHIM void name(V* p, U value) { \
    *p = static_cast<V>(value);        \
  }
KILN_STORE(__stwb)
KILN_STORE(__stcg)
KILN_STORE(__stcs)
KILN_STORE(__stwt)

KILN_SHIM long long clock64() {
#if defined(__x86_64__)
  return static_cast<long long>(__builtin_ia32_rdtsc());
#elif defined(__aarch64__)
  long long ticks;
  __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
  return ticks;
#else
  return 0;
#endif
}

/// What %globaltimer holds: nanoseconds of the system's clock.
extern "C" int kiln_clock_gettime(int clock, long* seconds_nanoseconds) __asm__("clock_gettime");
KILN_SHIM unsigned long long kiln_global_time() {
  long time[2] = {0, 0};
  kiln_clock_gettime(0, time);
  return static_cast<unsigned long long>(time[0]) * 1000000000ull + static_cast<unsigned long long>(time[1]);
}

// clock() is C's, whose calls the linker turns into these.
typedef long clock_t;
extern "C" {
clock_t clock() noexcept(true);
KILN_EXPORT clock_t __wrap_clock() noexcept(true);
clock_t __wrap_clock() noexcept(true) {
  return static_cast<clock_t>(clock64());
}
}

#if !defined(__clang__)
#define __builtin_assume(condition) ((condition) ? static_cast<void>(0) : __builtin_unreachable())
#endif
#define __prof_trigger(counter) static_cast<void>(counter)
