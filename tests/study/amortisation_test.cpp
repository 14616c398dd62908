#include "study/amortisation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kiln {
namespace {

using ::testing::ElementsAre;

class AmortisationTest : public ::testing::Test {
 protected:
  CaseData& add(CaseGroup group, const std::string& name, double step_seconds, bool fast_math = false) {
    cases_.cases.push_back({name, group, {}, fast_math, true});
    CaseData& data = data_[name];
    data.costs.emplace();
    data.visits[1] = {{step_seconds}, {step_seconds}};
    return data;
  }

  DeviceCases cases_;
  DeviceData data_;
};

TEST(AmortisationCurve, EachFurtherLaunchTakesItsTime) {
  const AmortisationCurve curve{"jit_specialised", FirstWay::kCold, 10, 2, {}, {}};
  EXPECT_EQ(curve.after(1), 10);
  EXPECT_EQ(curve.after(2), 12);
  EXPECT_EQ(curve.after(11), 30);
}

/// The curve of a kernel that is generic until the swap.
class SwappedCurve : public AmortisationTest {
 protected:
  AmortisationCurve curve(double first_seconds, double swap_seconds) {
    add(CaseGroup::kAotGeneric, "aot_generic", 3).costs->first[FirstWay::kAhead] = {{4}, {}};
    add(CaseGroup::kJitGeneric, "jit_generic", 3);
    add(CaseGroup::kJitSpecialised, "jit_specialised", 1).costs->first[FirstWay::kBackground] = {
        {first_seconds}, {swap_seconds}};
    return amortise(cases_, data_).at(0).curves.at(1);
  }
};

TEST_F(SwappedCurve, LaunchesThatBeginBeforeTheSwapAreGeneric) {
  // The first ends at 2 s; further ones begin at 2, 5 and 8 s, before the swap at 10 s.
  const AmortisationCurve curve = this->curve(2, 10);
  EXPECT_EQ(curve.before->launches, 4);
  EXPECT_EQ(curve.after(1), 2);
  EXPECT_EQ(curve.after(3), 8);
  EXPECT_EQ(curve.after(4), 11);
  EXPECT_EQ(curve.after(6), 13);
  EXPECT_EQ(curve.seconds.at(2), 12) << "after 5 launches";
}

TEST_F(SwappedCurve, ASwapBeforeTheFirstResultLeavesOneGenericLaunch) {
  const AmortisationCurve curve = this->curve(2, 1);
  EXPECT_EQ(curve.before->launches, 1);
  EXPECT_EQ(curve.after(3), 4);
}

TEST_F(AmortisationTest, ComparesTheGenericAndTheFastestInstanceWithEachWayOfTheSpecialised) {
  add(CaseGroup::kAotGeneric, "aot_generic", 3).costs->first[FirstWay::kAhead] = {{4}, {}};
  add(CaseGroup::kAotInstantiated, "slow", 2).costs->first[FirstWay::kAhead] = {{4}, {}};
  add(CaseGroup::kAotInstantiated, "quick", 1.5).costs->first[FirstWay::kAhead] = {{4}, {}};
  add(CaseGroup::kJitGeneric, "jit_generic", 3).costs->first[FirstWay::kCold] = {{20}, {}};
  auto& first = add(CaseGroup::kJitSpecialised, "jit_specialised", 1).costs->first;
  first[FirstWay::kCold] = {{30, 31, 32}, {}};
  first[FirstWay::kBackground] = {{21}, {50}};
  const auto all = amortise(cases_, data_);
  ASSERT_EQ(all.size(), 1U);
  ASSERT_EQ(all[0].curves.size(), 4U);
  EXPECT_EQ(all[0].curves[0].subject, "aot_generic");
  EXPECT_EQ(all[0].curves[1].subject, "quick");
  EXPECT_EQ(all[0].curves[2].subject, "jit_specialised");
  EXPECT_EQ(all[0].curves[2].first_seconds, 31);
  ASSERT_TRUE(all[0].curves[3].before);
  EXPECT_EQ(all[0].curves[3].before->subject, "jit_generic");
  EXPECT_EQ(all[0].curves[3].before->launch_seconds, 3);
  EXPECT_EQ(all[0].curves[3].before->swap_seconds, 50);
}

TEST_F(AmortisationTest, GoesADecadeBeyondTheLastCrossing) {
  add(CaseGroup::kAotGeneric, "aot_generic", 2).costs->first[FirstWay::kAhead] = {{2}, {}};
  CaseData& own = add(CaseGroup::kJitSpecialised, "jit_specialised", 1);
  own.costs->first[FirstWay::kCold] = {{2}, {}};
  EXPECT_THAT(amortise(cases_, data_).at(0).launches, ElementsAre(1, 2, 5, 10, 20, 50, 100, 200, 500, 1000));
  own.costs->first[FirstWay::kCold] = {{3000}, {}};  // crossing after 2999 launches
  EXPECT_EQ(amortise(cases_, data_).at(0).launches.back(), 1e5);
}

TEST_F(AmortisationTest, CurvesThatHardlyDifferEndSomewhere) {
  add(CaseGroup::kAotGeneric, "aot_generic", 1 + 1e-12).costs->first[FirstWay::kAhead] = {{1}, {}};
  add(CaseGroup::kJitSpecialised, "jit_specialised", 1).costs->first[FirstWay::kCold] = {{30}, {}};
  EXPECT_EQ(amortise(cases_, data_).at(0).launches.back(), 1e9);
}

TEST_F(AmortisationTest, WhatWasNotMeasuredHasNoCurve) {
  add(CaseGroup::kAotGeneric, "aot_generic", 2).costs->first[FirstWay::kAhead] = {{2}, {}};
  add(CaseGroup::kJitSpecialised, "jit_specialised", 1).costs->first[FirstWay::kCold] = {{3}, {}};
  auto& fast = add(CaseGroup::kAotGeneric, "aot_generic fast_math", 1, true);
  fast.costs->first[FirstWay::kAhead] = {{2}, {}};
  fast.record.status = RunStatus::kWrong;
  const auto all = amortise(cases_, data_);
  ASSERT_EQ(all.size(), 1U);
  EXPECT_FALSE(all[0].fast_math);
}

}  // namespace
}  // namespace kiln
