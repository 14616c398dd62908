#include "report/axis.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace kiln {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(Axis, PlacesValuesEvenlyOrByTheirLogarithm) {
  const Axis even{0, 10, 100, 200};
  EXPECT_DOUBLE_EQ(even.at(0), 100);
  EXPECT_DOUBLE_EQ(even.at(2.5), 125);
  const Axis up{1, 100, 50, 0, true};
  EXPECT_DOUBLE_EQ(up.at(1), 50);
  EXPECT_DOUBLE_EQ(up.at(10), 25);
  EXPECT_DOUBLE_EQ(up.at(100), 0);
}

TEST(Axis, EvenTicksAreRoundNumbers) {
  EXPECT_THAT(even_ticks(0, 10, 6), ElementsAre(0, 2, 4, 6, 8, 10));
  EXPECT_THAT(even_ticks(0, 0.31, 4),
              ElementsAre(0, DoubleNear(0.1, 1e-12), DoubleNear(0.2, 1e-12), DoubleNear(0.3, 1e-12)));
  EXPECT_THAT(even_ticks(0, 999, 3), ElementsAre(0, 500));
  EXPECT_THAT(even_ticks(1, 1, 3), IsEmpty());
  EXPECT_THAT(even_ticks(0, std::numeric_limits<double>::infinity(), 3), IsEmpty());
}

TEST(Axis, RatioTicksStandAroundOneAndApart) {
  const Axis wide{0.1, 10, 0, 200, true};
  EXPECT_THAT(ratio_ticks(wide, 25), ElementsAre(0.125, 0.25, 0.5, 1, 2, 4, 8));
  const Axis narrow{0.95, 1.06, 0, 200, true};
  EXPECT_THAT(ratio_ticks(narrow, 30), ElementsAre(0.95, 0.98, 1, 1.02, 1.05));
}

TEST(Axis, LogarithmicTicksAreRoundAndApart) {
  EXPECT_THAT(log_ticks({0.9, 21, 0, 270, true}, 45), ElementsAre(1, 2, 5, 10, 20));
  EXPECT_THAT(log_ticks({0.9, 200, 0, 270, true}, 45), ElementsAre(1, 3, 10, 30, 100));
  EXPECT_THAT(log_ticks({0.9, 20000, 0, 270, true}, 45), ElementsAre(1, 10, 100, 1000, 10000));
  EXPECT_THAT(log_ticks({0.5, 2e11, 0, 270, true}, 50), ElementsAre(1, 1e3, 1e6, 1e9));
  EXPECT_THAT(log_ticks({0, 10, 0, 270, true}, 45), IsEmpty());
  EXPECT_THAT(log_ticks({1, std::numeric_limits<double>::infinity(), 0, 270, true}, 45), IsEmpty());
}

TEST(Axis, PowersAreShort) {
  EXPECT_EQ(power_text(-2), "0.01");
  EXPECT_EQ(power_text(0), "1");
  EXPECT_EQ(power_text(3), "1000");
  EXPECT_EQ(power_text(12), "10¹²");
  EXPECT_EQ(power_text(-4), "10⁻⁴");
}

TEST(Axis, TheUnitOfATimeLeavesAWholePart) {
  EXPECT_EQ(time_unit(12).name, "s");
  EXPECT_EQ(time_unit(0.02).name, "ms");
  EXPECT_EQ(time_unit(2e-5).name, "us");
  EXPECT_EQ(time_unit(2e-8).name, "ns");
  EXPECT_DOUBLE_EQ(time_unit(0.02).in_a_second, 1e3);
}

}  // namespace
}  // namespace kiln
