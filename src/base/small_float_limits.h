#pragma once

#include <limits>

#include "base/small_float.h"

/// The limits that code for real types uses.
template <class Format>
class std::numeric_limits<kiln::SmallFloat<Format>> {
  using Value = kiln::SmallFloat<Format>;

 public:
  // The names are the standard's: NOLINTBEGIN(readability-identifier-naming)
  static constexpr bool is_specialized = true;
  static constexpr bool is_signed = true;
  static constexpr bool is_integer = false;
  static constexpr bool is_exact = false;
  static constexpr int radix = 2;
  static constexpr int digits = Format::kMantissa + 1;
  static Value min() { return Value::of_bits(1u << Format::kMantissa); }
  static Value max() { return Value::of_bits(Value::kLargest); }
  static Value lowest() { return Value::of_bits(Value::kSign | Value::kLargest); }
  static Value denorm_min() { return Value::of_bits(1); }
  static Value quiet_NaN() { return Value::of_bits(Value::kNan); }
  static constexpr double epsilon() { return 1.0 / (1 << Format::kMantissa); }
  // NOLINTEND(readability-identifier-naming)
};
