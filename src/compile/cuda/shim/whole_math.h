// C's functions of whole numbers, which nvcc takes from C++'s <cmath>: their result is a double. These are
// templates, so NVRTC's own functions are preferred. `More` is empty; with it, templates of libcu++ that take
// the same arguments are preferred.
namespace kiln_nvcc {
template <class T>
struct Number {
  static constexpr bool whole = false, real = false;
};
#define KILN_NUMBER(T, is_whole)                              \
  template <>                                                 \
  struct Number<T> {                                          \
    static constexpr bool whole = is_whole, real = !is_whole; \
  };
KILN_NUMBER(char, true)
KILN_NUMBER(signed char, true)
KILN_NUMBER(unsigned char, true)
KILN_NUMBER(short, true)
KILN_NUMBER(unsigned short, true)
KILN_NUMBER(int, true)
KILN_NUMBER(unsigned, true)
KILN_NUMBER(long, true)
KILN_NUMBER(unsigned long, true)
KILN_NUMBER(long long, true)
KILN_NUMBER(unsigned long long, true)
KILN_NUMBER(float, false)
KILN_NUMBER(double, false)
#undef KILN_NUMBER

template <bool Fits>
struct DoubleIf {};
template <>
struct DoubleIf<true> {
  using type = double;
};
template <class T, class... More>
using OfWhole = typename DoubleIf<sizeof...(More) == 0 && Number<T>::whole>::type;
/// At least one of them is a whole number, the other any number.
template <class A, class B, class... More>
using OfMixed =
    typename DoubleIf<sizeof...(More) == 0 && ((Number<A>::whole && (Number<B>::whole || Number<B>::real)) ||
                                               (Number<A>::real && Number<B>::whole))>::type;
}  // namespace kiln_nvcc

#define KILN_OF_WHOLE(function)                                             \
  template <class T, class... More>                                         \
  __device__ inline kiln_nvcc::OfWhole<T, More...> function(T x, More...) { \
    return function(static_cast<double>(x));                                \
  }
KILN_OF_WHOLE(sqrt)
KILN_OF_WHOLE(cbrt)
KILN_OF_WHOLE(exp)
KILN_OF_WHOLE(exp2)
KILN_OF_WHOLE(log)
KILN_OF_WHOLE(log2)
KILN_OF_WHOLE(log10)
KILN_OF_WHOLE(sin)
KILN_OF_WHOLE(cos)
KILN_OF_WHOLE(tan)
KILN_OF_WHOLE(tanh)
KILN_OF_WHOLE(floor)
KILN_OF_WHOLE(ceil)
KILN_OF_WHOLE(round)
KILN_OF_WHOLE(trunc)
KILN_OF_WHOLE(fabs)
#undef KILN_OF_WHOLE

#define KILN_OF_MIXED(function)                                                     \
  template <class A, class B, class... More>                                        \
  __device__ inline kiln_nvcc::OfMixed<A, B, More...> function(A a, B b, More...) { \
    return function(static_cast<double>(a), static_cast<double>(b));                \
  }
KILN_OF_MIXED(pow)
KILN_OF_MIXED(fmod)
KILN_OF_MIXED(atan2)
KILN_OF_MIXED(fmin)
KILN_OF_MIXED(fmax)
KILN_OF_MIXED(hypot)
#undef KILN_OF_MIXED
