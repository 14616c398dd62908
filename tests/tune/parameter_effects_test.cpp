#include "tune/parameter_effects.h"

#include <gmock/gmock.h>

namespace kiln {
namespace {

using testing::IsEmpty;

Evaluation point(const std::vector<std::string>& values, const Outcome& outcome) {
  Evaluation evaluation;
  evaluation.values = values;
  evaluation.outcome = outcome;
  return evaluation;
}

TEST(ParameterEffects, AreTheFactorsOfAProduct) {
  std::vector<Evaluation> points;
  for (int i = 0; i < 600; ++i) {
    const int a = i % 2, b = i / 2 % 3, c = i / 6 % 4;
    const double seconds = 1e-3 * (a == 1 ? 3.0 : 1.0) * (1 + 0.25 * b);
    const Outcome outcome = i % 5 == 0 ? Outcome::cut(seconds) : Outcome::measured(seconds);
    points.push_back(point({std::to_string(a), std::to_string(b), std::to_string(c), "same"}, outcome));
  }
  const auto effects = parameter_effects({"a", "b", "c", "d"}, points);
  ASSERT_EQ(effects.size(), 3U);  // of d one value was seen
  EXPECT_EQ(effects[0].name, "a");
  EXPECT_EQ(effects[0].best, "0");
  EXPECT_EQ(effects[0].worst, "1");
  EXPECT_NEAR(effects[0].factor, 3.0, 0.03);
  EXPECT_EQ(effects[1].name, "b");
  EXPECT_NEAR(effects[1].factor, 1.5, 0.02);
  EXPECT_NEAR(effects[0].share + effects[1].share, 1.0, 0.02);
  EXPECT_EQ(effects[2].name, "c");
  EXPECT_NEAR(effects[2].factor, 1.0, 1e-6);
  EXPECT_NEAR(effects[2].share, 0.0, 1e-6);
}

TEST(ParameterEffects, TellCorrelatedNamesApart) {
  std::vector<Evaluation> points;  // searches see good values together
  for (int i = 0; i < 100; ++i) {
    const bool a = i % 4 != 0, b = i % 4 == 0 ? i % 8 == 0 : i % 16 != 1;
    points.push_back(point({a ? "good" : "bad", b ? "good" : "bad"}, Outcome::measured(a ? 1.0 : 2.0)));
  }
  const auto effects = parameter_effects({"a", "b"}, points);
  ASSERT_EQ(effects.size(), 2U);
  EXPECT_NEAR(effects[0].factor, 2.0, 0.1);
  EXPECT_NEAR(effects[1].factor, 1.0, 0.05);
}

TEST(ParameterEffects, NeedAsManyPointsAsValuesAndNoFailures) {
  const Evaluation good = point({"1", "x"}, Outcome::measured(1)),
                   other = point({"2", "y"}, Outcome::measured(2));
  EXPECT_THAT(parameter_effects({"a", "b"}, {good, other}), IsEmpty());
  EXPECT_THAT(parameter_effects({"a", "b"}, {}), IsEmpty());
  const std::vector<Evaluation> failed(9, point({"3", "z"}, Outcome::failed(FailureKind::kWrong)));
  EXPECT_THAT(parameter_effects({"a", "b"}, failed), IsEmpty());
  const Evaluation paper = point({}, Outcome::measured(1));  // no point of the space
  EXPECT_EQ(parameter_effects({"a"},
                              {paper, point({"1"}, Outcome::measured(1)), point({"2"}, Outcome::measured(2))})
                .size(),
            1U);
}

}  // namespace
}  // namespace kiln
