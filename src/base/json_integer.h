#pragma once

#include <cstdint>
#include <utility>

#include "kiln/error.h"

namespace kiln {

/// The JSON value as an integer. Throws bad_input for a fraction and a value out of range; the library would
/// convert 1.5e300 and -1 to any integer type.
template <class Integer, class Json>
[[nodiscard]] Integer integer_from(const Json& value) {
  if (value.is_number_unsigned()) {
    const auto number = value.template get<std::uint64_t>();
    if (std::in_range<Integer>(number)) return static_cast<Integer>(number);
  } else if (value.is_number_integer()) {
    const auto number = value.template get<std::int64_t>();
    if (std::in_range<Integer>(number)) return static_cast<Integer>(number);
  }
  throw bad_input("a number in it is not whole or not in range");
}

}  // namespace kiln
