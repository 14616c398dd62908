#include "measure/compare.h"

#include <gtest/gtest.h>

#include <vector>

#include "base/statistics.h"

namespace kiln {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kDenormal = std::numeric_limits<double>::denorm_min();

Comparison compare(const std::vector<double>& values, const std::vector<double>& expected,
                   const Tolerance& tolerance) {
  Comparison result;
  for (std::size_t i = 0; i < values.size(); ++i) compare_one(result, tolerance, i, values[i], expected[i]);
  return result;
}

bool agrees(double value, double expected, const Tolerance& tolerance) {
  return compare({value}, {expected}, tolerance).ok();
}

TEST(Compare, NothingIsNothing) {
  const Comparison result = compare({}, {}, {});
  EXPECT_TRUE(result.ok());
  EXPECT_EQ(result.compared, 0);
}

TEST(Compare, EqualAgreesWithoutATolerance) {
  for (const double value : {0.0, -0.0, 1.0, -1e300, kDenormal, kInfinity, -kInfinity}) {
    EXPECT_TRUE(agrees(value, value, {})) << value;
  }
  EXPECT_TRUE(agrees(0.0, -0.0, {}));
}

template <class A, class B>
Comparison compare_two(A value, B expected, const Tolerance& tolerance = {}) {
  Comparison result;
  compare_one(result, tolerance, 0, value, expected);
  return result;
}

constexpr std::int64_t kBeyond = (std::int64_t{1} << 53) + 1;  // no double holds it
constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
constexpr std::uint64_t kMostUnsigned = std::numeric_limits<std::uint64_t>::max();

TEST(Compare, WholeNumbersOf64BitsAreComparedInAllDigits) {
  EXPECT_TRUE(compare_two(kBeyond, kBeyond).ok());
  EXPECT_FALSE(compare_two(kBeyond, kBeyond - 1).ok());
  EXPECT_FALSE(compare_two(-kBeyond, -kBeyond + 1).ok());
  EXPECT_FALSE(compare_two(kMost, kMost - 1).ok());
  EXPECT_FALSE(compare_two(kLeast, kLeast + 1).ok());
  EXPECT_FALSE(compare_two(kMostUnsigned, kMostUnsigned - 1).ok());
  EXPECT_TRUE(compare_two(kLeast, kLeast).ok());
  EXPECT_TRUE(compare_two(kMostUnsigned, kMostUnsigned).ok());
}

TEST(Compare, TheDifferenceOfWholeNumbersMeetsTheToleranceExactly) {
  EXPECT_TRUE(compare_two(kMost, kMost - 3, {0, 3, 0}).ok());
  EXPECT_FALSE(compare_two(kMost, kMost - 4, {0, 3, 0}).ok());
  EXPECT_TRUE(compare_two(kMost, kLeast, {0, 18446744073709551616.0, 0}).ok());
  EXPECT_FALSE(compare_two(kMost, kLeast, {0, 1.8e19, 0}).ok());
}

TEST(Compare, WholeNumbersAreComparedExactlyWithOtherTypes) {
  EXPECT_FALSE(compare_two(kBeyond, static_cast<double>(kBeyond)).ok()) << "the double is 2^53";
  EXPECT_FALSE(compare_two(static_cast<double>(kBeyond), kBeyond).ok());
  EXPECT_TRUE(compare_two(kLeast, -9223372036854775808.0).ok());
  EXPECT_FALSE(compare_two(kMostUnsigned, 18446744073709551616.0).ok()) << "the number is 2^64";
  EXPECT_FALSE(compare_two(kMost, static_cast<std::uint64_t>(kMost) + 1).ok());
  EXPECT_TRUE(compare_two(kMost, static_cast<std::uint64_t>(kMost)).ok());
  EXPECT_FALSE(compare_two(std::int64_t{-1}, kMostUnsigned).ok());
  EXPECT_FALSE(compare_two(std::int64_t{3}, 3.5).ok());
  EXPECT_TRUE(compare_two(std::int64_t{3}, 3.5, {0, 0.5, 0}).ok());
  EXPECT_FALSE(compare_two(kMost, kInfinity).ok());
  EXPECT_FALSE(compare_two(kMost, kNan).ok());
}

TEST(Compare, FindsTheWorst) {
  const Comparison result = compare({1, 2.01, 3.5, 4.1}, {1, 2, 3, 4}, {0.01, 0, 0});
  EXPECT_EQ(result.compared, 4);
  EXPECT_EQ(result.mismatches, 2);
  EXPECT_EQ(result.worst_index, 2);
  EXPECT_EQ(result.worst_value, 3.5);
  EXPECT_EQ(result.worst_expected, 3);
  EXPECT_DOUBLE_EQ(result.max_relative_error, 0.5 / 3);
  EXPECT_NEAR(result.worst_excess, 0.5 / 0.03, 1e-9);
}

TEST(Compare, WorstOfAgreeingOnesIsNamed) {
  const Comparison result = compare({1.001, 1.002}, {1, 1}, {0.01, 0, 0});
  EXPECT_TRUE(result.ok());
  EXPECT_EQ(result.worst_index, 1);
}

TEST(Compare, ToleranceIsAbsolutePlusRelative) {
  EXPECT_TRUE(agrees(110.5, 100, {0.1, 0.5, 0}));
  EXPECT_FALSE(agrees(111, 100, {0.1, 0.5, 0}));
  EXPECT_TRUE(agrees(-89.5, -100, {0.1, 0.5, 0}));
  EXPECT_FALSE(agrees(1e-30, 0, {0.1, 0, 0}));
  EXPECT_TRUE(agrees(1e-30, 0, {0.1, 1e-20, 0}));
}

TEST(Compare, NanNeverAgrees) {
  const Tolerance wide{1e300, 1e300, 1e300};
  EXPECT_FALSE(agrees(kNan, 1, wide));
  EXPECT_FALSE(agrees(1, kNan, wide));
  EXPECT_FALSE(agrees(kNan, kNan, wide));
  EXPECT_FALSE(agrees(kNan, kInfinity, wide));
  const Comparison result = compare({1, kNan, 1e9}, {1, 2, 3}, {0.1, 0, 0});
  EXPECT_EQ(result.worst_index, 1);
  EXPECT_EQ(result.worst_excess, kInfinity);
  EXPECT_EQ(result.max_relative_error, kInfinity);
}

TEST(Compare, InfinityAgreesWithItselfOnly) {
  const Tolerance wide{0.5, 1e300, 0};
  EXPECT_TRUE(agrees(kInfinity, kInfinity, wide));
  EXPECT_FALSE(agrees(-kInfinity, kInfinity, wide));
  EXPECT_FALSE(agrees(1e308, kInfinity, wide));
  EXPECT_FALSE(agrees(kInfinity, 1e308, wide));
}

TEST(Compare, SkipsWhereBothAreSmall) {
  const Comparison result = compare({1e-9, 1e-9, 1, kNan}, {-1e-9, 1, 1e-9, 1e-9}, {0, 0, 1e-6});
  EXPECT_EQ(result.skipped, 1);
  EXPECT_EQ(result.compared, 3);
  EXPECT_EQ(result.mismatches, 3);
}

TEST(Compare, Denormals) {
  EXPECT_FALSE(agrees(kDenormal, 0, {0.5, 0, 0}));
  EXPECT_TRUE(agrees(kDenormal, 0, {0, kDenormal, 0}));
  EXPECT_TRUE(agrees(2 * kDenormal, kDenormal, {1, 0, 0}));
}

TEST(CompensatedSum, AMillionTenths) {
  constexpr int kTerms = 1'000'000;
  CompensatedSum sum;
  for (int i = 0; i < kTerms; ++i) sum.add(0.1);
  EXPECT_DOUBLE_EQ(sum.value(), 100'000);
  EXPECT_NEAR(sum.value(), 100'000, 2e-11);
}

TEST(CompensatedSum, NotFinite) {
  CompensatedSum infinite;
  infinite.add(kInfinity);
  infinite.add(1);
  EXPECT_EQ(infinite.value(), kInfinity);
  infinite.add(-kInfinity);
  EXPECT_TRUE(std::isnan(infinite.value()));
  EXPECT_EQ(CompensatedSum().value(), 0);
}

}  // namespace
}  // namespace kiln
