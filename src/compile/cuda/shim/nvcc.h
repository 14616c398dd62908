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

namespace std {
using ::ptrdiff_t;
using ::size_t;
using nullptr_t = decltype(nullptr);
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
