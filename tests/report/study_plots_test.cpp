#include "report/study_plots.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "report/sample_study.h"

namespace kiln {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

TEST(StudyPlots, CasesConstantsAmortisationAndControl) {
  const std::vector<Plot> plots = study_plots(test::study_report());
  ASSERT_THAT(plots, SizeIs(4));
  EXPECT_THAT(plots[0].svg, AllOf(HasSubstr("jit_specialised: 1.00 ms"), HasSubstr(">wrong</text>")));
  EXPECT_THAT(plots[1].svg, HasSubstr("only.n: 1.100 [1.050, 1.150], faster"));
  EXPECT_THAT(plots[2].caption, HasSubstr("Amortisation: speed-up over aot_generic"));
  EXPECT_THAT(plots[3].svg, HasSubstr("jit_generic / aot_generic"));
}

TEST(StudyPlots, TimesFarApartAreDotsOnALogarithmicAxisAndTheCaptionSaysSo) {
  StudyReport report = test::study_report();
  EXPECT_THAT(study_plots(report)[0].svg, HasSubstr("<rect"));
  EXPECT_THAT(study_plots(report)[0].caption, Not(HasSubstr("logarithmic")));
  report.cases[0].step = {{0.184, 0.183, 0.185}, 20, 0.18, 0.19};
  const Plot plot = study_plots(report)[0];
  EXPECT_THAT(plot.caption, HasSubstr("dots on a logarithmic axis, for the longest time is 184 times the"));
  EXPECT_THAT(plot.svg, AllOf(HasSubstr("<circle"), Not(HasSubstr("<rect"))));
}

TEST(StudyPlots, AmortisationIsTheTimeOfTheGenericKernelOverThatOfTheOther) {
  StudyReport report = test::study_report();
  report.amortisation[0].fast_math = true;
  report.amortisation[0].launches = {1, 1000};
  report.amortisation[0].curves = {{"jit_specialised fast_math", FirstWay::kCold, 4, 0.001, {}, {4, 5}},
                                   {"aot_generic fast_math", FirstWay::kAhead, 2, 0.008, {}, {2, 10}}};
  const Plot plot = study_plots(report)[2];
  EXPECT_THAT(plot.caption, HasSubstr("Amortisation, fast-math: speed-up over aot_generic after"));
  // From 0 at 220 to 2 * 1.08 at 20: 2 / 4 and 10 / 5.
  EXPECT_THAT(plot.svg, HasSubstr("cy=\"173.7\""));
  EXPECT_THAT(plot.svg, HasSubstr("cy=\"34.81\""));
  EXPECT_THAT(plot.svg, HasSubstr("<title>jit_specialised, compiled now: 1000 launches in 5.00 s</title>"));
}

TEST(StudyPlots, WhatCannotBeDrawnIsLeftOut) {
  StudyReport report = test::study_report();
  report.constants[0].speedup.high = std::numeric_limits<double>::infinity();
  report.cases[0].step->high = std::numeric_limits<double>::infinity();
  report.amortisation[0].curves[1].seconds[0] = 0;
  std::string all;
  for (const Plot& plot : study_plots(report)) all += plot.svg;
  EXPECT_THAT(all, Not(HasSubstr("\"inf\"")));
  EXPECT_THAT(all, Not(HasSubstr("\"nan\"")));
  EXPECT_THAT(all, HasSubstr(">not timed</text>"));
  EXPECT_THAT(study_plots(StudyReport()), SizeIs(0));
}

}  // namespace
}  // namespace kiln
