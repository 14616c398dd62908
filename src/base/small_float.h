// Floating-point numbers of 16 and 8 bits. One text for the host, for kernels of the CPU back end (where
// these are __half and similar types), and for kernels that compare on a device: it includes nothing.
#pragma once

#ifndef KILN_HOST_DEVICE
#define KILN_HOST_DEVICE inline
#endif

namespace kiln {

// Widths, whether there are infinities (without them the largest exponent holds numbers, and one NaN), and
// whether too large numbers and infinities become the largest number, as in CUDA's fp8 types.
struct HalfFormat {
  using Bits = unsigned short;
  static constexpr int kExponent = 5, kMantissa = 10;
  static constexpr bool kInfinity = true, kSaturates = false;
};
struct Bfloat16Format {
  using Bits = unsigned short;
  static constexpr int kExponent = 8, kMantissa = 7;
  static constexpr bool kInfinity = true, kSaturates = false;
};
struct Fp8E4m3Format {
  using Bits = unsigned char;
  static constexpr int kExponent = 4, kMantissa = 3;
  static constexpr bool kInfinity = false, kSaturates = true;
};
struct Fp8E5m2Format {
  using Bits = unsigned char;
  static constexpr int kExponent = 5, kMantissa = 2;
  static constexpr bool kInfinity = true, kSaturates = true;
};

/// A number in such a format, as its bits. Numbers are rounded to the nearest, ties to even; a `float`
/// represents each value.
template <class Format>
struct SmallFloat {
  using Bits = typename Format::Bits;
  static constexpr int kMantissa = Format::kMantissa;
  static constexpr int kBias = (1 << (Format::kExponent - 1)) - 1;
  static constexpr unsigned int kSign = 1u << (Format::kExponent + kMantissa);
  /// All bits of the exponent.
  static constexpr unsigned int kTop = kSign - (1u << kMantissa);
  static constexpr unsigned int kLargest = Format::kInfinity ? kTop - 1 : kSign - 2;
  static constexpr unsigned int kNan = Format::kMantissa == 2 ? kSign - 2 : kSign - 1;  ///< CUDA's NaN

  Bits bits;

  SmallFloat() = default;
  // NOLINTBEGIN(google-explicit-constructor)
  KILN_HOST_DEVICE SmallFloat(float value) : bits(rounded(value)) {}
  KILN_HOST_DEVICE SmallFloat(double value) : bits(rounded(value)) {}
  KILN_HOST_DEVICE SmallFloat(int value) : bits(rounded(static_cast<double>(value))) {}
  KILN_HOST_DEVICE SmallFloat(unsigned int value) : bits(rounded(static_cast<double>(value))) {}
  KILN_HOST_DEVICE SmallFloat(long value) : SmallFloat(static_cast<long long>(value)) {}
  KILN_HOST_DEVICE SmallFloat(unsigned long value) : SmallFloat(static_cast<unsigned long long>(value)) {}
  KILN_HOST_DEVICE SmallFloat(long long value)
      : bits(value < 0 ? kSign | rounded(odd_double(0 - static_cast<unsigned long long>(value)))
                       : rounded(odd_double(static_cast<unsigned long long>(value)))) {}
  KILN_HOST_DEVICE SmallFloat(unsigned long long value) : bits(rounded(odd_double(value))) {}
  // NOLINTEND(google-explicit-constructor)
  KILN_HOST_DEVICE static SmallFloat of_bits(unsigned int bits) {
    SmallFloat result;
    result.bits = static_cast<Bits>(bits);
    return result;
  }

  /// Without branches, so that a loop over numbers becomes vector code; all comparisons are of signed
  /// numbers, which AVX2 has.
  KILN_HOST_DEVICE operator float() const {  // NOLINT(google-explicit-constructor)
    const int magnitude = static_cast<int>(bits & (kSign - 1));
    const unsigned int sign = static_cast<unsigned int>(bits & kSign) << (31 - Format::kExponent - kMantissa);
    unsigned int word = static_cast<unsigned int>(magnitude) << (23 - kMantissa);
    // Adjusts the exponent's bias by a product, which is exact and handles subnormal numbers, too.
    if (kBias != 127)
      word = word_of(float_of(word) * float_of(static_cast<unsigned int>(127 + 127 - kBias) << 23));
    if (Format::kInfinity)
      word |= chosen(magnitude >= static_cast<int>(kTop), 0x7f800000u, 0u);
    else
      word = chosen(magnitude > static_cast<int>(kLargest), 0x7fffffffu, word);
    return float_of(sign | word);
  }

  /// A `double` that rounds to each such number as the integer does: bits that do not fit set the last bit.
  KILN_HOST_DEVICE static double odd_double(unsigned long long value) {
    const bool fits = value >> 53 == 0;
    const unsigned long long rest = value & 0x7ffull;
    const unsigned long long shortened = (value & ~0x7ffull) | (rest != 0 ? 0x800ull : 0ull);
    return static_cast<double>(fits ? value : shortened);
  }

 private:
  KILN_HOST_DEVICE static float float_of(unsigned int word) { return __builtin_bit_cast(float, word); }
  /// GCC 12 does not vectorise `condition ? a : b` if neither depends on the loop.
  template <class V>
  KILN_HOST_DEVICE static V chosen(bool condition, V a, V b) {
    return b ^ ((a ^ b) & (V{0} - static_cast<V>(condition)));
  }
  KILN_HOST_DEVICE static unsigned int word_of(float value) {
    return __builtin_bit_cast(unsigned int, value);
  }

  /// Without branches, too.
  KILN_HOST_DEVICE static Bits rounded(float value) {
    constexpr int kDropped = 23 - kMantissa;
    const unsigned int word = word_of(value);
    const unsigned int sign = word >> 31 << (Format::kExponent + kMantissa);
    const int magnitude = static_cast<int>(word & 0x7fffffffu);
    constexpr int kExponents = (127 - kBias) << 23;
    // Rounds to the nearest, ties to even; a carry out of the digits increments the exponent. (NaN ends below
    // the sign.)
    const int rest = (1 << (kDropped - 1)) - 1 - kExponents;
    int result = kBias == 127
                     ? static_cast<int>((static_cast<unsigned int>(magnitude + (magnitude >> kDropped & 1)) +
                                         static_cast<unsigned int>(rest)) >>
                                        kDropped)
                     : (magnitude + (magnitude >> kDropped & 1) + rest) >> kDropped;
    if (kBias != 127) {
      // Adding `scale`, whose last digit is the last digit of the smallest numbers, rounds a number to it.
      constexpr int kScale = (127 + 1 - kBias - kMantissa + 23) << 23;
      const int below = static_cast<int>(word_of(float_of(static_cast<unsigned int>(magnitude)) +
                                                 float_of(static_cast<unsigned int>(kScale)))) -
                        kScale;
      result = chosen(magnitude < kExponents + (1 << 23), below, result);
    }
    constexpr int kMost = static_cast<int>(Format::kSaturates ? kLargest : kTop);
    result = result > static_cast<int>(kLargest) ? kMost : result;
    result = chosen(magnitude > 0x7f800000, static_cast<int>(kNan), result);
    return static_cast<Bits>(sign | static_cast<unsigned int>(result));
  }

  KILN_HOST_DEVICE static Bits rounded(double value) {
    const unsigned long long word = __builtin_bit_cast(unsigned long long, value);
    const unsigned int sign = word >> 63 != 0 ? kSign : 0u;
    const unsigned long long magnitude = word & 0x7fffffffffffffffull;
    if (magnitude > 0x7ff0000000000000ull) return static_cast<Bits>(sign | kNan);
    const int exponent = static_cast<int>(magnitude >> 52) - 1023;
    const int below = 1 - kBias - exponent;  // distance from the least exponent of a number with all digits
    const int dropped = 52 - kMantissa + (below > 0 ? below : 0);
    if (dropped > 53) return static_cast<Bits>(sign);
    const unsigned long long digits = (magnitude & 0xfffffffffffffull) | 1ull << 52;
    const unsigned long long half = 1ull << (dropped - 1);
    const unsigned long long rest = digits & (2 * half - 1);
    unsigned long long result = digits >> dropped;
    if (rest > half || (rest == half && result % 2 != 0)) ++result;
    // A carry out of the digits increments the exponent.
    if (below <= 0) result += static_cast<unsigned long long>(-below) << kMantissa;
    if (result > kLargest) result = Format::kSaturates ? kLargest : kTop;
    return static_cast<Bits>(sign | static_cast<unsigned int>(result));
  }
};

using Half = SmallFloat<HalfFormat>;
using Bfloat16 = SmallFloat<Bfloat16Format>;
using Fp8E4m3 = SmallFloat<Fp8E4m3Format>;
using Fp8E5m2 = SmallFloat<Fp8E5m2Format>;

}  // namespace kiln
