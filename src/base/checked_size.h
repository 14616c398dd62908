#pragma once

#include <concepts>
#include <cstdint>
#include <optional>

namespace kiln {

/// A size computed from user input: sums and products do not wrap around but lose their value.
class CheckedSize {
 public:
  CheckedSize(std::uint64_t value) : value_(value) {}  // NOLINT(google-explicit-constructor): a number

  /// `nullopt` if it is larger than 64 bits can hold.
  [[nodiscard]] std::optional<std::uint64_t> value() const { return value_; }

  friend CheckedSize operator+(CheckedSize a, CheckedSize b) {
    return combine(a, b, [](std::uint64_t x, std::uint64_t y, std::uint64_t* sum) {
      return __builtin_add_overflow(x, y, sum);
    });
  }
  friend CheckedSize operator*(CheckedSize a, CheckedSize b) {
    return combine(a, b, [](std::uint64_t x, std::uint64_t y, std::uint64_t* product) {
      return __builtin_mul_overflow(x, y, product);
    });
  }

 private:
  template <std::predicate<std::uint64_t, std::uint64_t, std::uint64_t*> Operation>
  static CheckedSize combine(CheckedSize a, CheckedSize b, Operation overflows) {
    std::uint64_t result = 0;
    CheckedSize combined(0);
    if (!a.value_ || !b.value_ || overflows(*a.value_, *b.value_, &result)) {
      combined.value_.reset();
    } else {
      combined.value_ = result;
    }
    return combined;
  }

  std::optional<std::uint64_t> value_;
};

}  // namespace kiln
