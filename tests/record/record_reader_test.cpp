#include "record/record_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "kiln/error.h"
#include "record/record_json.h"
#include "record/sample_records.h"
#include "support/error_matchers.h"
#include "support/fake_clock.h"
#include "support/memory_file_system.h"
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

TEST(RecordReader, WhatWasWrittenReadsBackTheSame) {
  for (const Record& record :
       {full_record(), test::ok_record("", 0.5), test::wrong_record("a"), test::uncompiled_record("b")}) {
    const std::string text = record_to_json(record);
    EXPECT_EQ(record_to_json(record_from_json(text, "f", 1)), text);
  }
}

TEST(RecordReader, EveryStatusReadsBack) {
  for (const auto& [status, word] : kWords<RunStatus>) {
    Record record = test::base_record("");
    record.status = status;
    EXPECT_EQ(record_from_json(record_to_json(record), "f", 1).status, status);
  }
}

TEST(RecordReader, DamageIsToldWithPlaceAndWhatWasExpected) {
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

class RecordFiles : public ::testing::Test {
 protected:
  void write(const std::string& path, const std::string& text) {
    files_.make_directories(std::filesystem::path(path).parent_path(), false);
    files_.write_file(path, text, false);
  }

  std::string read_refused(const std::string& path) {
    return test::bad_input_of([&] { static_cast<void>(read_records(files_, {path}, log_)); });
  }

  test::FakeClock clock_;
  test::MemoryFileSystem files_{clock_};
  test::RecordingLog log_;
};

TEST_F(RecordFiles, AreReadInTheOrderInWhichTheyAreNamed) {
  const auto line = [](const char* label) { return record_to_json(test::ok_record(label, 1)) + "\n"; };
  write("/r/b/records.jsonl", line("b1") + "\n" + line("b2"));
  write("/single.jsonl", line("s"));
  std::vector<std::string> labels;
  for (const Record& record : read_records(files_, {"/single.jsonl", "/r/b/records.jsonl"}, log_))
    labels.push_back(record.label);
  EXPECT_THAT(labels, ::testing::ElementsAre("s", "b1", "b2"));
}

TEST_F(RecordFiles, LinesThatCrashesCutOffAreWarningsAndHideNothing) {
  const auto line = [](const char* label) { return record_to_json(test::ok_record(label, 1)); };
  write("/r/records.jsonl", line("a") + "\n" + line("torn").substr(0, 40) + "\n" + line("torn").substr(0, 9) +
                                line("b") + "\n" + std::string(20, '\0') + line("c") + "\n" + line("d") +
                                "\n{\"form");
  std::vector<std::string> labels;
  for (const Record& record : read_records(files_, {"/r/records.jsonl"}, log_))
    labels.push_back(record.label);
  EXPECT_THAT(labels, ::testing::ElementsAre("a", "b", "c", "d"));
  EXPECT_THAT(log_.warnings(),
              ::testing::ElementsAre(HasSubstr("records.jsonl:2: a crash cut this line off"),
                                     HasSubstr("records.jsonl:3:"), HasSubstr("records.jsonl:4:"),
                                     HasSubstr("records.jsonl:6:")));
}

TEST_F(RecordFiles, WhatIsNotThereOrNoRecordIsNamed) {
  EXPECT_THAT(read_refused("/nothing"), HasSubstr("/nothing"));
  write("/bad/records.jsonl", record_to_json(test::ok_record("", 1)) + "\n{\n");
  EXPECT_THAT(read_refused("/bad/records.jsonl"), HasSubstr("/bad/records.jsonl:2:2: expected JSON"));
}

}  // namespace
}  // namespace kiln
