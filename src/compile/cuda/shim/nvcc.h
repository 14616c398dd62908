// The declarations that nvcc has without an #include, from the headers that it includes by itself.
using uint = unsigned int;
using ushort = unsigned short;
using ulong = unsigned long;
using u_char = unsigned char;
using u_short = unsigned short;
using u_int = unsigned int;
using u_long = unsigned long;
using u_int8_t = unsigned char;
using u_int16_t = unsigned short;
using u_int32_t = unsigned int;
using u_int64_t = unsigned long;
using __int8_t = signed char;
using __int16_t = short;
using __int32_t = int;
using __int64_t = long;
using __uint8_t = unsigned char;
using __uint16_t = unsigned short;
using __uint32_t = unsigned int;
using __uint64_t = unsigned long;
struct timeval {
  long tv_sec, tv_usec;
};
struct timespec {
  long tv_sec, tv_nsec;
};

struct timezone {
  int tz_minuteswest, tz_dsttime;
};
using ssize_t = long;
using nullptr_t = decltype(nullptr);

// Host code that is kept names them; `long double` is double on a device.
#define KILN_OF_LONG_DOUBLE(name, function)                            \
  __device__ inline long double name(long double x) {                  \
    return static_cast<long double>(function(static_cast<double>(x))); \
  }
KILN_OF_LONG_DOUBLE(fabsl, fabs)
KILN_OF_LONG_DOUBLE(sqrtl, sqrt)
KILN_OF_LONG_DOUBLE(expl, exp)
KILN_OF_LONG_DOUBLE(logl, log)
KILN_OF_LONG_DOUBLE(floorl, floor)
KILN_OF_LONG_DOUBLE(ceill, ceil)
#undef KILN_OF_LONG_DOUBLE

namespace std {
using ::nullptr_t;
using ::ptrdiff_t;
using ::size_t;
}  // namespace std

// Of a float and a double, for which NVRTC finds several functions. `More` is empty; with it, templates of
// libcu++ that take the same arguments are preferred.
namespace kiln_nvcc {
template <class...>
struct Both {};
template <>
struct Both<float, double> {
  using type = double;
};
template <>
struct Both<double, float> {
  using type = double;
};
}  // namespace kiln_nvcc
#define KILN_OF_BOTH(function)                                                                  \
  template <class A, class B, class... More>                                                    \
  __device__ inline typename kiln_nvcc::Both<A, B, More...>::type function(A a, B b, More...) { \
    return function(static_cast<double>(a), static_cast<double>(b));                            \
  }
KILN_OF_BOTH(pow)
KILN_OF_BOTH(fmod)
KILN_OF_BOTH(atan2)
KILN_OF_BOTH(fmin)
KILN_OF_BOTH(fmax)
KILN_OF_BOTH(fdim)
KILN_OF_BOTH(hypot)
KILN_OF_BOTH(remainder)
KILN_OF_BOTH(copysign)
#undef KILN_OF_BOTH

// Built-in functions of g++ and clang, of which nvcc takes most.
namespace kiln_nvcc {
__device__ inline unsigned rotated(unsigned x, unsigned by) {
  return x << (by & 31) | x >> (32 - by & 31);
}
__device__ inline unsigned long long rotated_long(unsigned long long x, unsigned long long by) {
  return (by & 63) == 0 ? x : x << (by & 63) | x >> (64 - (by & 63));
}
__device__ inline unsigned long long swapped(unsigned long long x) {
  return static_cast<unsigned long long>(__byte_perm(static_cast<unsigned>(x), 0, 0x0123)) << 32 |
         __byte_perm(static_cast<unsigned>(x >> 32), 0, 0x0123);
}
}  // namespace kiln_nvcc
#define __builtin_clz(x) __clz(static_cast<int>(x))
#define __builtin_clzl(x) __clzll(static_cast<long long>(x))
#define __builtin_clzll(x) __clzll(static_cast<long long>(x))
#define __builtin_ctz(x) (__ffs(static_cast<int>(x)) - 1)
#define __builtin_ctzl(x) (__ffsll(static_cast<long long>(x)) - 1)
#define __builtin_ctzll(x) (__ffsll(static_cast<long long>(x)) - 1)
#define __builtin_popcount(x) __popc(x)
#define __builtin_popcountl(x) __popcll(x)
#define __builtin_popcountll(x) __popcll(x)
#define __builtin_parity(x) (__popc(x) & 1)
#define __builtin_ffs(x) __ffs(x)
#define __builtin_ffsll(x) __ffsll(x)
#define __builtin_bswap32(x) __byte_perm(x, 0, 0x0123)
#define __builtin_bswap64(x) kiln_nvcc::swapped(x)
#define __builtin_rotateleft32(x, n) kiln_nvcc::rotated(x, n)
#define __builtin_rotateright32(x, n) kiln_nvcc::rotated(x, 32u - (n))
#define __builtin_rotateleft64(x, n) kiln_nvcc::rotated_long(x, n)
#define __builtin_rotateright64(x, n) kiln_nvcc::rotated_long(x, 64u - (n))
#define __builtin_bitreverse32(x) __brev(x)
#define __builtin_bitreverse64(x) __brevll(x)
#define __builtin_elementwise_max(a, b) max(a, b)
#define __builtin_elementwise_min(a, b) min(a, b)
#define __builtin_elementwise_abs(x) abs(x)
#define __builtin_abs abs
#define __builtin_fabs fabs
#define __builtin_fabsf fabsf
#define __builtin_sqrt sqrt
#define __builtin_sqrtf sqrtf
#define __builtin_fma fma
#define __builtin_fmaf fmaf
#define __builtin_fmax fmax
#define __builtin_fmaxf fmaxf
#define __builtin_fmin fmin
#define __builtin_fminf fminf
#define __builtin_inf() __longlong_as_double(0x7ff0000000000000ll)
#define __builtin_inff() __int_as_float(0x7f800000)
#define __builtin_huge_val() __builtin_inf()
#define __builtin_huge_valf() __builtin_inff()
#define __builtin_nan(text) __longlong_as_double(0x7ff8000000000000ll)
#define __builtin_nanf(text) __int_as_float(0x7fc00000)

// Relations of real numbers, which nvcc takes from <cmath>. `More` is as above.
#define KILN_RELATION(name, ...)                   \
  template <class A, class B, class... More>       \
  __device__ inline bool name(A a, B b, More...) { \
    return __VA_ARGS__;                            \
  }
KILN_RELATION(isgreater, a > b)
KILN_RELATION(isgreaterequal, a >= b)
KILN_RELATION(isless, a < b)
KILN_RELATION(islessequal, a <= b)
KILN_RELATION(islessgreater, a<b || a> b)
KILN_RELATION(isunordered, a != a || b != b)
#undef KILN_RELATION
template <class A, class... More>
__device__ inline bool isnormal(A x, More...) {
  const A size = x < 0 ? -x : x;
  return size >=
             (sizeof(A) == 4 ? static_cast<A>(1.17549435e-38f) : static_cast<A>(2.2250738585072014e-308)) &&
         size <=
             (sizeof(A) == 4 ? static_cast<A>(3.402823466e+38f) : static_cast<A>(1.7976931348623157e+308));
}

// Macros that nvcc has from the host's compiler. libcu++ defines some of them again, with the same tokens.
#define __linux__ 1
#define __linux 1
#define __gnu_linux__ 1
#define __unix__ 1
#define __unix 1
#ifndef __FLT_MAX__
#define __FLT_RADIX__ 2
#define __FLT_MANT_DIG__ 24
#define __FLT_DIG__ 6
#define __FLT_MIN__ 1.17549435082228750796873653722224568e-38F
#define __FLT_MAX__ 3.40282346638528859811704183484516925e+38F
#define __FLT_EPSILON__ 1.19209289550781250000000000000000000e-7F
#define __FLT_DENORM_MIN__ 1.40129846432481707092372958328991613e-45F
#define __DBL_MANT_DIG__ 53
#define __DBL_DIG__ 15
#define __DBL_MIN__ 2.22507385850720138309023271733240406e-308
#define __DBL_MAX__ 1.79769313486231570814527423731704357e+308
#define __DBL_EPSILON__ 2.22044604925031308084726333618164062e-16
#define __DBL_DENORM_MIN__ 4.94065645841246544176568792868221372e-324
#endif
#ifndef __INT_MAX__
#define __SCHAR_MAX__ 127
#define __SHRT_MAX__ 32767
#define __INT_MAX__ 2147483647
#define __LONG_MAX__ 9223372036854775807L
#define __LONG_LONG_MAX__ 9223372036854775807LL
#define __SIZEOF_SHORT__ 2
#define __SIZEOF_INT__ 4
#define __SIZEOF_LONG__ 8
#define __SIZEOF_LONG_LONG__ 8
#define __SIZEOF_FLOAT__ 4
#define __SIZEOF_DOUBLE__ 8
#define __SIZEOF_POINTER__ 8
#define __SIZEOF_SIZE_T__ 8
#endif
#ifndef __CHAR_BIT__
#define __CHAR_BIT__ 8
#endif
#undef __CUDACC_VER__  // a sentence in quotes, which no condition can compare

// Words that nvcc accepts and NVRTC, in C++17, does not.
#define register
#define __const__ const
#define __asm__ asm
#define __asm asm

// uint64_t and size_t are unsigned long, for which CUDA has no atomic functions; the functions of unsigned
// long long do the same. These are templates, so functions of the text's own are preferred.
namespace kiln_nvcc {
template <class T, class Wanted>
struct Only {};
template <class T>
struct Only<T, T> {
  using type = T;
};
}  // namespace kiln_nvcc

#define KILN_ATOMIC(function, narrow, wide)                                                      \
  template <class T>                                                                             \
  __device__ inline T function(T* address, typename kiln_nvcc::Only<T, narrow>::type value) {    \
    return static_cast<T>(function(reinterpret_cast<wide*>(address), static_cast<wide>(value))); \
  }
KILN_ATOMIC(atomicAdd, unsigned long, unsigned long long)
KILN_ATOMIC(atomicExch, unsigned long, unsigned long long)
KILN_ATOMIC(atomicMin, unsigned long, unsigned long long)
KILN_ATOMIC(atomicMax, unsigned long, unsigned long long)
KILN_ATOMIC(atomicAnd, unsigned long, unsigned long long)
KILN_ATOMIC(atomicOr, unsigned long, unsigned long long)
KILN_ATOMIC(atomicXor, unsigned long, unsigned long long)
KILN_ATOMIC(atomicMin, long, long long)
KILN_ATOMIC(atomicMax, long, long long)
#undef KILN_ATOMIC

template <class T>
__device__ inline T atomicCAS(T* address, typename kiln_nvcc::Only<T, unsigned long>::type compare,
                              typename kiln_nvcc::Only<T, unsigned long>::type value) {
  return atomicCAS(reinterpret_cast<unsigned long long*>(address), static_cast<unsigned long long>(compare),
                   static_cast<unsigned long long>(value));
}

// The shuffles without a mask, which CUDA has not since compute capability 7.0: among the
// work-items that are active at the call. Templates, so functions of the text's own are preferred.
#define KILN_SHUFFLE(function, Lane)                                 \
  template <class T>                                                 \
  __device__ inline T function(T value, Lane lane, int width = 32) { \
    return function##_sync(__activemask(), value, lane, width);      \
  }
KILN_SHUFFLE(__shfl, int)
KILN_SHUFFLE(__shfl_up, unsigned)
KILN_SHUFFLE(__shfl_down, unsigned)
KILN_SHUFFLE(__shfl_xor, int)
#undef KILN_SHUFFLE

// For checks in device code.
template <class Error>
__device__ inline const char* cudaGetErrorString(Error) {
  return "an error of the CUDA run time";
}

template <class T>
__device__ inline float lgammaf_r(T value, int* sign) {
  const float x = value;
  *sign = x < 0 && fmodf(floorf(x), 2) != 0 ? -1 : 1;
  return lgammaf(x);
}
template <class T>
__device__ inline double lgamma_r(T value, int* sign) {
  const double x = value;
  *sign = x < 0 && fmod(floor(x), 2) != 0 ? -1 : 1;
  return lgamma(x);
}

// The constants of cuda_fp16.h and cuda_bf16.h, which those headers leave out for NVRTC. The text is theirs
// word for word, since a version that has them defines them again.
#define CUDART_INF_FP16 __ushort_as_half((unsigned short)0x7C00U)
#define CUDART_NAN_FP16 __ushort_as_half((unsigned short)0x7FFFU)
#define CUDART_MIN_DENORM_FP16 __ushort_as_half((unsigned short)0x0001U)
#define CUDART_MAX_NORMAL_FP16 __ushort_as_half((unsigned short)0x7BFFU)
#define CUDART_NEG_ZERO_FP16 __ushort_as_half((unsigned short)0x8000U)
#define CUDART_ZERO_FP16 __ushort_as_half((unsigned short)0x0000U)
#define CUDART_ONE_FP16 __ushort_as_half((unsigned short)0x3C00U)
#define CUDART_INF_BF16 __ushort_as_bfloat16((unsigned short)0x7F80U)
#define CUDART_NAN_BF16 __ushort_as_bfloat16((unsigned short)0x7FFFU)
#define CUDART_MIN_DENORM_BF16 __ushort_as_bfloat16((unsigned short)0x0001U)
#define CUDART_MAX_NORMAL_BF16 __ushort_as_bfloat16((unsigned short)0x7F7FU)
#define CUDART_NEG_ZERO_BF16 __ushort_as_bfloat16((unsigned short)0x8000U)
#define CUDART_ZERO_BF16 __ushort_as_bfloat16((unsigned short)0x0000U)
#define CUDART_ONE_BF16 __ushort_as_bfloat16((unsigned short)0x3F80U)

// A kernel's start beside the end of the one before it. nvcc has these from the headers of the run time.
#if __CUDA_ARCH__ >= 900
#define cudaTriggerProgrammaticLaunchCompletion() asm volatile("griddepcontrol.launch_dependents;")
#define cudaGridDependencySynchronize() asm volatile("griddepcontrol.wait;" ::: "memory")
#else
#define cudaTriggerProgrammaticLaunchCompletion() ((void)0)
#define cudaGridDependencySynchronize() ((void)0)
#endif

// nvcc knows alloca, NVRTC only the instruction. The function is part of the one that calls it, whose memory
// this is.
namespace kiln_nvcc {
__device__ __forceinline__ void* memory_of_caller(unsigned long long size) {
  unsigned long long memory;
  asm volatile("{ .reg .u64 place; alloca.u64 place, %1, 16; cvta.local.u64 %0, place; }"
               : "=l"(memory)
               : "l"(size));
  return reinterpret_cast<void*>(memory);
}
}  // namespace kiln_nvcc
#ifndef alloca
#define alloca(size) kiln_nvcc::memory_of_caller(size)
#endif
#define __builtin_alloca(size) kiln_nvcc::memory_of_caller(size)
