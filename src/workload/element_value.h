#pragma once

#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>

#include "base/text.h"
#include "config/scalar_dispatch.h"
#include "config/scalar_type.h"

namespace kiln {

/// The element of type T that a number is. `nullopt` if T has none: a fraction or a value out of range for
/// whole numbers, a value that would become infinite for reals. Also for a whole number of 2^53 or more in
/// magnitude: as a double it may stand for its neighbours, too.
template <class T>
[[nodiscard]] std::optional<T> to_element(double value) {
  if constexpr (std::is_same_v<T, bool>) {
    return value == 0 || value == 1 ? std::optional(value == 1) : std::nullopt;
  } else if constexpr (kIsRealType<T>) {
    const auto largest = static_cast<double>(std::numeric_limits<T>::max());
    if (std::isfinite(value) && std::abs(value) > largest) return std::nullopt;
    return static_cast<T>(value);
  } else {
    constexpr double kExact = 0x1p53;
    const bool whole = value == std::floor(value) && std::abs(value) < kExact;
    const bool fits = value >= static_cast<double>(std::numeric_limits<T>::min()) &&
                      value <= static_cast<double>(std::numeric_limits<T>::max());
    return whole && fits ? std::optional(static_cast<T>(value)) : std::nullopt;
  }
}

/// The element for a number as it is written; digits are exact up to 64 bits. `nullopt` also for text that is
/// not a number, and for reals that are not finite.
template <class T>
[[nodiscard]] std::optional<T> to_element(std::string_view word) {
  if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
    const std::string_view digits = word.starts_with('+') ? word.substr(1) : word;
    T value = 0;
    const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (problem == std::errc() && end == digits.data() + digits.size()) return value;
  }
  const auto number = parse_real(word);
  return number && std::isfinite(*number) ? to_element<T>(*number) : std::nullopt;
}

/// The whole part of a number, or the nearest limit of T; a T itself for reals.
template <class T>
[[nodiscard]] T cut_to_element(double value) {
  if constexpr (kIsRealType<T>) {
    return static_cast<T>(value);
  } else if constexpr (std::is_same_v<T, bool>) {
    return value >= 1;
  } else {
    // 2^63 and the like: the largest value of a 64-bit type is no double.
    const double end = std::ldexp(1.0, std::numeric_limits<T>::digits);
    if (value >= end) return std::numeric_limits<T>::max();
    if (!(value >= static_cast<double>(std::numeric_limits<T>::min()))) return std::numeric_limits<T>::min();
    return static_cast<T>(value);
  }
}

/// The allowed values of this type: "a whole number from 0 to 255", "0 or 1".
[[nodiscard]] std::string expected_element(ScalarType type);

}  // namespace kiln
