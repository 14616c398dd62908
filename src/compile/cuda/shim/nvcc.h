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
using ::size_t;
}

// Of a float and a double, for which NVRTC finds several functions.
#define KILN_OF_BOTH(function)                           \
  __device__ inline double function(float a, double b) { \
    return function(static_cast<double>(a), b);          \
  }                                                      \
  __device__ inline double function(double a, float b) { \
    return function(a, static_cast<double>(b));          \
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
