#include "workload/number.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "base/text.h"
#include "config/scalar_dispatch.h"

namespace kiln {
namespace {

template <class Value>
int order_of(Value left, Value right) {
  return left < right ? -1 : left > right ? 1 : 0;
}

int compare_with_real(std::int64_t left, double right) {
  if (right >= 0x1p63) return -1;
  if (right < -0x1p63) return 1;
  const double whole = std::floor(right);
  const int order = order_of(left, static_cast<std::int64_t>(whole));
  return order == 0 && whole < right ? -1 : order;
}

/// The shortest text that reads back as this value, of a `float` as a `float`.
template <class T>
std::string shortest(T value) {
  if constexpr (!std::is_same_v<T, float>) {
    return format_number(static_cast<double>(value));
  } else {
    char text[32];
    return {std::begin(text), std::to_chars(std::begin(text), std::end(text), value).ptr};
  }
}

}  // namespace

int compare(const Number& left, const Number& right) {
  const auto* whole = std::get_if<std::int64_t>(&left);
  const auto* other = std::get_if<std::int64_t>(&right);
  if (whole != nullptr && other != nullptr) return order_of(*whole, *other);
  if (whole != nullptr) return compare_with_real(*whole, std::get<double>(right));
  if (other != nullptr) return -compare_with_real(*other, std::get<double>(left));
  return order_of(std::get<double>(left), std::get<double>(right));
}

std::string to_string(const Number& number) {
  if (const auto* whole = std::get_if<std::int64_t>(&number)) return std::to_string(*whole);
  return format_number(std::get<double>(number));
}

double to_real(const Number& number) {
  if (const auto* whole = std::get_if<std::int64_t>(&number)) return static_cast<double>(*whole);
  return std::get<double>(number);
}

IntegerRange integer_range(ScalarType type) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  return visit_element(type, [&]<class T>() -> IntegerRange {
    if constexpr (kIsRealType<T>) {
      throw internal_error("the range of whole numbers of a real type");
    } else if constexpr (sizeof(T) == sizeof(std::int64_t)) {
      return {std::is_signed_v<T> ? std::numeric_limits<std::int64_t>::min() : 0, kMost};
    } else {
      return {static_cast<std::int64_t>(std::numeric_limits<T>::min()),
              static_cast<std::int64_t>(std::numeric_limits<T>::max())};
    }
  });
}

bool fits_real(ScalarType type, double value) {
  if (value == 0) return true;
  return visit_scalar(type, [&]<class T>() {
    using Limits = std::numeric_limits<T>;
    const auto largest = static_cast<double>(Limits::max());
    const auto smallest = static_cast<double>(Limits::denorm_min());
    const double size = std::abs(value);
    if (std::is_same_v<T, double>) return true;
    // Halves of the last digit at both ends: what lies beyond is rounded to infinity or to 0.
    const double last_digit = std::ldexp(1.0, std::ilogb(largest) + 1 - Limits::digits);
    return size < largest + last_digit / 2 && size > smallest / 2;
  });
}

std::string range_text(ScalarType type) {
  if (is_real(type)) {
    return visit_scalar(type, []<class T>() {
      using Limits = std::numeric_limits<T>;
      return "0 or a size of " + shortest<T>(Limits::denorm_min()) + " to " + shortest<T>(Limits::max());
    });
  }
  const IntegerRange range = integer_range(type);
  return std::to_string(range.least) + " to " + std::to_string(range.most);
}

bool is_whole_literal(std::string_view text) {
  if (!text.empty() && (text.front() == '-' || text.front() == '+')) text.remove_prefix(1);
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

bool is_real_literal(std::string_view text) {
  if (!text.empty() && text.front() == '+') text.remove_prefix(1);
  double value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  return end == text.data() + text.size() && code != std::errc::invalid_argument;
}

}  // namespace kiln
