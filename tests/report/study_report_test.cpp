#include "report/study_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.h"
#include "report/sample_study.h"

namespace kiln {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

TEST(StudyReport, HasASectionForEachPartAndNoneForWhatIsNotThere) {
  std::vector<std::string> titles;
  for (const StudySection& section : study_sections(test::study_report(), {}))
    titles.push_back(section.title);
  EXPECT_THAT(titles, ElementsAre("Cases", "Problems", "Constants, each against jit_generic",
                                  "Not read by the kernels of a step",
                                  "Compilers of programs, against the run-time compiler", "Break-even",
                                  "Time to the first result", "Control"));
}

TEST(StudyReport, TheTerminalShowsEachCaseAndTheWordsOfTheFile) {
  const std::string text = study_to_terminal(test::study_report(), TextStyle{0, false, false});
  EXPECT_THAT(text, HasSubstr("Study: poly on Example <GPU>\ncuda:0, 5 cases, 3 samples of a case"));
  EXPECT_THAT(text,
              HasSubstr(" only.n                    | ok     |  1.00 ms +- 0.01 | 1.100 [1.050, 1.150] |"));
  EXPECT_THAT(text, HasSubstr("Problems\n  aot_instantiated.block=32: wrong: power: 3 of 1000 differ\n"));
  EXPECT_THAT(text, HasSubstr("  left out: block=2048: block <= 1024\n"));
  EXPECT_THAT(text, HasSubstr("after 2500 launches [1819, 3334]"));
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
}

TEST(StudyReport, UncheckedCasesShareOneLine) {
  StudyReport report = test::study_report();
  for (CaseResult& which : report.cases) {
    which.status = RunStatus::kUnchecked;
    which.message = "the workload has no check (`verify`)";
  }
  EXPECT_THAT(study_to_terminal(report, TextStyle{0, false, false}),
              HasSubstr("  unchecked: all cases: the workload has no check (`verify`)\n"));
  report.cases.front().status = RunStatus::kOk;
  EXPECT_THAT(study_to_markdown(report), HasSubstr("- unchecked: " + report.cases[1].name + ", "));
}

TEST(StudyReport, ATerminalsWidthAndColoursAreKept) {
  const std::string text = study_to_terminal(test::study_report(), TextStyle{60, true, true});
  EXPECT_THAT(text, HasSubstr("\x1b[32m"));
  for (const std::string& line :
       split(study_to_terminal(test::study_report(), TextStyle{60, true, false}), '\n'))
    EXPECT_LE(display_width(line), 60U) << line;
}

TEST(StudyReport, MarkdownHasHeadingsATableAndLists) {
  const std::string text = study_to_markdown(test::study_report());
  EXPECT_THAT(text,
              AllOf(HasSubstr("## Study: poly on Example \\<GPU>\n"), HasSubstr("\n### Cases\n\n| case"),
                    HasSubstr("| regs | local bytes | shared bytes |"),
                    HasSubstr("\n### Break-even\n\n- jit_specialised against aot_generic: after 2500")));
}

TEST(StudyReport, CsvHasALineForEachFigure) {
  const std::vector<std::string> lines = split(studies_to_csv({test::study_report()}), '\n');
  EXPECT_EQ(lines[0], "run_id,section,device,case,figure,against,value,low,high,unit,words\r");
  // Thirteen of each case that is right, one of the one that is wrong; two ratios, a break-even in three
  // lines, a first result, and the end.
  EXPECT_EQ(lines.size(), 1U + 4 * 13 + 1 + 2 + 3 + 1 + 1);
  const std::string begin = "0123456789abcdef,poly,Example <GPU>,";
  EXPECT_THAT(lines, ::testing::Contains(begin + "only.n,step,,0.001,0.00099,0.00101,s,\r"));
  EXPECT_THAT(lines,
              ::testing::Contains(begin + "only.n,speed_up,jit_generic,1.1,1.05,1.15,,\"n at compile time: "
                                          "1.10x [1.05, 1.15] as fast\"\r"));
  EXPECT_THAT(lines,
              ::testing::Contains(begin + "aot_instantiated.block=32,status,,wrong,,,,power: 3 of 1000 "
                                          "differ\r"));
  EXPECT_THAT(lines, ::testing::Contains(HasSubstr(",break_even,aot_generic,2500,1819,3334,launches,")));
  EXPECT_THAT(lines, ::testing::Contains(HasSubstr(",first_result.cold,,0.26,0.21,0.31,s,")));
}

TEST(StudyReport, WaysHaveWords) {
  EXPECT_EQ(way_text(FirstWay::kCold), "compiled now");
  EXPECT_EQ(way_text(FirstWay::kBackgroundDisk), "in the background, generic from disk");
}

}  // namespace
}  // namespace kiln
