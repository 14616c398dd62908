// What the texts of floating-point types of 16 and 8 bits need of a compiler for AMD's GPUs.
#define KILN_HOST_DEVICE __host__ __device__ inline
#define KILN_SHIM static __device__ inline
#define KILN_INLINE_ALWAYS __host__ __device__ inline
#define KILN_AS_WRITTEN(x) (x)

/// Saturates as CUDA's conversions do; NaN is 0.
template <class I>
__device__ inline I kiln_to_integer(float value) {
  constexpr bool kSigned = static_cast<I>(-1) < static_cast<I>(0);
  constexpr unsigned long long kTop = ~0ull >> (64 - 8 * sizeof(I) + (kSigned ? 1 : 0));
  constexpr float kAbove = static_cast<float>(kTop / 2 + 1) * 2.0f;
  constexpr I kLeast = kSigned ? static_cast<I>(~kTop) : static_cast<I>(0);
  if (value != value) return 0;
  if (value >= kAbove) return static_cast<I>(kTop);
  if (value < static_cast<float>(kLeast)) return kLeast;
  return static_cast<I>(value);
}

/// A number of 2 or 4 bytes is changed through the aligned word that it is in.
#define KILN_ATOMIC_TEMPLATE(name, type, expression)                        \
  static __device__ inline type name(type* address, type value) {           \
    const unsigned long place = reinterpret_cast<unsigned long>(address);   \
    unsigned* const word = reinterpret_cast<unsigned*>(place & ~3ul);       \
    const unsigned shift = static_cast<unsigned>(place & 3ul) * 8;          \
    const unsigned mask = (sizeof(type) == 4 ? ~0u : 0xffffu) << shift;     \
    for (unsigned seen = *static_cast<volatile unsigned*>(word);;) {        \
      const unsigned bits = (seen & mask) >> shift;                         \
      type old;                                                             \
      __builtin_memcpy(&old, &bits, sizeof(type));                          \
      const type sum = (expression);                                        \
      unsigned wanted = 0;                                                  \
      __builtin_memcpy(&wanted, &sum, sizeof(type));                        \
      const unsigned before = seen;                                         \
      seen = atomicCAS(word, before, (before & ~mask) | (wanted << shift)); \
      if (seen == before) return old;                                       \
    }                                                                       \
  }
