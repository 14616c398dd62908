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
}

}  // namespace
}  // namespace kiln
