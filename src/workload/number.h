#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "config/scalar_type.h"

namespace kiln {

/// A finite number as it was written: whole numbers of 64 bits are exact, everything else is a double.
using Number = std::variant<std::int64_t, double>;

/// Integers up to this size are exact in an expression, whose values are doubles.
inline constexpr std::int64_t kMaxExactInteger = std::int64_t{1} << 53;

/// Less than, equal to or greater than 0 as `left` is less than, equal to or greater than `right`; exact.
[[nodiscard]] int compare(const Number& left, const Number& right);
[[nodiscard]] std::string to_string(const Number& number);
[[nodiscard]] double to_real(const Number& number);

/// The range of an integer type. `ulong` ends at 2^63 - 1: Kiln keeps 64 bits with a sign.
struct IntegerRange {
  std::int64_t least = 0, most = 0;
  [[nodiscard]] bool holds(std::int64_t value) const { return value >= least && value <= most; }
};
[[nodiscard]] IntegerRange integer_range(ScalarType type);

/// Whether a finite number becomes neither infinite nor, unless it is 0, zero as a `float` or `double`.
[[nodiscard]] bool fits_real(ScalarType type, double value);

/// "-128 to 127"; of a real type "0 or a size of 1.4e-45 to 3.4028235e+38".
[[nodiscard]] std::string range_text(ScalarType type);

/// Whether the text is a sign or none and digits: a whole number, perhaps too large for 64 bits.
[[nodiscard]] bool is_whole_literal(std::string_view text);
/// Whether the text is a number, perhaps one too large or too small for a double.
[[nodiscard]] bool is_real_literal(std::string_view text);

}  // namespace kiln
