#include "report/page_data.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "report/device_records.h"
#include "report/sample_study.h"

namespace kiln {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using Json = nlohmann::json;

constexpr double kInfinite = std::numeric_limits<double>::infinity();

Json data_of(const std::vector<Record>& records) {
  const Portability report = compare_devices(records, {}, {});
  return Json::parse(page_data_json({records, report, {}, {}}));
}

Json data_of(const StudyReport& study) {
  const std::vector<StudyReport> studies = {study};
  return Json::parse(page_data_json({{}, {}, {}, studies}))["studies"][0];
}

TEST(PageData, RecordsHaveWhatFiltersAndPlotsNeed) {
  const Json data =
      data_of({test::result("ppwi=2 wg=64 m=<b>", "GPU", 5), test::result("ppwi=4 wg=64", "CPU", 7)});
  EXPECT_THAT(data["devices"], ElementsAre("GPU", "CPU"));
  const Json& record = data["records"][0];
  EXPECT_EQ(record["device"], "GPU");
  EXPECT_EQ(record["swept"], (Json{{"ppwi", 2}, {"wg", 64}}));
  EXPECT_EQ(record["step"][0], 0.001);
  EXPECT_EQ(record["metrics"][0]["value"], 5);
  EXPECT_EQ(record["block"], 0);
  EXPECT_EQ(record["status"], "ok");
}

TEST(PageData, ABlockNamesTheBestRecordOfEachDeviceOrWhyThereIsNone) {
  const std::vector<Record> records = {test::result("a", "GPU", 5), test::result("a", "GPU", 9),
                                       test::on_device(test::wrong_record("a"), "CPU", "cpu", 0),
                                       test::result("b", "CPU", 3)};
  const Json data = data_of(records);
  ASSERT_EQ(data["blocks"].size(), 1U);
  const Json& variants = data["blocks"][0]["variants"];
  ASSERT_EQ(variants.size(), 2U) << "without the line of the best ones";
  EXPECT_EQ(variants[0]["name"], "a");
  EXPECT_EQ(variants[0]["records"], (Json{1, nullptr}));
  EXPECT_EQ(variants[0]["states"][1], "wrong");
  EXPECT_EQ(variants[1]["records"], (Json{nullptr, 3}));
}

TEST(PageData, NumbersThatCannotBeDrawnAreLeftOut) {
  std::vector<Record> records = {test::result("a=inf", "GPU", 5)};
  records[0].step->ci_high = kInfinite;
  records[0].metrics[0].value = kInfinite;
  const Json data = data_of(records);
  EXPECT_TRUE(data["records"][0]["step"].is_null());
  EXPECT_TRUE(data["records"][0]["metrics"].empty());
  EXPECT_TRUE(data["records"][0]["swept"].empty());
}

TEST(PageData, NothingEndsTheElementThatItStandsIn) {
  const std::vector<Record> records = {test::result("</script><!--\x1b[31m", "GPU", 5)};
  const std::string text = page_data_json({records, compare_devices(records, {}, {}), {}, {}});
  EXPECT_THAT(text, Not(HasSubstr("<")));
  EXPECT_THAT(text, HasSubstr("\\u003c/script>\\u003c!--\\\\x1b[31m")) << "printable";
}

TEST(PageData, AStudyHasCasesRatiosAndAmortisation) {
  const Json study = data_of(test::study_report());
  EXPECT_EQ(study["cases"][2]["name"], "jit_specialised");
  EXPECT_EQ(study["cases"][2]["step"][0], 0.001);
  EXPECT_EQ(study["cases"][4]["failure"], "wrong");
  EXPECT_TRUE(study["cases"][4]["step"].is_null());
  ASSERT_EQ(study["ratios"].size(), 2U);
  EXPECT_EQ(study["ratios"][0]["marks"][0]["value"], (Json{1.1, 1.05, 1.15}));
  EXPECT_EQ(study["ratios"][1]["marks"][0]["label"], "jit_generic / aot_generic");
  EXPECT_THAT(study["amortisation"][0]["caption"].get<std::string>(),
              HasSubstr("Amortisation: speed-up over aot_generic"));
}

TEST(PageData, AmortisationIsTheTimeOfTheGenericKernelOverThatOfTheOther) {
  StudyReport report = test::study_report();
  report.amortisation[0].fast_math = true;
  report.amortisation[0].launches = {1, 1000};
  report.amortisation[0].curves = {{"jit_specialised fast_math", FirstWay::kCold, 4, 0.001, {}, {4, 5}},
                                   {"aot_generic fast_math", FirstWay::kAhead, 2, 0.008, {}, {2, 10}}};
  const Json plot = data_of(report)["amortisation"][0];
  EXPECT_THAT(plot["caption"].get<std::string>(),
              HasSubstr("Amortisation, fast-math: speed-up over aot_generic after"));
  EXPECT_EQ(plot["curves"][0]["ratios"], (Json{0.5, 2.0}));
  EXPECT_EQ(plot["curves"][0]["texts"][1], "jit_specialised, compiled now: 1000 launches in 5.00 s");
}

TEST(PageData, OfAStudyWhatIsNotFiniteIsLeftOut) {
  StudyReport report = test::study_report();
  report.constants[0].speedup.high = kInfinite;
  report.cases[0].step->high = kInfinite;
  report.amortisation[0].curves[1].seconds[0] = 0;
  const Json study = data_of(report);
  EXPECT_EQ(study["ratios"].size(), 1U) << "the control alone";
  EXPECT_EQ(study["cases"][0]["failure"], "not timed");
  EXPECT_TRUE(study["amortisation"][0]["curves"][1]["ratios"][0].is_null());
}

}  // namespace
}  // namespace kiln
