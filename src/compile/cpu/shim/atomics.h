// The CUDA dialect for a host compiler, part 3: atomic operations. Relaxed, as CUDA's are; each returns the
// old value.
#pragma once

template <bool>
struct KilnWhen {};
template <>
struct KilnWhen<true> {
  using type = int;
};

// What stands in front of a function, and its parameters. CUDA has none for `long`: those are templates, so
// that a text's own functions, which nvcc takes, go before them; so are those of small floats.
#define KILN_PLAIN(type) KILN_SHIM type
#define KILN_FOR_LONG(integer)                                           \
  template <class T, typename KilnWhen<__is_same(T, integer)>::type = 0> \
  KILN_SHIM T
#define KILN_TYPE_OF_PLAIN(type) type
#define KILN_TYPE_OF_LONG(type) T

#define KILN_ATOMIC_NATIVE_AS(head, of, name, type, builtin) \
  head(type) name(of(type) * address, type value) {          \
    return builtin(address, value, __ATOMIC_RELAXED);        \
  }
#define KILN_ATOMIC_NATIVE(name, type, builtin) \
  KILN_ATOMIC_NATIVE_AS(KILN_PLAIN, KILN_TYPE_OF_PLAIN, name, type, builtin)

/// A compare-exchange loop for what the processor has no instruction for; `old` is the value being replaced.
#define KILN_ATOMIC_LOOP(name, type, expression) \
  KILN_ATOMIC_LOOP_AS(KILN_PLAIN, KILN_TYPE_OF_PLAIN, name, type, expression)
#define KILN_ATOMIC_LOOP_AS(head, of, name, type, expression)                                           \
  head(type) name(of(type) * address, type value) {                                                     \
    type old;                                                                                           \
    __atomic_load(address, &old, __ATOMIC_RELAXED);                                                     \
    for (;;) {                                                                                          \
      type desired = (expression);                                                                      \
      if (__atomic_compare_exchange(address, &old, &desired, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) \
        return old;                                                                                     \
    }                                                                                                   \
  }
#define KILN_ATOMIC_TEMPLATE(name, type, expression) \
  KILN_ATOMIC_LOOP_AS(KILN_FOR_LONG, KILN_TYPE_OF_LONG, name, type, expression)

KILN_ATOMIC_NATIVE(atomicAdd, int, __atomic_fetch_add)
KILN_ATOMIC_NATIVE(atomicAdd, unsigned int, __atomic_fetch_add)
KILN_ATOMIC_NATIVE_AS(KILN_FOR_LONG, KILN_TYPE_OF_LONG, atomicAdd, unsigned long, __atomic_fetch_add)
KILN_ATOMIC_NATIVE(atomicAdd, unsigned long long, __atomic_fetch_add)
KILN_ATOMIC_LOOP(atomicAdd, float, old + value)
KILN_ATOMIC_LOOP(kiln_add_double, double, old + value)
/// A template, so that a text's own function, as texts for GPUs before sm_60 have it, goes before this one.
template <class D, typename KilnWhen<__is_same(D, double)>::type = 0>
KILN_SHIM D atomicAdd(D* address, double value) {
  return kiln_add_double(address, value);
}
KILN_ATOMIC_NATIVE(atomicSub, int, __atomic_fetch_sub)
KILN_ATOMIC_NATIVE(atomicSub, unsigned int, __atomic_fetch_sub)
KILN_ATOMIC_NATIVE(atomicExch, int, __atomic_exchange_n)
KILN_ATOMIC_NATIVE(atomicExch, unsigned int, __atomic_exchange_n)
KILN_ATOMIC_NATIVE_AS(KILN_FOR_LONG, KILN_TYPE_OF_LONG, atomicExch, unsigned long, __atomic_exchange_n)
KILN_ATOMIC_NATIVE(atomicExch, unsigned long long, __atomic_exchange_n)
KILN_ATOMIC_LOOP(atomicExch, float, value)
KILN_ATOMIC_LOOP(atomicExch, double, value)

#define KILN_ATOMIC_INTEGER(head, of, type)                                                            \
  KILN_ATOMIC_LOOP_AS(head, of, atomicMin, type, value < old ? value : old)                            \
  KILN_ATOMIC_LOOP_AS(head, of, atomicMax, type, old < value ? value : old)                            \
  KILN_ATOMIC_NATIVE_AS(head, of, atomicAnd, type, __atomic_fetch_and)                                 \
  KILN_ATOMIC_NATIVE_AS(head, of, atomicOr, type, __atomic_fetch_or)                                   \
  KILN_ATOMIC_NATIVE_AS(head, of, atomicXor, type, __atomic_fetch_xor)                                 \
  head(type) atomicCAS(of(type) * address, type expected, type value) {                                \
    __atomic_compare_exchange_n(address, &expected, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED); \
    return expected;                                                                                   \
  }
KILN_ATOMIC_INTEGER(KILN_PLAIN, KILN_TYPE_OF_PLAIN, int)
KILN_ATOMIC_INTEGER(KILN_PLAIN, KILN_TYPE_OF_PLAIN, unsigned int)
KILN_ATOMIC_INTEGER(KILN_FOR_LONG, KILN_TYPE_OF_LONG, long)
KILN_ATOMIC_INTEGER(KILN_FOR_LONG, KILN_TYPE_OF_LONG, unsigned long)
KILN_ATOMIC_INTEGER(KILN_PLAIN, KILN_TYPE_OF_PLAIN, long long)
KILN_ATOMIC_INTEGER(KILN_PLAIN, KILN_TYPE_OF_PLAIN, unsigned long long)

KILN_ATOMIC_LOOP(atomicInc, unsigned int, old >= value ? 0u : old + 1u)
KILN_ATOMIC_LOOP(atomicDec, unsigned int, old == 0u || old > value ? value : old - 1u)

KILN_SHIM unsigned short atomicCAS(unsigned short* address, unsigned short expected, unsigned short value) {
  __atomic_compare_exchange_n(address, &expected, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  return expected;
}

#if defined(__x86_64__)
/// Replaces 16 bytes if they are the expected ones; returns the old ones.
KILN_SHIM unsigned __int128 kiln_exchange_wide(void* address, unsigned __int128 expected,
                                               unsigned __int128 value) {
  auto low = static_cast<unsigned long long>(expected),
       high = static_cast<unsigned long long>(expected >> 64);
  __asm__ volatile("lock cmpxchg16b %2"
                   : "+a"(low), "+d"(high), "+m"(*static_cast<unsigned __int128*>(address))
                   : "b"(static_cast<unsigned long long>(value)),
                     "c"(static_cast<unsigned long long>(value >> 64))
                   : "cc", "memory");
  return static_cast<unsigned __int128>(high) << 64 | low;
}
#else
KILN_SHIM unsigned __int128 kiln_exchange_wide(void* address, unsigned __int128 expected,
                                               unsigned __int128 value) {
  return __sync_val_compare_and_swap(static_cast<unsigned __int128*>(address), expected, value);
}
#endif
/// Of types of 16 bytes, as sm_90 has them.
template <class T, typename KilnWhen<sizeof(T) == 16 && alignof(T) == 16>::type = 0>
KILN_SHIM T atomicCAS(T* address, T expected, T value) {
  unsigned __int128 words[2];
  __builtin_memcpy(&words[0], &expected, sizeof(T));
  __builtin_memcpy(&words[1], &value, sizeof(T));
  const unsigned __int128 old = kiln_exchange_wide(address, words[0], words[1]);
  __builtin_memcpy(&expected, &old, sizeof(T));
  return expected;
}
template <class T, typename KilnWhen<sizeof(T) == 16 && alignof(T) == 16>::type = 0>
KILN_SHIM T atomicExch(T* address, T value) {
  unsigned __int128 word, old = 0, seen;
  __builtin_memcpy(&word, &value, sizeof(T));
  while ((seen = kiln_exchange_wide(address, old, word)) != old) old = seen;
  __builtin_memcpy(&value, &old, sizeof(T));
  return value;
}

// Each element by itself, as on a GPU.
KILN_SHIM float2 atomicAdd(float2* address, float2 value) {
  return {atomicAdd(&address->x, value.x), atomicAdd(&address->y, value.y)};
}
KILN_SHIM float4 atomicAdd(float4* address, float4 value) {
  return {atomicAdd(&address->x, value.x), atomicAdd(&address->y, value.y), atomicAdd(&address->z, value.z),
          atomicAdd(&address->w, value.w)};
}

// One kind of memory here: the scoped names are the same operations. Templates, which a text's own
// functions of these names go before.
#define KILN_ATOMIC_OF_SCOPE(name, atomic_of_scope)         \
  template <class T, class... V>                            \
  KILN_SHIM auto atomic_of_scope(T* address, V... values) { \
    return name(address, values...);                        \
  }
KILN_ATOMIC_OF_SCOPE(atomicAdd, atomicAdd_block)
KILN_ATOMIC_OF_SCOPE(atomicAdd, atomicAdd_system)
KILN_ATOMIC_OF_SCOPE(atomicSub, atomicSub_block)
KILN_ATOMIC_OF_SCOPE(atomicSub, atomicSub_system)
KILN_ATOMIC_OF_SCOPE(atomicExch, atomicExch_block)
KILN_ATOMIC_OF_SCOPE(atomicExch, atomicExch_system)
KILN_ATOMIC_OF_SCOPE(atomicMin, atomicMin_block)
KILN_ATOMIC_OF_SCOPE(atomicMin, atomicMin_system)
KILN_ATOMIC_OF_SCOPE(atomicMax, atomicMax_block)
KILN_ATOMIC_OF_SCOPE(atomicMax, atomicMax_system)
KILN_ATOMIC_OF_SCOPE(atomicInc, atomicInc_block)
KILN_ATOMIC_OF_SCOPE(atomicInc, atomicInc_system)
KILN_ATOMIC_OF_SCOPE(atomicDec, atomicDec_block)
KILN_ATOMIC_OF_SCOPE(atomicDec, atomicDec_system)
KILN_ATOMIC_OF_SCOPE(atomicCAS, atomicCAS_block)
KILN_ATOMIC_OF_SCOPE(atomicCAS, atomicCAS_system)
KILN_ATOMIC_OF_SCOPE(atomicAnd, atomicAnd_block)
KILN_ATOMIC_OF_SCOPE(atomicAnd, atomicAnd_system)
KILN_ATOMIC_OF_SCOPE(atomicOr, atomicOr_block)
KILN_ATOMIC_OF_SCOPE(atomicOr, atomicOr_system)
KILN_ATOMIC_OF_SCOPE(atomicXor, atomicXor_block)
KILN_ATOMIC_OF_SCOPE(atomicXor, atomicXor_system)
