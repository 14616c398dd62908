// What nvcc has without an #include, by way of the headers that it includes by itself.
using uint = unsigned int;
using ushort = unsigned short;
using ulong = unsigned long;

// uint64_t and size_t are unsigned long, for which CUDA has no atomic functions; those of unsigned long long
// do the same. Templates, so that functions of the text's own come first.
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
