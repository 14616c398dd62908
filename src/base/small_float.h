// Floating-point numbers of 16 and 8 bits. One text for the host, for kernels of the CPU back end, where
// these are __half and its like, and for kernels that compare on a device: it includes nothing.
#pragma once

#ifndef KILN_HOST_DEVICE
#define KILN_HOST_DEVICE inline
#endif

namespace kiln {

// Widths, whether there are infinities (without them the largest exponent holds numbers, and one NaN), and
// whether too large numbers and infinities become the largest number, as CUDA's fp8 types have it.
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

/// A number in such a format: its bits. Numbers are rounded to the nearest, ties to even; a `float` holds
/// each value.
template <class Format>
struct SmallFloat {
  using Bits = typename Format::Bits;
  static constexpr int kMantissa = Format::kMantissa;
  static constexpr int kBias = (1 << (Format::kExponent - 1)) - 1;
  static constexpr unsigned int kSign = 1u << (Format::kExponent + kMantissa);
  /// All bits of the exponent.
  static constexpr unsigned int kTop = kSign - (1u << kMantissa);
  static constexpr unsigned int kLargest = Format::kInfinity ? kTop - 1 : kSign - 2;
  static constexpr unsigned int kNan = Format::kMantissa == 2 ? kSign - 2 : kSign - 1;  ///< as CUDA makes it

  Bits bits;

  SmallFloat() = default;
  KILN_HOST_DEVICE SmallFloat(double value) : bits(rounded(value)) {}  // NOLINT(google-explicit-constructor)
  KILN_HOST_DEVICE static SmallFloat of_bits(unsigned int bits) {
    SmallFloat result;
    result.bits = static_cast<Bits>(bits);
    return result;
  }

  KILN_HOST_DEVICE operator float() const {  // NOLINT(google-explicit-constructor)
    const unsigned int magnitude = bits & (kSign - 1);
    const unsigned int sign = bits >= kSign ? 0x80000000u : 0u;
    if (magnitude > (Format::kInfinity ? kTop : kLargest)) return float_of(sign | 0x7fffffffu);
    if (Format::kInfinity && magnitude == kTop) return float_of(sign | 0x7f800000u);
    const unsigned int widened = magnitude << (23 - kMantissa);
    if (kBias == 127) return float_of(sign | widened);
    if (magnitude >= 1u << kMantissa)
      return float_of(sign | (widened + (static_cast<unsigned int>(127 - kBias) << 23)));
    const float unit = float_of(static_cast<unsigned int>(127 + 1 - kBias - kMantissa) << 23);
    const float size = static_cast<float>(magnitude) * unit;
    return sign != 0 ? -size : size;
  }

 private:
  KILN_HOST_DEVICE static float float_of(unsigned int word) { return __builtin_bit_cast(float, word); }

  KILN_HOST_DEVICE static Bits rounded(double value) {
    const unsigned long long word = __builtin_bit_cast(unsigned long long, value);
    const unsigned int sign = word >> 63 != 0 ? kSign : 0u;
    const unsigned long long magnitude = word & 0x7fffffffffffffffull;
    if (magnitude > 0x7ff0000000000000ull) return static_cast<Bits>(sign | kNan);
    const int exponent = static_cast<int>(magnitude >> 52) - 1023;
    const int below = 1 - kBias - exponent;  // of the least exponent of a number with all digits
    const int dropped = 52 - kMantissa + (below > 0 ? below : 0);
    if (dropped > 53) return static_cast<Bits>(sign);
    const unsigned long long digits = (magnitude & 0xfffffffffffffull) | 1ull << 52;
    const unsigned long long half = 1ull << (dropped - 1);
    const unsigned long long rest = digits & (2 * half - 1);
    unsigned long long result = digits >> dropped;
    if (rest > half || (rest == half && result % 2 != 0)) ++result;
    // A carry out of the digits is one in the exponent.
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
