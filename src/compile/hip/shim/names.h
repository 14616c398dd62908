// The declarations that hipcc has without an #include, and hipRTC lacks; all of C's headers that device code
// can use.
typedef signed char int8_t;
typedef short int16_t;
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef long intptr_t;
typedef unsigned long uintptr_t;
typedef long ptrdiff_t;
namespace std {
using ::int16_t;
using ::int8_t;
using ::intptr_t;
using ::ptrdiff_t;
using ::uint16_t;
using ::uint8_t;
using ::uintptr_t;
}  // namespace std
#ifndef __device_builtin__
#define __device_builtin__
#define __builtin_align__(n) __attribute__((aligned(n)))
#endif
#ifndef INT_MAX
#define INT_MAX 2147483647
#define INT_MIN (-INT_MAX - 1)
#define UINT_MAX 4294967295u
#define LONG_MAX 9223372036854775807l
#define LONG_MIN (-LONG_MAX - 1)
#define ULONG_MAX 18446744073709551615ul
#define LLONG_MAX 9223372036854775807ll
#define LLONG_MIN (-LLONG_MAX - 1)
#define ULLONG_MAX 18446744073709551615ull
#define CHAR_BIT 8
#define CHAR_MAX 127
#define UCHAR_MAX 255
#define SHRT_MAX 32767
#define SHRT_MIN (-32768)
#define USHRT_MAX 65535
#endif
#ifndef INT32_MAX
#define INT8_MIN (-128)
#define INT8_MAX 127
#define UINT8_MAX 255
#define INT16_MIN (-32768)
#define INT16_MAX 32767
#define UINT16_MAX 65535
#define INT32_MIN (-INT32_MAX - 1)
#define INT32_MAX 2147483647
#define UINT32_MAX 4294967295u
#define INT64_MIN (-INT64_MAX - 1)
#define INT64_MAX 9223372036854775807l
#define UINT64_MAX 18446744073709551615ul
#endif
#ifndef UINT64_C
#define INT8_C(number) number
#define INT16_C(number) number
#define INT32_C(number) number
#define INT64_C(number) number##l
#define UINT8_C(number) number
#define UINT16_C(number) number
#define UINT32_C(number) number##u
#define UINT64_C(number) number##ul
#endif
#ifndef SIZE_MAX
#define SIZE_MAX 18446744073709551615ul
#endif
#ifndef INFINITY
#define INFINITY (__builtin_inff())
#endif
#ifndef NAN
#define NAN (__builtin_nanf(""))
#endif
#ifndef HUGE_VAL
#define HUGE_VAL (__builtin_huge_val())
#define HUGE_VALF (__builtin_huge_valf())
#endif
#ifndef assert
#ifdef NDEBUG
#define assert(condition) ((void)0)
#else
#define assert(condition) ((condition) ? (void)0 : __builtin_trap())
#endif
#endif
#ifndef NULL
#define NULL 0
#endif
#ifndef offsetof
#define offsetof(type, member) __builtin_offsetof(type, member)
#endif
// A texture as an argument has the size of HIP's; the tests' stand-in for hipRTC over NVRTC has the type by
// itself. No host code reads managed variables: they are the device's.
#ifndef __CUDACC_RTC__
struct __hip_texture;
typedef struct __hip_texture* cudaTextureObject_t;
#endif
#ifndef __managed__
#define __managed__ __attribute__((device))
#endif
// CUDA's loads and stores with advice to the caches, without the advice.
#define KILN_LOAD(name, expression)            \
  template <class T>                           \
  __device__ inline T name(const T* address) { \
    return expression;                         \
  }
#define KILN_STORE(name)                                 \
  template <class T, class Value>                        \
  __device__ inline void name(T* address, Value value) { \
    *address = static_cast<T>(value);                    \
  }
KILN_LOAD(__ldca, *address)
KILN_LOAD(__ldcg, *address)
KILN_LOAD(__ldcs, *address)
KILN_LOAD(__ldlu, *address)
template <class T>
__device__ inline T __ldcv(const T* address) {
  if constexpr (__is_class(T) || __is_union(T)) {  // these have no copy of a volatile one
    T value;
    constexpr unsigned kPart = alignof(T) % 4 == 0 ? 4 : 1;
    for (unsigned i = 0; i < sizeof(T); i += kPart) {
      if constexpr (kPart == 4) {
        *(unsigned*)((char*)&value + i) = *(const volatile unsigned*)((const char*)address + i);
      } else {
        *((char*)&value + i) = *(const volatile char*)((const char*)address + i);
      }
    }
    return value;
  } else {
    return *const_cast<const volatile T*>(address);
  }
}
KILN_STORE(__stwb)
KILN_STORE(__stcg)
KILN_STORE(__stcs)
KILN_STORE(__stwt)
#undef KILN_LOAD
#undef KILN_STORE
