// The CUDA dialect for a host compiler, part 1: qualifiers, index variables, vector types.
// The parts of the shim are joined, after device/cpu/worker_abi.h, in front of the kernel text. They include
// no standard header, which decides how long a small kernel takes to compile, and must live beside one that
// the kernel text includes itself.
#pragma once

#define KILN_BACKEND_CPU 1
#define KILN_WARP_SIZE 32

// A text is compiled as nvcc compiles it for a device: `#ifdef __CUDA_ARCH__` chooses the branch for a GPU,
// as with NVRTC. 700 has all that the shim has, and is below what CUDA code writes in `asm` for (cp.async,
// mma).
#define __CUDACC__ 1
#ifndef __CUDA_ARCH__
#define __CUDA_ARCH__ 700
#endif
#ifndef CUDART_VERSION
#define CUDART_VERSION 12060
#endif
#define __CUDACC_VER_MAJOR__ (CUDART_VERSION / 1000)
#define __CUDACC_VER_MINOR__ (CUDART_VERSION % 1000 / 10)

// A function that both compilers inline into the loop over work-items. GCC is run with -fwhole-program, needs
// no `inline`, and would refuse a second one; clang drops the stand-alone copy of an `inline` function only.
#if defined(__clang__)
#define KILN_INLINE_ALWAYS inline __attribute__((always_inline))
#define KILN_EXPORT __attribute__((used, visibility("default")))
#else
#define KILN_INLINE_ALWAYS __attribute__((always_inline))
#define KILN_EXPORT __attribute__((externally_visible, visibility("default")))
#endif
#define KILN_SHIM static inline __attribute__((always_inline, unused))

// A value of arithmetic that fast-math may not see through. (GCC 12 does so with __builtin_assoc_barrier.)
#if defined(__FAST_MATH__)
template <class V>
KILN_SHIM V kiln_as_written(V value) {
#if defined(__x86_64__)
  __asm__("" : "+x"(value));
#else
  __asm__("" : "+m"(value));
#endif
  return value;
}
#define KILN_AS_WRITTEN(x) kiln_as_written(x)
#else
#define KILN_AS_WRITTEN(x) (x)
#endif

// What Kiln's transformation of a text has to see stays as it is where a text is only preprocessed for it; it
// is defined there, too, since headers for host compilers have `#ifndef __global__`.
#if defined(KILN_PREPROCESSING)
#define __global__ __global__
#define __shared__ __shared__
#define __device__ __device__
#define __managed__ __managed__
#define __constant__ __constant__
#define __device_builtin__ __device_builtin__
#else
#define __global__ KILN_INLINE_ALWAYS
#define __shared__ thread_local
#define __device__
#define __managed__
#define __constant__
#define __device_builtin__
#endif
// Where the host's compiler finds CUDA's own headers, their <crt/host_defines.h> would define these words
// anew.
#define __HOST_DEFINES_H__
#define __cudart_builtin__
#define __annotate__(a)
#define __location__(a)
#define CUDARTAPI
#if !defined(KILN_FORCEINLINE_MAY_CALL)
#define __forceinline__ KILN_INLINE_ALWAYS
#elif defined(__clang__)
#define __forceinline__ inline
#else
#define __forceinline__
#endif
#define __noinline__ __noinline__
#define __host__
#define __grid_constant__
#define __launch_bounds__(...)
#define __cluster_dims__(...)
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __align__(n)
#define CUDART_CB

typedef decltype(sizeof(0)) size_t;
typedef __PTRDIFF_TYPE__ ptrdiff_t;
typedef __INT8_TYPE__ int8_t;
typedef __INT16_TYPE__ int16_t;
typedef __INT32_TYPE__ int32_t;
typedef __INT64_TYPE__ int64_t;
typedef __UINT8_TYPE__ uint8_t;
typedef __UINT16_TYPE__ uint16_t;
typedef __UINT32_TYPE__ uint32_t;
typedef __UINT64_TYPE__ uint64_t;
typedef __INTPTR_TYPE__ intptr_t;
typedef __UINTPTR_TYPE__ uintptr_t;
namespace std {
using ::int16_t;
using ::int32_t;
using ::int64_t;
using ::int8_t;
using ::intptr_t;
using ::ptrdiff_t;
using ::size_t;
using ::uint16_t;
using ::uint32_t;
using ::uint64_t;
using ::uint8_t;
using ::uintptr_t;
}  // namespace std
#ifndef NULL
#define NULL __null
#endif
typedef unsigned int uint;
typedef decltype(nullptr) nullptr_t;
typedef unsigned short ushort;
typedef unsigned long ulong;
typedef unsigned char u_char, u_int8_t;
typedef unsigned short u_short, u_int16_t;
typedef unsigned int u_int, u_int32_t;
typedef unsigned long u_long, u_int64_t;
typedef signed char __int8_t;
typedef short __int16_t;
typedef int __int32_t;
typedef long __int64_t;
typedef unsigned char __uint8_t;
typedef unsigned short __uint16_t;
typedef unsigned int __uint32_t;
typedef unsigned long __uint64_t;

extern "C" {
int printf(const char*, ...);
void* malloc(size_t) noexcept(true);
void free(void*) noexcept(true);
void* memcpy(void* __restrict, const void* __restrict, size_t) noexcept(true);
void* memset(void*, int, size_t) noexcept(true);
void* memmove(void*, const void*, size_t) noexcept(true);
}

// ------------------------------------------------------------------------------------------ vector types

#define KILN_VECTORS(name, type, align2, align4)                     \
  struct name##1 {                                                   \
    type x;                                                          \
  };                                                                 \
  struct alignas(align2) name##2 {                                   \
    type x, y;                                                       \
  };                                                                 \
  struct name##3 {                                                   \
    type x, y, z;                                                    \
  };                                                                 \
  struct alignas(align4) name##4 {                                   \
    type x, y, z, w;                                                 \
  };                                                                 \
  KILN_SHIM name##1 make_##name##1(type x) {                         \
    return {x};                                                      \
  }                                                                  \
  KILN_SHIM name##2 make_##name##2(type x, type y) {                 \
    return {x, y};                                                   \
  }                                                                  \
  KILN_SHIM name##3 make_##name##3(type x, type y, type z) {         \
    return {x, y, z};                                                \
  }                                                                  \
  KILN_SHIM name##4 make_##name##4(type x, type y, type z, type w) { \
    return {x, y, z, w};                                             \
  }

KILN_VECTORS(char, signed char, 2, 4)
KILN_VECTORS(uchar, unsigned char, 2, 4)
KILN_VECTORS(short, short, 4, 8)
KILN_VECTORS(ushort, unsigned short, 4, 8)
KILN_VECTORS(int, int, 8, 16)
KILN_VECTORS(uint, unsigned int, 8, 16)
KILN_VECTORS(long, long, 16, 16)
KILN_VECTORS(ulong, unsigned long, 16, 16)
KILN_VECTORS(longlong, long long, 16, 16)
KILN_VECTORS(ulonglong, unsigned long long, 16, 16)
KILN_VECTORS(float, float, 8, 16)
KILN_VECTORS(double, double, 16, 16)

struct dim3 {
  unsigned int x, y, z;
  constexpr dim3(unsigned int x_ = 1, unsigned int y_ = 1, unsigned int z_ = 1) : x(x_), y(y_), z(z_) {}
  constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  constexpr operator uint3() const { return uint3{x, y, z}; }
};

// ------------------------------------------------------------------------------------------ index variables
// Of the work-item that the calling thread runs. Their addresses are never taken and they are assigned member
// by member, so that a compiler sees that no pointer of the kernel refers to them and keeps them in
// registers.

static thread_local uint3 threadIdx;
static thread_local uint3 blockIdx;
static thread_local dim3 blockDim;
static thread_local dim3 gridDim;
constexpr int warpSize = 32;

static thread_local kiln::cpu_abi::Worker* kiln_worker;
KILN_SHIM void kiln_assert(bool holds, const char* condition, const char* file, unsigned line);
static thread_local int
    kiln_step_pass;  // of an operation of CUB in a kernel that was split (cub_common.h); else 0
static thread_local unsigned kiln_block_serial;  // another one for each block that this thread runs as fibers

#define KILN_LINEAR_THREAD() (threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z))

// Where Kiln found blockIdx.x * blockDim.x + threadIdx.x in the text, it put it in kiln_global_x
// (lane_index.h): in the loop over work-items the value is also a loop counter, of either width.
static thread_local bool kiln_lane_known;
static thread_local int kiln_lane_int;
static thread_local long kiln_lane_long;

#define KILN_GLOBAL_X(type, counter)                           \
  KILN_SHIM type kiln_global_x(type sum) {                     \
    return kiln_lane_known ? static_cast<type>(counter) : sum; \
  }
KILN_GLOBAL_X(int, kiln_lane_int)
KILN_GLOBAL_X(unsigned int, kiln_lane_int)
KILN_GLOBAL_X(long, kiln_lane_long)
KILN_GLOBAL_X(unsigned long, kiln_lane_long)
KILN_GLOBAL_X(long long, kiln_lane_long)
KILN_GLOBAL_X(unsigned long long, kiln_lane_long)

// A guard that every work-item passes before it does anything, marked by Kiln in the kernel text
// (guard_marks.h). The loop over work-items first looks for the work-items that pass and then runs only
// those, without the test.
static thread_local int kiln_guard_mode;
static thread_local bool kiln_guard_passed;
static thread_local bool kiln_guard_row_passed;

enum { kiln_guard_test, kiln_guard_probe, kiln_guard_assume };

/// `row` is false where no work-item of the row can pass.
KILN_SHIM bool kiln_guard(bool pass, bool row) {
  if (kiln_guard_mode == kiln_guard_probe) {
    kiln_guard_passed = kiln_guard_passed && pass;
    kiln_guard_row_passed = kiln_guard_row_passed && row;
    return pass;
  }
  return kiln_guard_mode == kiln_guard_assume || pass;
}

KILN_SHIM bool kiln_last_guard(bool pass, bool row) {
  const bool go_on = kiln_guard(pass, row);
  return kiln_guard_mode != kiln_guard_probe && go_on;
}
