#include "record/record_fields.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <limits>

#include "base/file.h"
#include "kiln/error.h"
#include "record/record_file.h"
#include "record/record_json.h"
#include "record/sample_records.h"
#include "support/error_matchers.h"
#include "support/recording_log.h"

namespace kiln {
namespace {

using ::testing::HasSubstr;

/// A record none of whose optional parts is absent.
Record full_record() {
  Record record = test::ok_record("block_x=128 bind.nx=run", 0.002);
  record.device.driver = "550.54";
  record.device.l2_bytes = 1 << 20;
  record.message = "a message with \"quotes\" and\na line end";
  record.log = "log";
  record.parameters.push_back({"flag", "true", true, false});
  record.units.front().note = "a note";
  LaunchUse& launch = record.launches.front();
  launch.step = "laplacian";
  launch.shape.cluster = {2, 1, 1};
  launch.shape.cooperative = true;
  launch.attributes.registers = 32;
  launch.attributes.static_shared_bytes = 1024;
  launch.attributes.local_bytes = 0;
  launch.attributes.max_threads_per_block = 1024;
  launch.occupancy = 0.75;
  record.clocks_before = DeviceClocks{1980, 2619, 1980, std::nullopt, {"power cap"}};
  record.clocks_after = DeviceClocks{};
  record.checks.push_back(test::check(false));
  record.metrics.push_back({"error", "", std::numeric_limits<double>::infinity(), false});
  record.seed = -5;
  record.launch_time_limit = 2.5;
  return record;
}

std::string refusal(const std::string& line) {
  try {
    static_cast<void>(record_from_json(line, "records.jsonl", 3));
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kBadInput);
    return error.what();
  }
  return "";
}

/// The JSON of the full record with `from` replaced.
std::string damaged(const std::string& from, const std::string& to) {
  std::string text = record_to_json(full_record());
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(RecordFields, WhatWasWrittenReadsBackTheSame) {
  for (const Record& record :
       {full_record(), test::ok_record("", 0.5), test::wrong_record("a"), test::uncompiled_record("b")}) {
    const std::string text = record_to_json(record);
    EXPECT_EQ(record_to_json(record_from_json(text, "f", 1)), text);
  }
}

TEST(RecordFields, EveryStatusReadsBack) {
  for (const auto& [status, word] : kWords<RunStatus>) {
    Record record = test::base_record("");
    record.status = status;
    EXPECT_EQ(record_from_json(record_to_json(record), "f", 1).status, status);
  }
}

TEST(RecordFields, DamageIsToldWithPlaceAndWhatWasExpected) {
  EXPECT_EQ(refusal(damaged("\"format\":1", "\"format\":2")),
            "records.jsonl:3: format: expected format 1 of Kiln's records, found 2");
  EXPECT_EQ(refusal("{\"name\":\"someone else's\"}"),
            "records.jsonl:3: expected a member 'format', found none");
  EXPECT_THAT(refusal(damaged("\"status\":\"ok\"", "\"status\":\"fine\"")),
              HasSubstr("status: expected one of ok, unchecked, wrong, compile failed"));
  EXPECT_THAT(refusal(damaged("\"grid\":[8,8,8]", "\"grid\":[8,8]")),
              HasSubstr("launches[0].grid: expected a list of three counts"));
  EXPECT_THAT(refusal(damaged("\"registers\":32", "\"registers\":-1")),
              HasSubstr("launches[0].attributes.registers: expected a whole number of at least 0, found -1"));
  EXPECT_THAT(refusal(damaged("\"bind\":\"compile\"", "\"bind\":\"never\"")),
              HasSubstr("parameters.T.bind: expected compile or run"));
  const std::string whole = record_to_json(full_record());
  EXPECT_THAT(refusal(whole.substr(0, whole.size() / 2)), HasSubstr("the text ends too early"));
  EXPECT_THAT(refusal("not json"), HasSubstr("records.jsonl:3:"));
}

TEST(RecordFields, AbsentMembersHaveTheirDefaults) {
  const Record record = record_from_json(
      R"({"format":1,"workload":"w","device":{"id":"cpu","name":"n","backend":"cpu","arch":"a"},"status":"ok"})",
      "f", 1);
  EXPECT_EQ(record.workload, "w");
  EXPECT_TRUE(record.launch_bounds);
  EXPECT_EQ(record.steps_per_sample, 1U);
  EXPECT_EQ(record.device.memory_bandwidth, 0);
  EXPECT_FALSE(record.step || record.clocks_before);
  EXPECT_THAT(record.launches, ::testing::IsEmpty());
}

TEST(RecordFields, MembersOfLaterVersionsArePassedOver) {
  const std::string line = damaged("\"format\":1", "\"format\":1,\"later\":{\"a\":[1]}");
  EXPECT_EQ(record_to_json(record_from_json(line, "f", 1)), record_to_json(full_record()));
}

TEST(RecordFields, WhatTellsTheVariantMustBeThere) {
  for (const char* name : {"workload", "device", "status"}) {
    const std::string key = std::string("\"") + name + "\":";
    EXPECT_THAT(refusal(damaged(key, "\"other\":")),
                HasSubstr(std::string("expected a member '") + name + "', found none"));
  }
}

TEST(RecordFields, ANumberThatDoesNotFitItsMemberIsRefused) {
  EXPECT_THAT(refusal(damaged("\"warp_size\":32", "\"warp_size\":4294967328")),
              HasSubstr("device.warp_size: expected a whole number of at most 2147483647"));
}

TEST(RecordFields, TheDeviceThatExpressionsSeeReadsBack) {
  Record record = full_record();
  record.device.memory_bandwidth = 4800;
  record.device.limits.max_shared_bytes_per_block = 232448;
  record.device.limits.max_block = {1024, 1024, 64};
  record.device.limits.cooperative = true;
  const Record read = record_from_json(record_to_json(record), "f", 1);
  EXPECT_EQ(read.device.memory_bandwidth, 4800);
  EXPECT_EQ(read.device.limits.max_shared_bytes_per_block, 232448U);
  EXPECT_EQ(read.device.limits.max_block, (Dim3{1024, 1024, 64}));
  EXPECT_TRUE(read.device.limits.cooperative);
}

/// Written before a record held the device's limits and bandwidth.
TEST(RecordFields, RecordsOfEarlierVersionsAreRead) {
  const auto path = std::filesystem::path(KILN_SOURCE_DIR) / "docs/data/h100/stencil7_double_512.jsonl";
  const auto files = make_real_file_system();
  test::RecordingLog log;
  const std::vector<Record> records = read_records(*files, std::vector<std::filesystem::path>{path}, log);
  ASSERT_FALSE(records.empty());
  EXPECT_THAT(log.warnings(), ::testing::IsEmpty());
  EXPECT_EQ(records.front().workload, "stencil7");
  EXPECT_GT(records.front().device.compute_units, 0);
  EXPECT_EQ(records.front().device.memory_bandwidth, 0);
  ASSERT_TRUE(records.front().step);
}

}  // namespace
}  // namespace kiln
