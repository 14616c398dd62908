// Thrust for a host compiler: what device code uses. Pairs and tuples are the standard library's.
#pragma once

#include <functional>
#include <tuple>
#include <utility>

#include "kiln/cuda_functional.h"

namespace thrust {
using std::get;
using std::make_pair;
using std::make_tuple;
using std::pair;
using std::swap;
using std::tie;
using std::tuple;
using std::tuple_element;
using std::tuple_size;

using cuda::maximum;
using cuda::minimum;
using cuda::std::bit_and;
using cuda::std::bit_or;
using cuda::std::bit_xor;
using cuda::std::divides;
using cuda::std::equal_to;
using cuda::std::greater;
using cuda::std::greater_equal;
using cuda::std::less;
using cuda::std::less_equal;
using cuda::std::logical_and;
using cuda::std::logical_or;
using cuda::std::minus;
using cuda::std::modulus;
using cuda::std::multiplies;
using cuda::std::not_equal_to;
using cuda::std::plus;
using std::logical_not;
using std::negate;

template <class T = void>
struct identity {
  constexpr const T& operator()(const T& value) const { return value; }
};
template <>
struct identity<void> {
  template <class V>
  constexpr V&& operator()(V&& value) const {
    return static_cast<V&&>(value);
  }
};
template <class T = void>
struct square {
  constexpr T operator()(const T& value) const { return value * value; }
};
template <class A, class B>
struct unary_function {
  using argument_type = A;
  using result_type = B;
};
template <class A, class B, class C>
struct binary_function {
  using first_argument_type = A;
  using second_argument_type = B;
  using result_type = C;
};
}  // namespace thrust
