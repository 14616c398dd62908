#include "specialize/constant_value.h"

#include <gtest/gtest.h>

namespace kiln {
namespace {

TEST(ConstantValue, KnowsArithmeticNamesAndChoices) {
  const std::map<std::string, std::string> constants = {{"N", "4 * (2 + 1)"},
                                                        {"WIDE", "sizeof(double) == 8"}};
  EXPECT_EQ(constant_value("N / 5", constants), 2);
  EXPECT_EQ(constant_value("(1 << 4) - N % 5", constants), 14);
  EXPECT_EQ(constant_value("N > 10 ? 32 : 64", constants), 32);
  EXPECT_EQ(constant_value("WIDE ? sizeof(unsigned int) : N < 3 ? 1 : 2", constants), 4);
  EXPECT_EQ(constant_value("sizeof(T)", constants), std::nullopt);
  EXPECT_EQ(constant_value("N ? 3", constants), std::nullopt);
  EXPECT_EQ(constant_value("M + 1", constants), std::nullopt);
  EXPECT_EQ(constant_value("0x20 + 0b11 + 010 + 1'000u", constants), 1043);
  EXPECT_EQ(constant_value("(N & 4) >> 2 | 2 ^ 1", constants), 3);
  EXPECT_EQ(constant_value("!(N == 12 && 3 > 2) + ~0", constants), -1);
}

TEST(ConstantValue, QualifiedNamesAreThoseOfTheirScope) {
  const std::map<std::string, std::string> constants = {
      {"n", "1"},         {"a::b::n", "4"}, {"c::n", "n + 2"}, {"a::twice", "8"},
      {"d::twice", "16"}, {"d::same", "3"}, {"e::same", "3"}};
  EXPECT_EQ(constant_value("a::b::n * c::n", constants), 12);
  EXPECT_EQ(constant_value("b::n", constants), 4);
  EXPECT_EQ(constant_value("x::n", constants), std::nullopt);
  EXPECT_EQ(constant_value("twice + same", constants), std::nullopt);
  EXPECT_EQ(constant_value("a::twice", constants), 8);
}

TEST(ConstantValue, OneSideMayDecide) {
  const std::map<std::string, std::string> constants = {{"N", "4"}};
  EXPECT_EQ(constant_value("M && 0", constants), 0);
  EXPECT_EQ(constant_value("f(M, (1)) || N", constants), 1);
  EXPECT_EQ(constant_value("M || 0", constants), std::nullopt);
  EXPECT_EQ(constant_value("N ? 3 : M / 0", constants), 3);
  EXPECT_EQ(constant_value("M ? 3 : 3", constants), 3);
  EXPECT_EQ(constant_value("1 || +", constants), std::nullopt);
}

TEST(ConstantValue, LargeAndDeepTextsHaveNone) {
  const std::map<std::string, std::string> none;
  EXPECT_EQ(constant_value("(1 << 40) * (1 << 40)", none), std::nullopt);  // 0 in 64 bits
  EXPECT_EQ(constant_value("1099511627776 + 1", none), std::nullopt);
  EXPECT_EQ(constant_value("0xffffffffffffffff", none), std::nullopt);
  for (const char* sign : {"(", "-", "!", "1 ? ", "sizeof(", "1 + ("}) {
    std::string deep;
    for (int i = 0; i < 200000; ++i) deep += sign;
    EXPECT_EQ(constant_value(deep + "1", none), std::nullopt) << sign;
  }
}

}  // namespace
}  // namespace kiln
