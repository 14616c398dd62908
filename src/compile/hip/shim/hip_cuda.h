// For HIP, in namespace kiln_cuda: what `asm` of PTX becomes, and functions of CUDA that HIP lacks or
// computes otherwise. Behind it come texts of the CPU's shim, and the end of the namespace. Work-items
// have the numbers that CUDA gives them, and 32 of them are a warp, whatever the wavefront's size.
#ifndef KILN_SHIM
#define KILN_SHIM static __device__ inline
#endif
#pragma push_macro("KILN_AS_WRITTEN")
#undef KILN_AS_WRITTEN
#define KILN_AS_WRITTEN(x) kiln_cuda::as_written(x)
#define KILN_NO_WIDE_NUMBERS
#define KILN_SQRT(x) ::sqrt(x)  // clang's built-in function is the processor's estimate

// A call that the compiler refuses if it has to make code of it.
#ifdef __AMDGCN__
#define KILN_REFUSED_PTX(tag, message)                                         \
  do {                                                                         \
    __attribute__((device, error(message))) void kiln_refused_ptx_##tag(void); \
    kiln_refused_ptx_##tag();                                                  \
  } while (false)
#endif

// Numbers of 16 bits, by their bits.
#ifndef KILN_FLOAT_OF_HALF
#define KILN_FLOAT_OF_HALF(bits) kiln_cuda::float_of_half(static_cast<unsigned short>(bits))
#define KILN_HALF_OF_FLOAT(value) kiln_cuda::half_of_float(value)
#endif

namespace kiln_cuda {
namespace kiln_cuda = ::kiln_cuda;  // for names that are macros, too: kiln_cuda::__dp4a

/// A value of arithmetic that -ffast-math may not see through.
template <class V>
KILN_SHIM V as_written(V value) {
#if defined(__FAST_MATH__) && defined(__AMDGCN__)
  asm("" : "+v"(value));
#endif
  return value;
}

/// The work-item's number in its warp.
KILN_SHIM unsigned lane_of_warp() {
  return (threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) % 32u;
}

/// The carry that `add.cc` leaves for an `addc` of another statement, of each work-item.
KILN_SHIM unsigned& carry() {
  __shared__ unsigned carries[1024];
  return carries[threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)];
}

#ifdef __AMDGCN__
KILN_SHIM float float_of_half(unsigned short bits) {
  return static_cast<float>(__builtin_bit_cast(_Float16, bits));
}
KILN_SHIM unsigned half_of_float(float value) {
  return __builtin_bit_cast(unsigned short, static_cast<_Float16>(value));
}

/// Addresses of shared memory have 32 bits.
KILN_SHIM unsigned long long __cvta_generic_to_shared(const void* p) {
  return static_cast<unsigned>(
      reinterpret_cast<unsigned long long>((const __attribute__((address_space(3))) void*)p));
}
KILN_SHIM void* __cvta_shared_to_generic(unsigned long long p) {
  return (void*)(__attribute__((address_space(3))) char*)static_cast<unsigned>(p);
}
KILN_SHIM unsigned long long __cvta_generic_to_global(const void* p) {
  return reinterpret_cast<unsigned long long>(p);
}
KILN_SHIM void* __cvta_global_to_generic(unsigned long long p) {
  return reinterpret_cast<void*>(p);
}
KILN_SHIM bool __isShared(const void* p) {
  return __builtin_amdgcn_is_shared((const __attribute__((address_space(0))) void*)p);
}
KILN_SHIM bool __isLocal(const void* p) {
  return __builtin_amdgcn_is_private((const __attribute__((address_space(0))) void*)p);
}
KILN_SHIM bool __isGlobal(const void* p) {
  return !__isShared(p) && !__isLocal(p);
}
/// About as many nanoseconds: a step of the instruction is 64 clocks.
KILN_SHIM void __nanosleep(unsigned nanoseconds) {
  for (unsigned slept = 0; slept < nanoseconds; slept += 32) __builtin_amdgcn_s_sleep(1);
}
KILN_SHIM void __trap() {
  __builtin_trap();
}
#endif

/// `cp.async`: `bytes` of `size` bytes, and zeros behind them; 4, 8 and 16 bytes by one access.
KILN_SHIM void kiln_ptx_copy(void* to, const void* from, int size, int bytes) {
#ifdef __AMDGCN__
  struct alignas(16) Pack {
    unsigned words[4];
  };
  if (size == 16 && bytes >= size) {
    *static_cast<Pack*>(to) = *static_cast<const Pack*>(from);
    return;
  }
#endif
  for (int i = 0; i < size; i += 4) {
    unsigned word = 0;
    if (i + 4 <= bytes) {
      word = *reinterpret_cast<const unsigned*>(static_cast<const char*>(from) + i);
    } else {
      for (int k = 0; i + k < bytes; ++k)
        word |= static_cast<unsigned>(static_cast<const unsigned char*>(from)[i + k]) << (8 * k);
    }
    *reinterpret_cast<unsigned*>(static_cast<char*>(to) + i) = word;
  }
}

// CUDA's minima and maxima, whose names C++ does not have.
#define KILN_LEAST_AND_MOST(type, least, most) \
  KILN_SHIM type least(type a, type b) {       \
    return a < b ? a : b;                      \
  }                                            \
  KILN_SHIM type most(type a, type b) {        \
    return a < b ? b : a;                      \
  }
KILN_LEAST_AND_MOST(unsigned, umin, umax)
KILN_LEAST_AND_MOST(long long, llmin, llmax)
KILN_LEAST_AND_MOST(unsigned long long, ullmin, ullmax)
#undef KILN_LEAST_AND_MOST
