#include "report/ceilings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/process.h"
#include "report/device_records.h"
#include "support/error_matchers.h"
#include "support/fake_clock.h"
#include "support/memory_file_system.h"

namespace kiln {
namespace {

using ::testing::HasSubstr;

Record rate(const std::string& label, const std::string& precision, std::vector<MetricValue> metrics) {
  Record record = test::with(test::result(label, "GPU", 0), "T", precision);
  record.metrics = std::move(metrics);
  return record;
}

std::vector<Record> measured() {
  Record copy =
      rate("T=float block=64", "float", {{"copy", "GB/s", 900, true}, {"fma", "GFLOP/s", 60, true}});
  copy.launches.front().step = "copy";
  copy.launches.front().seconds = Summary{10, 1, 2, 2, 3, 0, 1.6, 2.5};
  Record wrong = test::wrong_record("");
  wrong.metrics = {{"copy", "GB/s", 1e9, true}};
  return {copy,
          rate("T=float block=128", "float", {{"copy", "GB/s", 800, true}, {"fma", "GFLOP/s", 66, true}}),
          rate("T=double", "double", {{"fma", "GFLOP/s", 33, true}, {"duration", "ms", 5, false}}), wrong};
}

TEST(Ceilings, TheHighestOfEachRateAndPrecision) {
  const DeviceCeilings device = ceilings_of(measured());
  EXPECT_EQ(device.device_name, "GPU");
  ASSERT_EQ(device.ceilings.size(), 3U);
  EXPECT_EQ(device.ceilings[0].name, "copy");
  EXPECT_EQ(device.ceilings[0].value, 900);
  EXPECT_EQ(device.ceilings[0].label, "T=float block=64");
  EXPECT_EQ(device.ceilings[0].low, 900 * 2 / 2.5);
  EXPECT_EQ(device.ceilings[0].high, 900 * 2 / 1.6);
  EXPECT_EQ(device.ceilings[1].name, "fma float");
  EXPECT_EQ(device.ceilings[1].value, 66);
  EXPECT_EQ(device.ceilings[2].name, "fma double");
  EXPECT_EQ(device.ceilings[2].value, 33);
}

class CeilingsFile : public ::testing::Test {
 protected:
  std::string refused(const std::string& text) {
    files_.write_file("/c.json", text, false);
    return test::bad_input_of([&] { static_cast<void>(read_ceilings(files_, "/c.json")); });
  }

  test::FakeClock clock_;
  test::MemoryFileSystem files_{clock_};
};

TEST_F(CeilingsFile, ReadsBackWhatWasWritten) {
  const std::string text = ceilings_to_json(ceilings_of(measured()));
  files_.write_file("/c.json", text, false);
  EXPECT_EQ(ceilings_to_json(read_ceilings(files_, "/c.json")), text);
}

TEST_F(CeilingsFile, DamageIsToldWithItsPlace) {
  std::string text = ceilings_to_json(ceilings_of(measured()));
  EXPECT_THAT(refused("{\n\"format\": 1,\n"),
              HasSubstr("/c.json:3:1: expected JSON: the text ends too early"));
  EXPECT_THAT(refused("{\"format\": 3}"), HasSubstr("format: expected format 1 of Kiln's ceilings, found 3"));
  std::string infinite = text;
  infinite.replace(infinite.find("900.0"), 5, "\"inf\"");
  EXPECT_THAT(refused(infinite), HasSubstr("ceilings[0].value: expected a number above 0, found \"inf\""));
  text.replace(text.find("GB/s"), 4, "MB/s");
  EXPECT_THAT(refused(text), HasSubstr("ceilings[0].unit: expected GB/s or GFLOP/s, found \"MB/s\""));
}

TEST_F(CeilingsFile, AgreesWithTheSchema) {
  const auto processes = make_process_runner();
  if (!processes->run({"python3", {"-c", "import jsonschema"}, "", ""}).ok()) {
    GTEST_SKIP() << "python3-jsonschema is not installed";
  }
  const std::string script =
      "import json, sys, jsonschema\n"
      "ceilings = json.load(sys.stdin)\n"
      "check = jsonschema.Draft7Validator(json.load(open(sys.argv[1])))\n"
      "check.validate(ceilings)\n"
      "ceilings['ceilings'][0]['unit'] = 'MB/s'\n"
      "assert not check.is_valid(ceilings)\n";
  const auto schema = std::filesystem::path(KILN_SOURCE_DIR) / "schemas" / "ceilings.schema.json";
  const ProcessResult result = processes->run(
      {"python3", {"-c", script, schema.string()}, ceilings_to_json(ceilings_of(measured())), ""});
  EXPECT_TRUE(result.ok()) << result.error;
}

}  // namespace
}  // namespace kiln
