#include "study/findings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kiln {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

/// A study of one constant, as if measured.
class FindingsTest : public ::testing::Test {
 protected:
  void add(CaseGroup group, const std::string& name, const std::vector<double>& rounds, int registers,
           const std::string& key, double compile_seconds, bool fast_math = false) {
    cases_.cases.push_back({name, group, {}, fast_math, true});
    if (group == CaseGroup::kOnly) cases_.cases.back().constants = {"n"};
    cases_.variants.push_back({{}, name, "cuda:0"});
    CaseData& data = data_[name];
    data.costs = CaseCosts{{compile_seconds}, {0.001}, {0.002}, 100, {key}, {}, {}};
    LaunchUse launch;
    launch.attributes.registers = registers;
    data.record.launches.push_back(launch);
    for (std::size_t i = 0; i < rounds.size(); ++i) data.visits[i + 1] = {{rounds[i]}, {rounds[i]}};
  }

  DeviceCases cases_;
  DeviceData data_;
  std::vector<double> slow_ = {2, 2.2, 2.4, 2.6, 2.8, 3, 3.2};
  std::vector<double> fast_ = {1, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6};
};

TEST_F(FindingsTest, AConstantThatHelpsSaysByHowMuch) {
  add(CaseGroup::kJitGeneric, "jit_generic", slow_, 40, "a", 1);
  add(CaseGroup::kOnly, "only.n", fast_, 37, "b", 1);
  const StudyResult findings = find_effects(cases_, data_);
  ASSERT_EQ(findings.constants.size(), 1U);
  EXPECT_EQ(findings.constants[0].base, "jit_generic");
  EXPECT_EQ(findings.constants[0].registers_saved, 3);
  EXPECT_EQ(findings.constants[0].verdict,
            "n at compile time: 2.0000x [2.0000, 2.0000] as fast, 3 registers fewer");
}

TEST_F(FindingsTest, VerdictsNameResultsThatAreUnchecked) {
  add(CaseGroup::kJitGeneric, "jit_generic", slow_, 40, "a", 1);
  add(CaseGroup::kOnly, "only.n", fast_, 37, "b", 1);
  data_["jit_generic"].record.status = RunStatus::kUnchecked;
  data_["jit_generic"].costs->first[FirstWay::kCold].seconds = {1};
  const StudyResult findings = find_effects(cases_, data_);
  ASSERT_EQ(findings.constants.size(), 1U);
  EXPECT_EQ(findings.constants[0].verdict,
            "n at compile time: 2.0000x [2.0000, 2.0000] as fast, 3 registers fewer, results unchecked");
  EXPECT_THAT(findings.first_results.at(0).verdict, HasSubstr("cold: 1.00 s, results unchecked"));
}

TEST_F(FindingsTest, AnIntervalThatHoldsOneIsNoEffect) {
  add(CaseGroup::kJitGeneric, "jit_generic", {1, 1, 1, 1, 1, 1}, 40, "a", 1);
  add(CaseGroup::kOnly, "only.n", {0.9, 1.1, 0.8, 1.2, 1, 1}, 41, "b", 1);
  const StudyResult findings = find_effects(cases_, data_);
  EXPECT_THAT(findings.constants.at(0).verdict,
              AllOf(HasSubstr("no measurable effect, 1.00x [0.83, 1.25]"), HasSubstr("1 register more")));
}

TEST_F(FindingsTest, AConstantThatHurtsIsSlower) {
  add(CaseGroup::kJitGeneric, "jit_generic", fast_, 40, "a", 1);
  add(CaseGroup::kOnly, "only.n", slow_, 40, "b", 1);
  EXPECT_THAT(find_effects(cases_, data_).constants.at(0).verdict,
              AllOf(HasSubstr("slower, 0.5000x"), HasSubstr("registers unchanged")));
}

TEST_F(FindingsTest, BreaksEvenAgainstTheGenericAndTheFastestInstance) {
  add(CaseGroup::kAotGeneric, "aot_generic", slow_, 40, "a", 1);
  add(CaseGroup::kAotInstantiated, "aot_instantiated.k=1", slow_, 40, "c", 1);
  add(CaseGroup::kAotInstantiated, "aot_instantiated.k=2", {0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5}, 40, "d", 1);
  add(CaseGroup::kJitSpecialised, "jit_specialised", fast_, 30, "b", 14);
  const auto found = find_effects(cases_, data_).break_even;
  // Both instances have the same values (none): the last of them, which is the fastest, too.
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].base, "aot_generic");
  // 14 s of compile time, 1.3 s saved by a launch, 1 to 1.6.
  EXPECT_EQ(found[0].result.kind, BreakEven::Kind::kAfter);
  EXPECT_DOUBLE_EQ(*found[0].result.launches, 11);
  EXPECT_DOUBLE_EQ(*found[0].result.low, 9);
  EXPECT_DOUBLE_EQ(*found[0].result.high, 14);
  EXPECT_EQ(found[1].base, "aot_instantiated.k=2");
  EXPECT_EQ(found[1].result.kind, BreakEven::Kind::kNever);
  EXPECT_THAT(found[1].verdict, HasSubstr("never, it is not faster"));
}

TEST_F(FindingsTest, TheSameCodeTwiceIsTheControl) {
  add(CaseGroup::kAotGeneric, "aot_generic", slow_, 40, "a", 1);
  add(CaseGroup::kJitGeneric, "jit_generic", slow_, 40, "a", 1);
  const StudyResult findings = find_effects(cases_, data_);
  ASSERT_EQ(findings.controls.size(), 1U);
  EXPECT_TRUE(findings.controls[0].same_code);
  EXPECT_THAT(findings.controls[0].verdict, HasSubstr("no measurable effect"));
}

TEST_F(FindingsTest, FastMathIsComparedWithThePreciseCase) {
  add(CaseGroup::kJitSpecialised, "jit_specialised", slow_, 40, "a", 1);
  add(CaseGroup::kJitSpecialised, "jit_specialised fast_math", fast_, 40, "b", 1, true);
  CheckResult check;
  check.compared = 1;
  check.max_relative_error = 1e-3;
  data_["jit_specialised fast_math"].record.checks.push_back(check);
  check.max_relative_error = 1e-6;
  data_["jit_specialised"].record.checks.push_back(check);
  const StudyResult findings = find_effects(cases_, data_);
  ASSERT_EQ(findings.switches.size(), 1U);
  EXPECT_THAT(findings.switches[0].verdict,
              AllOf(HasSubstr("fast-math: 2.0000x"), HasSubstr("1.0e-03 in place of 1.0e-06")));
}

TEST_F(FindingsTest, TellsWhatTheMachineCodeSaves) {
  add(CaseGroup::kJitGeneric, "jit_generic", slow_, 40, "a", 1);
  add(CaseGroup::kOnly, "only.n", fast_, 40, "b", 1);
  data_["jit_generic"].costs->machine_code = {{"f", 4096, 400}, {"g", 512, 12}};
  data_["only.n"].costs->machine_code = {{"f", 2048, 280}, {"g", 512, 8}};
  EXPECT_THAT(find_effects(cases_, data_).constants.at(0).verdict, HasSubstr(", instructions 412 -> 288"));
  data_["only.n"].costs->machine_code[1].instructions.reset();
  EXPECT_THAT(find_effects(cases_, data_).constants.at(0).verdict,
              AllOf(HasSubstr(", machine code 4.5 KiB -> 2.5 KiB"), Not(HasSubstr("instructions"))));
}

TEST_F(FindingsTest, ACompilerOfProgramsIsComparedWithTheRunTimeCompiler) {
  add(CaseGroup::kAotGeneric, "aot_generic", slow_, 40, "a", 1);
  add(CaseGroup::kAotGeneric, "aot_generic.nvcc", fast_, 40, "b", 2);
  cases_.cases.back().compiler = "nvcc";
  add(CaseGroup::kJitGeneric, "jit_generic", slow_, 40, "a", 1);
  add(CaseGroup::kJitSpecialised, "jit_specialised", fast_, 40, "c", 1);
  const StudyResult findings = find_effects(cases_, data_);
  ASSERT_EQ(findings.compilers.size(), 1U);
  EXPECT_EQ(findings.compilers[0].base, "aot_generic");
  EXPECT_THAT(findings.compilers[0].verdict, HasSubstr("aot_generic by nvcc: 2.0000x"));
  ASSERT_EQ(findings.controls.size(), 1U);
  EXPECT_EQ(findings.controls[0].base, "aot_generic");
  ASSERT_EQ(findings.break_even.size(), 2U);
  EXPECT_EQ(findings.break_even[0].base, "aot_generic");
  EXPECT_EQ(findings.break_even[1].base, "aot_generic.nvcc");
}

TEST_F(FindingsTest, LeavingAConstantOutIsComparedWithAllOfThem) {
  add(CaseGroup::kJitSpecialised, "jit_specialised", fast_, 40, "a", 1);
  add(CaseGroup::kAllBut, "all_but.n", slow_, 42, "b", 1);
  const StudyResult findings = find_effects(cases_, data_);
  ASSERT_EQ(findings.all_but.size(), 1U);
  EXPECT_EQ(findings.all_but[0].base, "jit_specialised");
  EXPECT_THAT(findings.all_but[0].verdict,
              AllOf(HasSubstr("n at run time, all else at compile time: slower, 0.5000x"),
                    HasSubstr("2 registers more")));
}

TEST_F(FindingsTest, CasesThatFailedTakeNoPart) {
  add(CaseGroup::kJitGeneric, "jit_generic", slow_, 40, "a", 1);
  add(CaseGroup::kOnly, "only.n", fast_, 40, "b", 1);
  data_["jit_generic"].record.status = RunStatus::kWrong;
  const StudyResult findings = find_effects(cases_, data_);
  EXPECT_TRUE(findings.constants.empty());
  EXPECT_TRUE(findings.first_results.empty());
}

TEST_F(FindingsTest, OnlyRoundsThatVisitedBothAreCompared) {
  add(CaseGroup::kJitGeneric, "jit_generic", {2, 100, 2, 2, 2, 2, 2}, 40, "a", 1);
  add(CaseGroup::kOnly, "only.n", {1, 1, 1, 1, 1, 1, 1}, 40, "b", 1);
  data_["only.n"].visits.erase(2);
  EXPECT_DOUBLE_EQ(find_effects(cases_, data_).constants.at(0).speedup.high, 2);
}

TEST_F(FindingsTest, TheFirstResultIsWhatWasMeasured) {
  add(CaseGroup::kJitSpecialised, "jit_specialised", fast_, 40, "a", 10);
  auto& first = data_["jit_specialised"].costs->first;
  first[FirstWay::kCold] = {{11, 13, 12}, {}};
  first[FirstWay::kBackgroundDisk] = {{3}, {14}};
  const auto results = find_effects(cases_, data_).first_results;
  ASSERT_EQ(results.size(), 2U);
  EXPECT_EQ(results[0].verdict, "jit_specialised, cold: 12.0 s [11.0 s, 13.0 s]");
  EXPECT_EQ(results[1].verdict,
            "jit_specialised, in the background, generic code on disk: 3.00 s, its own code after 14.0 s");
}

}  // namespace
}  // namespace kiln
