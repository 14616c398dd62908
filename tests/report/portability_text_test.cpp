#include "report/portability_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/process.h"
#include "base/text.h"
#include "report/device_records.h"

namespace kiln {
namespace {

using Json = nlohmann::json;
using test::result;
using ::testing::HasSubstr;
using ::testing::Not;

class PortabilityText : public ::testing::Test {
 protected:
  PortabilityText() {
    records_ = {result("block=64", "A", 100), result("block=256", "A", 80), result("block=64", "B", 50),
                test::on_device(test::wrong_record("block=256"), "B", "hip", 0)};
    report_ = compare_devices(records_, {}, {});
  }

  std::vector<Record> records_;
  Portability report_;
};

TEST_F(PortabilityText, TheTerminalShowsValuesEfficienciesAndMeans) {
  EXPECT_EQ(portability_to_terminal(report_, TextStyle{0, false, false}),
            "stencil7 T=double: effective_bandwidth, GB/s\n"
            "\n"
            " application                 |   A |  effi- |     B |  effi- | harmonic | arithmetic\n"
            "                             |     | ciency |       | ciency |     mean |       mean\n"
            "-----------------------------+-----+--------+-------+--------+----------+------------\n"
            " best variant of each device | 100 |  1.000 |    50 |  1.000 |    1.000 |      1.000\n"
            " block=64                    | 100 |  1.000 |    50 |  1.000 |    1.000 |      1.000\n"
            " block=256                   |  80 |  0.800 | wrong |  0.000 |    0.000 |      0.400\n");
}

TEST_F(PortabilityText, MarkdownIsATableForEachProblem) {
  const std::string text = portability_to_markdown(report_);
  EXPECT_THAT(text, HasSubstr("### stencil7 T=double: effective_bandwidth, GB/s\n\n| application"));
  EXPECT_THAT(text, HasSubstr("wrong"));
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
}

TEST_F(PortabilityText, CsvHasALineForEachApplicationAndDevice) {
  const std::vector<std::string> lines = split(portability_to_csv(report_), '\n');
  ASSERT_EQ(lines.size(), 8U) << "titles, three applications on two devices, and the end";
  EXPECT_EQ(
      lines[0],
      "workload,problem,figure,unit,higher_is,application,device,status,value,median_seconds,low_seconds,"
      "high_seconds,label,baseline,efficiency,harmonic_mean,arithmetic_mean\r");
  EXPECT_EQ(
      lines[5],
      "stencil7,T=double nx=64 scale=0.5,effective_bandwidth,GB/s,better,block=256,A,ok,80,0.001,0.00098,"
      "0.00102,block=256,100,0.8,0,0.4\r");
  EXPECT_EQ(lines[6],
            "stencil7,T=double nx=64 "
            "scale=0.5,effective_bandwidth,GB/s,better,block=256,B,wrong,,,,,,50,0,0,0.4\r");
}

TEST_F(PortabilityText, ARunOfSeveralDevicesIsCompared) {
  const TextStyle style{0, false, false};
  EXPECT_EQ(devices_text(records_, &style), portability_to_terminal(report_, style));
  EXPECT_EQ(devices_text(records_, nullptr), portability_to_markdown(report_));
  EXPECT_EQ(devices_text({records_[0], records_[1]}, &style), "") << "of one device";
  EXPECT_EQ(devices_text({}, &style), "");
}

TEST_F(PortabilityText, JsonHoldsEverything) {
  const Json json = Json::parse(portability_to_json(report_, {}));
  EXPECT_EQ(json["format"], 1);
  EXPECT_EQ(json["devices"], Json::array({"A", "B"}));
  EXPECT_EQ(json["baseline"], "best known");
  ASSERT_EQ(json["results"].size(), 3U);
  const Json& large = json["results"][2];
  EXPECT_EQ(large["application"], "block=256");
  EXPECT_EQ(large["problem"]["nx"], "64");
  EXPECT_EQ(large["figure"]["higher_is"], "better");
  EXPECT_EQ(large["devices"][0]["seconds"]["median"], 0.001);
  EXPECT_EQ(large["devices"][1]["status"], "wrong");
  EXPECT_TRUE(large["devices"][1]["value"].is_null());
  EXPECT_EQ(large["devices"][1]["efficiency"], 0.0);
  EXPECT_EQ(large["harmonic_mean"], 0.0);
  EXPECT_EQ(large["arithmetic_mean"], 0.4);
}

TEST_F(PortabilityText, WhatIsNotKnownIsNullAndEmpty) {
  const std::vector<Record> vendor = {result("", "A", 125)};
  const Portability report = compare_devices(records_, vendor, {});
  const Json best = Json::parse(portability_to_json(report, {}))["results"][0];
  EXPECT_TRUE(best["harmonic_mean"].is_null());
  EXPECT_TRUE(best["devices"][1]["baseline"].is_null());
  EXPECT_THAT(portability_to_terminal(report, TextStyle{}), HasSubstr("note: no reference for stencil7"));
  EXPECT_THAT(portability_to_markdown(report), HasSubstr("\n- no reference for stencil7"));
}

TEST_F(PortabilityText, JsonAgreesWithTheSchema) {
  const auto processes = make_process_runner();
  if (!processes->run({"python3", {"-c", "import jsonschema"}, "", ""}).ok()) {
    GTEST_SKIP() << "python3-jsonschema is not installed";
  }
  const std::string script =
      "import json, sys, jsonschema\n"
      "report = json.load(sys.stdin)\n"
      "check = jsonschema.Draft7Validator(json.load(open(sys.argv[1])))\n"
      "check.validate(report)\n"
      "report['results'][0]['devices'][0]['status'] = 'fine'\n"
      "assert not check.is_valid(report)\n";
  const auto schema = std::filesystem::path(KILN_SOURCE_DIR) / "schemas" / "report.schema.json";
  const ProcessResult result =
      processes->run({"python3", {"-c", script, schema.string()}, portability_to_json(report_, {}), ""});
  EXPECT_TRUE(result.ok()) << result.error;
}

}  // namespace
}  // namespace kiln
