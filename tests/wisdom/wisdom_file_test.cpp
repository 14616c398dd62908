#include "wisdom/wisdom_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <thread>

#include "base/scratch_folder.h"
#include "support/error_matchers.h"
#include "support/memory_file_system.h"
#include "support/small_workload.h"
#include "wisdom/wisdom_book.h"

namespace kiln {
namespace {

using test::bad_input_of;
using testing::ElementsAre;
using testing::HasSubstr;

WisdomRecord record(const std::string& block, double time, const std::string& date = "2026-11-22") {
  WisdomRecord made;
  made.key = {"scale", "time", {"NVIDIA H200", "cuda", "sm_90", 132, 4800}, {{"T", "float"}}, {{"n", 65536}}};
  made.values = {{"block", block}, {"mode", "a b\"c"}};
  made.result.time = {time, time * 0.99, time * 1.01};
  made.result.default_time = 5e-3;
  made.result.points = "412 of 1180";
  made.result.checked = 1.1e-6;
  made.made = {"0.9", "sha256:0f", "NVRTC 12.8", "570.86", date, "results/tune.jsonl"};
  return made;
}

std::vector<std::string> blocks(const std::vector<WisdomRecord>& records) {
  std::vector<std::string> found;
  for (const WisdomRecord& one : records)
    found.push_back(one.values.front().second + "#" + std::to_string(one.result.rank));
  return found;
}

TEST(WisdomFile, ReadsWhatItWrites) {
  const std::string text = wisdom_text(merge_wisdom({record("64", 4.31e-3)}));
  EXPECT_EQ(
      text,
      "# Points that were found to be fast; `kiln wisdom list` shows them, `kiln run --wisdom` uses them.\n"
      "- key:    {workload: scale, objective: time, device: {name: \"NVIDIA H200\", backend: cuda, arch: "
      "sm_90, "
      "units: 132, bandwidth: 4800}, types: {T: float}, size: {n: 65536}}\n"
      "  values: {block: 64, mode: \"a b\\\"c\"}\n"
      "  result: {time: [4.31 ms, 4.2669 ms, 4.3531 ms], default: 5 ms, rank: 1, points: \"412 of 1180\", "
      "checked: 1.1e-06}\n"
      "  made:   {kiln: 0.9, source: \"sha256:0f\", compiler: \"NVRTC 12.8\", driver: 570.86, date: "
      "2026-11-22, "
      "journal: \"results/tune.jsonl\"}\n");
  EXPECT_EQ(wisdom_text(merge_wisdom(parse_wisdom(text, "w.yaml"))), text);
}

TEST(WisdomFile, KeepsTheBestFiveOfAKeyInWhateverOrderTheyCome) {
  std::vector<WisdomRecord> records;
  for (int i = 0; i < 8; ++i) records.push_back(record(std::to_string(32 + i), 1e-3 * (8 - i)));
  const auto merged = merge_wisdom(records);
  EXPECT_THAT(blocks(merged), ElementsAre("39#1", "38#2", "37#3", "36#4", "35#5"));
  std::vector<WisdomRecord> other(records.rbegin(), records.rend());
  other.insert(other.end(), merged.begin(), merged.end());
  EXPECT_EQ(wisdom_text(merge_wisdom(other)), wisdom_text(merged));
  EXPECT_EQ(wisdom_text(merge_wisdom(merged)), wisdom_text(merged));
}

TEST(WisdomFile, ALaterMeasurementOfAPointReplacesAnEarlierOne) {
  const auto merged = merge_wisdom({record("64", 1e-3, "2026-11-20"), record("64", 2e-3, "2026-11-22"),
                                    record("32", 1.5e-3, "2026-11-21")});
  EXPECT_THAT(blocks(merged), ElementsAre("32#1", "64#2"));
}

TEST(WisdomFile, MistakesAreNamedWithTheirPlace) {
  const auto refusal = [](const std::string& text) {
    return bad_input_of([&] { static_cast<void>(parse_wisdom(text, "w.yaml")); });
  };
  const std::string device = "device: {name: a, backend: cuda, arch: sm_90}";
  EXPECT_THAT(refusal("key: 1\n"), HasSubstr("w.yaml:1:1: expected a list of records"));
  EXPECT_THAT(refusal("- {key: {workload: w, " + device + "}, value: {a: 1}}\n"),
              HasSubstr("did you mean 'values'?"));
  EXPECT_THAT(
      refusal("- {key: {workload: w, device: {name: a, backend: cuad, arch: x}}, values: {a: 1}, result: "
              "{time: 1 ms}}\n"),
      HasSubstr("w.yaml:1:50: [0].key.device.backend: unknown back end 'cuad'; did you mean 'cuda'?"));
  const auto with = [&](const std::string& rest) {
    return "- {key: {workload: w, " + device + "}, " + rest + "}\n";
  };
  EXPECT_THAT(refusal(with("values: {}, result: {time: 1 ms}")), HasSubstr("expected at least one value"));
  EXPECT_THAT(refusal(with("values: {a: 1}, result: {time: 0 ms}")),
              HasSubstr("expected more than 0; found '0 ms'"));
  EXPECT_THAT(refusal(with("values: {a: 1}, result: {time: []}")), HasSubstr("expected one to three times"));
  EXPECT_THAT(refusal(with("values: {a: 1}, result: {time: 1 ms}, made: {date: yesterday}")),
              HasSubstr("expected a day such as 2026-11-22"));
  EXPECT_THAT(
      refusal("- {key: {workload: w, " + device + ", size: {n: 0}}, values: {a: 1}, result: {time: 1 ms}}\n"),
      HasSubstr("expected a size of at least 1"));
  for (const char* values : {"{\"a\\x01\": 1}", "{a: \"\\n\"}", "{a: \"\xe0\x9a\"}"}) {
    EXPECT_THAT(refusal(with(std::string("values: ") + values + ", result: {time: 1 ms}")),
                HasSubstr("without control characters, in UTF-8"))
        << values;
  }
}

TEST(WisdomFile, ProcessesThatUpdateAFileLoseNothingOfEachOther) {
  const auto files = make_real_file_system();
  const ScratchFolder scratch = make_scratch_folder(*files, temporary_folder(), "kiln-wisdom-");
  const std::filesystem::path file = scratch.get().path / "deep" / wisdom_file_name("scale");
  std::vector<std::thread> writers;
  for (int writer = 0; writer < 4; ++writer) {
    writers.emplace_back([&, writer] {
      for (int i = 0; i < 5; ++i) {
        WisdomRecord one = record("64", 1e-3);
        one.key.size.front().second = 1 + writer * 5 + i;
        update_wisdom_file(*files, file, {one});
      }
    });
  }
  for (std::thread& writer : writers) writer.join();
  EXPECT_EQ(read_wisdom_file(*files, file).size(), 20U);
}

class RecordingWarnings final : public Log {
 public:
  void write(LogLevel, const std::string& message) override { messages.push_back(message); }
  std::vector<std::string> messages;
};

class WisdomBookTest : public testing::Test {
 protected:
  std::vector<WisdomRecord> load(const std::vector<WisdomSource>& sources) {
    const WisdomBook book(disk_.files, sources, "scale", log_);
    std::vector<WisdomRecord> records;
    for (std::size_t i = 0; i < book.keys().size(); ++i) {
      for (const WisdomRecord& one : book.records(i)) records.push_back(one);
    }
    return records;
  }
  void write(const std::string& folder, const std::vector<WisdomRecord>& records) {
    disk_.files.make_directories(folder, false);
    disk_.files.write_file(folder + "/scale.wisdom.yaml", wisdom_text(records), false);
  }
  test::SmallDisk disk_;
  RecordingWarnings log_;
};

TEST_F(WisdomBookTest, FoldersAreMerged) {
  write("/jobs", {record("64", 4e-3)});
  write("/home/me", {record("32", 3e-3)});
  write("/site", {record("128", 5e-3)});
  write("/kernels/scale", {record("256", 1e-3)});
  const auto sources = usual_wisdom(*disk_.workload(), "/jobs/job.yaml", {"/home/me", {"/site", "/nowhere"}});
  EXPECT_THAT(blocks(load(sources)), ElementsAre("256#1", "32#2", "64#3", "128#4"));
  EXPECT_TRUE(log_.messages.empty());
}

TEST_F(WisdomBookTest, WhatOthersMayWriteOrIsDamagedIsLeftOutAndSaid) {
  write("/jobs", {record("64", 4e-3)});
  disk_.files.set_mode("/jobs/scale.wisdom.yaml", 0666);
  write("/home/me", {record("32", 3e-3)});
  disk_.files.write_file("/home/me/scale.wisdom.yaml", "- {key: 1}\n", false);
  EXPECT_TRUE(load(usual_wisdom(*disk_.workload(), "/jobs/job.yaml", {"/home/me", {}})).empty());
  EXPECT_THAT(
      log_.messages,
      ElementsAre(HasSubstr("'/jobs/scale.wisdom.yaml' is not used: it may be written to by anyone"),
                  HasSubstr("'/home/me/scale.wisdom.yaml' is not used: /home/me/scale.wisdom.yaml:1:")));
}

TEST_F(WisdomBookTest, OnlyTheDamagedRecordOfAFileThatKilnWroteIsLeftOut) {
  WisdomRecord other = record("32", 3e-3);
  other.key.size = {{"n", 7}};
  std::string text = wisdom_text(merge_wisdom({record("64", 4e-3), other}));
  text.replace(text.find("time: [4 ms"), 11, "time: [-4 ms");
  disk_.files.make_directories("/home/me", false);
  disk_.files.write_file("/home/me/scale.wisdom.yaml", text, false);
  EXPECT_THAT(blocks(load(usual_wisdom(*disk_.workload(), "", {"/home/me", {}}))), ElementsAre("32#1"));
  EXPECT_THAT(log_.messages,
              ElementsAre(HasSubstr("/home/me/scale.wisdom.yaml:4:19: [0].result.time[0]: expected")));
}

TEST_F(WisdomBookTest, AFileThatTheUserNamesIsTakenOrRefused) {
  write("/jobs", {record("64", 4e-3)});
  disk_.files.set_owner("/jobs/scale.wisdom.yaml", 12345);
  EXPECT_EQ(load({named_wisdom(disk_.files, "/jobs/scale.wisdom.yaml", {})}).size(), 1U);
  EXPECT_EQ(load({named_wisdom(disk_.files, "/jobs", {})}).size(), 1U);
  EXPECT_EQ(load({named_wisdom(disk_.files, "scale.wisdom.yaml", {"/jobs/job.yaml", 3, 1})}).size(), 1U);
  EXPECT_THAT(bad_input_of([&] {
                static_cast<void>(named_wisdom(disk_.files, "/job", {"j.yaml", 3, 9}));
              }),
              HasSubstr("j.yaml:3:9: wisdom: no such file or folder: '/job'"));
}

TEST_F(WisdomBookTest, TheDigestFollowsKernelTextsAndHeaders) {
  const std::string before = wisdom_source_digest(*disk_.workload(), disk_.files);
  EXPECT_EQ(before, wisdom_source_digest(*disk_.workload(), disk_.files));
  disk_.files.write_file("/kernels/scale/scale.h", "int a;", false);
  EXPECT_NE(before, wisdom_source_digest(*disk_.workload(), disk_.files));
}

}  // namespace
}  // namespace kiln
