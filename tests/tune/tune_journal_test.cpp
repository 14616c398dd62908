#include "tune/tune_journal.h"

#include <gmock/gmock.h>

#include "support/error_matchers.h"
#include "support/fake_clock.h"
#include "support/memory_file_system.h"
#include "support/recording_log.h"

namespace kiln {
namespace {

using testing::HasSubstr;

constexpr const char* kHeader =
    R"({"event":"tune","format":1,"workload":"scale","names":["a"],"device":"Fake"})";

class TuneJournalTest : public ::testing::Test {
 protected:
  TuneJournalTest() { files_.make_directories("/out", false); }
  std::vector<JournalEvent> read(const std::string& text) {
    files_.write_file("/out/tune.jsonl", text, false);
    return journal_.read(log_);
  }
  std::string refused(const std::string& text) {
    return test::bad_input_of([&] { static_cast<void>(read(text)); });
  }

  test::FakeClock clock_;
  test::MemoryFileSystem files_{clock_};
  test::RecordingLog log_;
  TuneJournal journal_{files_, "/out"};
};

Evaluation evaluation() {
  SizeResult fast;
  fast.size = "n=8";
  fast.record = "2026-11-23T11:00:00Z";
  fast.cut = true;
  fast.least = 1e-3;
  fast.median = 2e-3;
  fast.low = 1.5e-3;
  fast.high = 2.5e-3;
  fast.metrics = {{"bandwidth", "GB/s", 12.5, true}};
  fast.largest_error = 1e-7;
  fast.registers = 32;
  SizeResult wrong;
  wrong.size = "n=9";
  wrong.status = RunStatus::kWrong;
  wrong.message = "y[3]";
  Evaluation evaluation;
  evaluation.label = "a=1";
  evaluation.values = {"1"};
  evaluation.identity = "abc";
  evaluation.sizes = {fast, wrong};
  evaluation.outcome = Outcome::failed(FailureKind::kWrong);
  evaluation.device_seconds = 0.5;
  return evaluation;
}

TEST_F(TuneJournalTest, ReadsBackWhatItWrote) {
  EXPECT_TRUE(journal_.read(log_).empty());
  journal_.append(JournalHeader{"1", "scale", "d", "s", {"a"}, "random", 7, "Fake", "x", "", "c"});
  journal_.append(JournalAsk{3, {{"1"}, {"2"}}});
  journal_.append(evaluation());
  Evaluation cut = evaluation();
  cut.outcome = Outcome::cut(2e-3);
  journal_.append(cut);
  journal_.append(JournalFinalist{"a=1", 2, 1, 3});
  journal_.append(JournalEnd{"3 evaluations", "a=1", 1, 2, 3});
  const auto events = journal_.read(log_);
  ASSERT_EQ(events.size(), 6U);
  const auto& header = std::get<JournalHeader>(events[0]);
  EXPECT_EQ(header.names, std::vector<std::string>{"a"});
  EXPECT_EQ(header.seed, 7U);
  EXPECT_EQ(header.driver, "");
  EXPECT_EQ(std::get<JournalAsk>(events[1]).points, (std::vector<std::vector<std::string>>{{"1"}, {"2"}}));
  const auto& outcome = std::get<Evaluation>(events[2]);
  EXPECT_EQ(outcome.outcome, Outcome::failed(FailureKind::kWrong));
  EXPECT_EQ(outcome.values, std::vector<std::string>{"1"});
  ASSERT_EQ(outcome.sizes.size(), 2U);
  EXPECT_TRUE(outcome.sizes[0].cut);
  EXPECT_EQ(outcome.sizes[0].low, 1.5e-3);
  EXPECT_EQ(outcome.sizes[0].metrics.front().value, 12.5);
  EXPECT_EQ(outcome.sizes[0].largest_error, 1e-7);
  EXPECT_EQ(outcome.sizes[1].status, RunStatus::kWrong);
  EXPECT_EQ(outcome.sizes[1].message, "y[3]");
  EXPECT_FALSE(outcome.sizes[1].largest_error);
  EXPECT_EQ(std::get<Evaluation>(events[3]).outcome, Outcome::cut(2e-3));
  EXPECT_EQ(std::get<JournalFinalist>(events[4]).high, 3);
  EXPECT_EQ(std::get<JournalEnd>(events[5]).wait_seconds, 3);
}

TEST_F(TuneJournalTest, LeavesOutWhatALaterVersionAddedAndLinesThatWereCutOff) {
  const std::string header = kHeader;
  EXPECT_EQ(read(header + "\n{\"event\":\"weather\",\"rain\":true}\n").size(), 1U);
  EXPECT_EQ(read(header + "\n{\"event\":\"ask\",\"wan").size(), 1U);
  EXPECT_TRUE(log_.contains("tune.jsonl:2: a crash cut this line off"));
}

TEST_F(TuneJournalTest, SaysWhereALineIsNone) {
  const std::string header = std::string(kHeader) + "\n";
  EXPECT_THAT(refused("{\"event\":\"ask\",\"wanted\":1,\"points\":[]}\n"),
              HasSubstr("/out/tune.jsonl:1: event: expected tune, as the first line's"));
  EXPECT_THAT(refused("{\"event\":\"tune\",\"format\":2}\n"), HasSubstr("format 1 of Kiln's journals"));
  EXPECT_THAT(refused(header + "nonsense\n"), HasSubstr("/out/tune.jsonl:2"));
  EXPECT_THAT(refused(header + "[1]\n"), HasSubstr("/out/tune.jsonl:2"));
  EXPECT_THAT(refused(header + "{\"event\":\"ask\",\"wanted\":\"all\",\"points\":[]}\n"),
              HasSubstr("/out/tune.jsonl:2: wanted"));
  EXPECT_THAT(refused(header + "{\"event\":\"outcome\",\"sizes\":[{\"status\":\"fine\"}]}\n"),
              HasSubstr("status"));
  EXPECT_THAT(refused(header + "{\"event\":\"outcome\",\"sizes\":[{\"status\":\"ok\",\"interval\":[1]}]}\n"),
              HasSubstr("interval"));
  EXPECT_THAT(refused(header + "{\"event\":\"outcome\",\"outcome\":{\"kind\":\"great\"}}\n"),
              HasSubstr("kind"));
  const auto with = [&](const std::string& outcome) {
    return refused(header +
                   R"({"event":"outcome","label":"a","values":["1"],"identity":"i","sizes":[],"outcome":)" +
                   outcome + "}\n");
  };
  EXPECT_THAT(with(R"({"kind":"value"})"), HasSubstr("tune.jsonl:2: outcome: expected a member 'value'"));
  EXPECT_THAT(with(R"({"kind":"value","value":0})"), HasSubstr("outcome.value: expected a number above 0"));
  EXPECT_THAT(with(R"({"kind":"cut","value":-1})"), HasSubstr("outcome.value: expected a number above 0"));
}

}  // namespace
}  // namespace kiln
