#include "tune/foreign_points.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/error_matchers.h"
#include "support/fake_clock.h"
#include "support/memory_file_system.h"

namespace kiln {
namespace {

using test::bad_input_of;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

class ForeignPointsTest : public testing::Test {
 protected:
  std::vector<ForeignPoint> read(const std::string& text) {
    files_.write_file("/points", text, false);
    return read_foreign_points(files_, "/points");
  }
  static WisdomRecord record(const std::string& block, double time, std::int64_t n = 1024) {
    WisdomRecord made;
    made.key = {"scale", "time", {"NVIDIA A100", "cuda", "sm_80", 108, 1555}, {}, {{"n", n}}};
    made.values = {{"block", block}, {"fast", "true"}, {"mode", "plain"}};
    made.result.time = {time, time, time};
    made.made.date = "2026-11-20";
    return made;
  }
  test::FakeClock clock_;
  test::MemoryFileSystem files_{clock_};
};

TEST_F(ForeignPointsTest, WhatIsWrittenIsReadBack) {
  for (const ForeignFormat format :
       {ForeignFormat::kKernelLauncher, ForeignFormat::kKernelTuner, ForeignFormat::kT4}) {
    const auto points = read(foreign_text({record("64", 2e-3), record("128", 3e-3)}, format));
    ASSERT_EQ(points.size(), 2U) << to_string(format);
    EXPECT_THAT(points[0].values,
                ElementsAre(Pair("block", "64"), Pair("fast", "true"), Pair("mode", "plain")));
    EXPECT_DOUBLE_EQ(points[0].seconds, 2e-3);
    EXPECT_DOUBLE_EQ(points[1].seconds, 3e-3);
    if (format == ForeignFormat::kT4) continue;  // says neither
    EXPECT_THAT(points[0].problem_size, ElementsAre(1024));
    EXPECT_EQ(points[0].device, "NVIDIA A100");
  }
}

TEST_F(ForeignPointsTest, WisdomOfKernelLauncherHasSizesAndDates) {
  const auto points = read(
      "# made by hand\n"
      R"({"version": "1.0", "objective": "time", "tunable_parameters": ["bx", "unroll"], "key": "k"})"
      "\n"
      R"({"config": [32, true], "problem_size": [10, 20], "time": 1.5, "environment": {"device_name": "A100", "date": "2026-01-02T03:04:05"}})"
      "\n");
  ASSERT_EQ(points.size(), 1U);
  EXPECT_THAT(points[0].values, ElementsAre(Pair("bx", "32"), Pair("unroll", "true")));
  EXPECT_THAT(points[0].problem_size, ElementsAre(10, 20));
  EXPECT_EQ(points[0].date, "2026-01-02T03:04:05");
}

TEST_F(ForeignPointsTest, KttHasUnitsAndFailedPoints) {
  const auto points = read(
      R"({"Metadata": {"Device": "RTX", "TimeUnit": "Microseconds"}, "Results": [)"
      R"({"Status": "CompilationFailed", "TotalDuration": 0, "Configuration": []},)"
      R"({"Status": "Ok", "TotalDuration": 250, "Configuration": [{"Name": "A", "ValueType": "UnsignedInt", "Value": 4}]}]})");
  ASSERT_EQ(points.size(), 1U);
  EXPECT_DOUBLE_EQ(points[0].seconds, 250e-6);
  EXPECT_EQ(points[0].device, "RTX");
  EXPECT_THAT(points[0].values, ElementsAre(Pair("A", "4")));
}

TEST_F(ForeignPointsTest, MistakesAreNamed) {
  const std::string head = R"({"version": "1.0", "tunable_parameters": ["a"], "key": "k"})"
                           "\n";
  EXPECT_THAT(bad_input_of([&] { read(head + R"({"config": [1, 2], "time": 1})"); }),
              HasSubstr("/points:2: config: expected 1 values"));
  EXPECT_THAT(bad_input_of([&] { read(head + R"({"config": [1], "time": -1})"); }),
              HasSubstr("a time above 0"));
  EXPECT_THAT(bad_input_of([&] { read(R"({"version": "2.0", "tunable_parameters": ["a"]})"); }),
              HasSubstr("expected version"));
  EXPECT_THAT(bad_input_of([&] { read(R"({"Metadata": {"TimeUnit": "Days"}, "Results": []})"); }),
              HasSubstr("Metadata.TimeUnit: expected Nanoseconds"));
  EXPECT_THAT(bad_input_of([&] { read("{}"); }), HasSubstr("expected a cache file of Kernel Tuner"));
  EXPECT_THAT(bad_input_of([&] { static_cast<void>(foreign_text({record("1", 1)}, ForeignFormat::kKtt)); }),
              HasSubstr("ktt is read, not written"));
  WisdomRecord other = record("1", 1);
  other.values.pop_back();
  EXPECT_THAT(bad_input_of([&] {
                static_cast<void>(foreign_text({record("1", 1), other}, ForeignFormat::kT4));
              }),
              HasSubstr("the records tune different parameters"));
}

}  // namespace
}  // namespace kiln
