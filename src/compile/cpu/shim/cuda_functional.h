// Function objects of <cuda/functional> and <cuda/std/functional> for a host compiler.
#pragma once

#define KILN_FUNCTION_OBJECT(name, expression)                                     \
  template <class T = void>                                                        \
  struct name {                                                                    \
    constexpr auto operator()(const T& a, const T& b) const { return expression; } \
  };                                                                               \
  template <>                                                                      \
  struct name<void> {                                                              \
    template <class A, class B>                                                    \
    constexpr auto operator()(const A& a, const B& b) const {                      \
      return expression;                                                           \
    }                                                                              \
  };

namespace cuda {
KILN_FUNCTION_OBJECT(maximum, a < b ? b : a)
KILN_FUNCTION_OBJECT(minimum, b < a ? b : a)

namespace std {
KILN_FUNCTION_OBJECT(plus, a + b)
KILN_FUNCTION_OBJECT(minus, a - b)
KILN_FUNCTION_OBJECT(multiplies, a* b)
KILN_FUNCTION_OBJECT(divides, a / b)
KILN_FUNCTION_OBJECT(modulus, a % b)
KILN_FUNCTION_OBJECT(bit_and, a& b)
KILN_FUNCTION_OBJECT(bit_or, a | b)
KILN_FUNCTION_OBJECT(bit_xor, a ^ b)
KILN_FUNCTION_OBJECT(logical_and, a&& b)
KILN_FUNCTION_OBJECT(logical_or, a || b)
KILN_FUNCTION_OBJECT(equal_to, a == b)
KILN_FUNCTION_OBJECT(not_equal_to, a != b)
KILN_FUNCTION_OBJECT(less, a < b)
KILN_FUNCTION_OBJECT(less_equal, a <= b)
KILN_FUNCTION_OBJECT(greater, a > b)
KILN_FUNCTION_OBJECT(greater_equal, a >= b)
}  // namespace std
}  // namespace cuda

#undef KILN_FUNCTION_OBJECT
