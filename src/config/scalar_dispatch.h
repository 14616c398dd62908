#pragma once

#include <limits>
#include <type_traits>

#include "config/scalar_type.h"
#include "kiln/error.h"

namespace kiln {

/// Calls `visitor.template operator()<T>()` with the C++ type of the elements of `type` on the host.
template <class Visitor>
decltype(auto) visit_element(ScalarType type, Visitor&& visitor) {
  switch (type) {
#define KILN_CASE(enumerator, name, width_name, cpp, header, host, element) \
  case ScalarType::enumerator:                                              \
    return visitor.template operator()<host>();
    KILN_SCALAR_ROWS(KILN_CASE)
#undef KILN_CASE
  }
  throw internal_error("not a scalar type");
}

/// dispatch() with a byte for `bool`: a byte that a device wrote need not be 0 or 1.
template <class Visitor>
decltype(auto) visit_scalar(ScalarType type, Visitor&& visitor) {
  return visit_element(type, [&]<class T>() -> decltype(auto) {
    return visitor.template operator()<std::conditional_t<std::is_same_v<T, bool>, std::uint8_t, T>>();
  });
}

/// A type with which visitors are called that is not an integer: `float`, `Half`.
template <class T>
inline constexpr bool kIsRealType = !std::numeric_limits<T>::is_integer;

/// Whether the host holds elements of `type` as a `T`.
template <class T>
[[nodiscard]] bool is_held_as(ScalarType type) {
  return visit_element(type, []<class Host>() { return std::is_same_v<Host, T>; });
}

}  // namespace kiln
