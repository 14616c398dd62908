#include "record/study_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "record/record_json.h"
#include "record/sample_records.h"
#include "support/error_matchers.h"

namespace kiln {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::string header(const std::string& devices = R"(["cpu"])", int format = kStudyFormat) {
  return R"({"kind":"study","format":)" + std::to_string(format) +
         R"(,"run_id":"r1","time":"2026-11-21T09:35:00Z","kiln":{"version":"0.1.0","revision":"abc"},)"
         R"("study_file":"s.yaml","sections":[{"name":"small","workload":"poly"}],"digest":"d","order_seed":7,"rounds":6,"samples":3,)"
         R"("compiles":1,"devices":)" +
         devices + "}\n";
}

std::string case_line(const std::string& device, const std::string& name) {
  return R"({"kind":"case","section":"small","device":")" + device + R"(","case":")" + name +
         R"(","group":"jit_generic","constants":["n"],"fast_math":false,"launch_bounds":true,)"
         R"("compiler":"run-time","compiled_by":"g++ 12","costs":{"compile_seconds":[0.3,0.1,0.2],"load_seconds":[1e-3],)"
         R"("disk_seconds":[2e-3],"binary_bytes":100,"keys":["k"],"first_results":{}},"record":)" +
         record_to_json(test::base_record(name)) + "}\n";
}

/// `seconds`: of the amortisation's one curve over launches 1 and 10.
std::string result_line(const std::string& device, double median, const std::string& seconds = "[1,2]") {
  return R"({"kind":"result","section":"small","device":")" + device +
         R"(","cases":[{"case":"jit_generic","status":"ok","message":null,"step_seconds":{"rounds":6,"median":)" +
         std::to_string(median) +
         R"(,"interval":[0.5,1.5],"min":0.1,"max":9},"metrics":{},"code_bytes":64,"instructions":null,"registers":32,"local_bytes":null,)"
         R"("shared_bytes":null,"occupancy":0.5,"max_relative_error":"inf"}],"unread":["idle"],"left_out":[],"no_ahead":"","all_but":[],"compilers":[],)"
         R"("constants":[{"case":"only.n","base":"jit_generic","speedup":{"median":1.1,"interval":[1,1.2]},)"
         R"("effect":"none","same_code":false,"registers_saved":null,"verdict":"v"}],)"
         R"("factorial":[],"switches":[],"controls":[],"break_even":[{"case":"a","base":"b",)"
         R"("price_seconds":{"median":1,"interval":[1,1]},"saved_seconds":{"median":-1,"interval":[-2,-0.5]},)"
         R"("kind":"never","launches":null,"interval":[null,null],"verdict":"never"}],)"
         R"("first_results":[{"case":"a","way":"cold","seconds":{"median":3,"interval":[2,4]},"swap_seconds":null,)"
         R"("verdict":"w"}],"amortisation":[{"fast_math":false,"launch_bounds":true,"launches":[1,10],)"
         R"("curves":[{"case":"a","way":"cold","first_seconds":1,"launch_seconds":1,"before_swap":null,)"
         R"("seconds":)" +
         seconds + "}]}]}\n";
}

constexpr const char* kVisit =
    R"({"kind":"visit","section":"small","device":"cpu","case":"jit_generic","round":1,"seconds":[1],"launches":[1]})"
    "\n";

std::string refusal(const std::string& text) {
  return test::bad_input_of([&] { static_cast<void>(study_from_text(text, "study.jsonl")); });
}

TEST(StudyReader, JoinsCasesAndResults) {
  const StudyReports all = study_from_text(
      header() + case_line("cpu", "jit_generic") + kVisit + result_line("cpu", 1), "study.jsonl");
  ASSERT_THAT(all.reports, SizeIs(1));
  EXPECT_THAT(all.notes, IsEmpty());
  const StudyReport& report = all.reports[0];
  EXPECT_EQ(report.workload, "poly");
  EXPECT_EQ(report.section, "small");
  EXPECT_EQ(report.device_name, "Example CPU");
  EXPECT_EQ(report.seed, 7U);
  ASSERT_THAT(report.cases, SizeIs(1));
  const CaseResult& which = report.cases[0];
  ASSERT_NE(report.costs_of("jit_generic"), nullptr);
  EXPECT_THAT(report.costs_of("jit_generic")->compile_seconds, ElementsAre(0.3, 0.1, 0.2));
  EXPECT_EQ(report.costs_of("absent"), nullptr);
  EXPECT_DOUBLE_EQ(which.step->low, 0.5);
  EXPECT_EQ(which.resources.registers, 32);
  EXPECT_EQ(which.code_bytes, 64);
  EXPECT_FALSE(which.instructions);
  EXPECT_FALSE(which.resources.local_bytes);
  EXPECT_EQ(report.constants.at(0).effect, Effect::kNone);
  EXPECT_EQ(report.ratio_of("only.n"), &report.constants[0]);
  EXPECT_EQ(report.ratio_of("absent"), nullptr);
  EXPECT_FALSE(report.break_even.at(0).result.launches);
  EXPECT_EQ(report.first_results.at(0).way, FirstWay::kCold);
  EXPECT_THAT(report.amortisation.at(0).curves.at(0).seconds, ElementsAre(1, 2));
  EXPECT_EQ(study_line(static_cast<const StudyHeader&>(report)) + "\n", header());
}

TEST(StudyReader, TheLastResultOfADeviceCountsAndWhatWasCutShortIsNamed) {
  const std::string text = header(R"(["cpu","cuda:0"])") + case_line("cpu", "jit_generic") +
                           result_line("cpu", 1) + result_line("cpu", 2);
  const StudyReports all = study_from_text(text + R"({"kind":"visit","devi)", "study.jsonl");
  ASSERT_THAT(all.reports, SizeIs(1)) << "a torn last line hides nothing";
  EXPECT_DOUBLE_EQ(all.reports[0].cases.at(0).step->median, 2);
  EXPECT_THAT(all.notes,
              ElementsAre(HasSubstr("study.jsonl: the study of small was cut short on cuda:0; kiln study"),
                          HasSubstr("study.jsonl:5: a crash cut this line off")));
}

TEST(StudyReader, WhatIsWrongIsNamedWithItsPlace) {
  const std::string good = header() + case_line("cpu", "jit_generic");
  EXPECT_THAT(refusal(header("[]", 1)),
              HasSubstr("study.jsonl:1: format: expected format 2 of Kiln's studies, found 1"));
  EXPECT_THAT(refusal(case_line("cpu", "a")), HasSubstr("study.jsonl:1: kind: expected study"));
  EXPECT_THAT(refusal(header() + result_line("cpu", 1)),
              HasSubstr("study.jsonl:2: cases[0].case: expected a case that a line above describes"));
  EXPECT_THAT(refusal(good + result_line("cpu", 1, "[1]")),
              HasSubstr("curves[0].seconds: expected a number for each"));
  EXPECT_THAT(refusal(good + "{\"kind\":\"visits\"}\n"),
              HasSubstr("study.jsonl:3: kind: expected study, case, visit"));
  EXPECT_THAT(refusal(good + "hello\n"), HasSubstr("study.jsonl:3:"));
  EXPECT_THAT(refusal(good + "{\"kind\":\"result\",\"section\":\"small\",\"device\":\"cpu\"}\n"),
              HasSubstr("expected a member 'cases'"));
}

}  // namespace
}  // namespace kiln
