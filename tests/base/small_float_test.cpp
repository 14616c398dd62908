#include "base/small_float_limits.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace kiln {
namespace {

/// The value of a format's bits by its definition.
template <class Format>
double value_of(unsigned int bits) {
  constexpr int kBias = (1 << (Format::kExponent - 1)) - 1;
  const unsigned int mantissa = bits & ((1u << Format::kMantissa) - 1);
  const int exponent = static_cast<int>(bits >> Format::kMantissa) & ((1 << Format::kExponent) - 1);
  const double sign = (bits >> (Format::kExponent + Format::kMantissa)) != 0 ? -1 : 1;
  const bool top = exponent == (1 << Format::kExponent) - 1;
  if (Format::kInfinity && top) return mantissa == 0 ? sign * INFINITY : NAN;
  if (!Format::kInfinity && top && mantissa == (1u << Format::kMantissa) - 1) return NAN;
  if (exponent == 0) return sign * std::ldexp(mantissa, 1 - kBias - Format::kMantissa);
  return sign * std::ldexp((1u << Format::kMantissa) + mantissa, exponent - kBias - Format::kMantissa);
}

template <class Format>
class SmallFloats : public testing::Test {
 public:
  using Number = SmallFloat<Format>;
  static constexpr unsigned int kPatterns = 1u << (8 * sizeof(typename Format::Bits));
  static unsigned int rounded(double value) { return Number(value).bits; }
};

using Formats = testing::Types<HalfFormat, Bfloat16Format, Fp8E4m3Format, Fp8E5m2Format>;
TYPED_TEST_SUITE(SmallFloats, Formats);

TYPED_TEST(SmallFloats, EachPatternHasItsValueAndComesBack) {
  for (unsigned int bits = 0; bits < TestFixture::kPatterns; ++bits) {
    const auto value = TestFixture::Number::of_bits(bits);
    const double wanted = value_of<TypeParam>(bits);
    const auto found = static_cast<double>(value);
    if (std::isnan(wanted)) {
      ASSERT_TRUE(std::isnan(found)) << bits;
      ASSERT_TRUE(std::isnan(value_of<TypeParam>(TestFixture::rounded(found)))) << bits;
      continue;
    }
    ASSERT_EQ(found, wanted) << bits;
    ASSERT_EQ(std::signbit(found), std::signbit(wanted)) << bits;
    if (std::isfinite(wanted) || !TypeParam::kSaturates) {
      ASSERT_EQ(TestFixture::rounded(wanted), bits);
    }
  }
}

/// Between neighbours: the nearer one, and of two equally near ones that with an even last digit.
TYPED_TEST(SmallFloats, NumbersAreRoundedToTheNearestTiesToEven) {
  using Value = typename TestFixture::Number;
  for (unsigned int bits = 0; bits < Value::kLargest; ++bits) {
    const double low = value_of<TypeParam>(bits);
    const double high = value_of<TypeParam>(bits + 1);
    const double middle = low + (high - low) / 2;
    const unsigned int even = bits % 2 == 0 ? bits : bits + 1;
    for (const double sign : {1.0, -1.0}) {
      const unsigned int bit = sign < 0 ? Value::kSign : 0;
      ASSERT_EQ(TestFixture::rounded(sign * middle), even | bit) << bits;
      ASSERT_EQ(TestFixture::rounded(sign * std::nextafter(middle, 0)), bits | bit) << bits;
      ASSERT_EQ(TestFixture::rounded(sign * std::nextafter(middle, INFINITY)), (bits + 1) | bit) << bits;
    }
  }
}

TYPED_TEST(SmallFloats, WhatIsTooLargeBecomesInfiniteOrTheLargest) {
  using Value = typename TestFixture::Number;
  const double largest = value_of<TypeParam>(Value::kLargest);
  const double last_digit = largest - value_of<TypeParam>(Value::kLargest - 1);
  const unsigned int beyond = TypeParam::kSaturates ? Value::kLargest : Value::kTop;
  EXPECT_EQ(TestFixture::rounded(std::nextafter(largest + last_digit / 2, 0)), Value::kLargest);
  EXPECT_EQ(TestFixture::rounded(largest + last_digit / 2), beyond);
  EXPECT_EQ(TestFixture::rounded(std::numeric_limits<double>::max()), beyond);
  EXPECT_EQ(TestFixture::rounded(INFINITY), beyond);
  EXPECT_EQ(TestFixture::rounded(-INFINITY), beyond | Value::kSign);
  EXPECT_EQ(TestFixture::rounded(NAN), Value::kNan);
  EXPECT_EQ(TestFixture::rounded(std::numeric_limits<double>::denorm_min()), 0u);
  EXPECT_EQ(TestFixture::rounded(-std::numeric_limits<double>::denorm_min()), Value::kSign);
}

/// Bits that CUDA's conversions give.
TEST(SmallFloat, KnownBits) {
  EXPECT_EQ(Half(1.0).bits, 0x3c00);
  EXPECT_EQ(Half(-2.0).bits, 0xc000);
  EXPECT_EQ(Half(65504.0).bits, 0x7bff);
  EXPECT_EQ(Half(0.1).bits, 0x2e66);
  EXPECT_EQ(Half(0x1p-24).bits, 0x0001);
  EXPECT_EQ(Half(NAN).bits, 0x7fff);
  EXPECT_EQ(Bfloat16(1.0).bits, 0x3f80);
  EXPECT_EQ(Bfloat16(0.1).bits, 0x3dcd);
  EXPECT_EQ(Bfloat16(3.0e38).bits, 0x7f62);
  EXPECT_EQ(Fp8E4m3(448.0).bits, 0x7e);
  EXPECT_EQ(Fp8E4m3(1e9).bits, 0x7e);
  EXPECT_EQ(Fp8E4m3(0x1p-9).bits, 0x01);
  EXPECT_EQ(Fp8E4m3(NAN).bits, 0x7f);
  EXPECT_EQ(Fp8E5m2(57344.0).bits, 0x7b);
  EXPECT_EQ(Fp8E5m2(1e9).bits, 0x7b);
  EXPECT_EQ(Fp8E5m2(NAN).bits, 0x7e);
}

TEST(SmallFloat, Limits) {
  EXPECT_EQ(static_cast<double>(std::numeric_limits<Half>::max()), 65504);
  EXPECT_EQ(static_cast<double>(std::numeric_limits<Half>::min()), 0x1p-14);
  EXPECT_EQ(std::numeric_limits<Half>::epsilon(), 0x1p-10);
  EXPECT_EQ(std::numeric_limits<Bfloat16>::epsilon(), 0x1p-7);
  EXPECT_EQ(static_cast<double>(std::numeric_limits<Fp8E4m3>::max()), 448);
  EXPECT_EQ(static_cast<double>(std::numeric_limits<Fp8E5m2>::max()), 57344);
  EXPECT_EQ(static_cast<double>(std::numeric_limits<Fp8E4m3>::denorm_min()), 0x1p-9);
}

}  // namespace
}  // namespace kiln
