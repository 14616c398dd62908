#include "report/timeline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/chrome_trace.h"
#include "kiln/error.h"
#include "support/fake_clock.h"
#include "support/memory_file_system.h"

namespace kiln {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class TimelineTest : public ::testing::Test {
 protected:
  Timeline read(const std::string& events) {
    files_.write_file("/run.json", "{\"traceEvents\": [" + events + "]}", false);
    return read_timeline(files_, "/run.json");
  }
  std::string error_of(const std::string& events) {
    try {
      static_cast<void>(read(events));
    } catch (const Error& error) {
      return error.what();
    }
    return "none";
  }

  test::FakeClock clock_;
  test::MemoryFileSystem files_{clock_};
};

constexpr const char* kSpans =
    R"({"ph":"M","name":"process_name","pid":1,"tid":2,"args":{"name":"kiln"}},
       {"ph":"M","name":"thread_name","pid":1,"tid":2,"args":{"name":"main"}},
       {"ph":"M","name":"thread_name","pid":1,"tid":3,"args":{"name":"main"}},
       {"ph":"X","name":"a","cat":"compile","pid":1,"tid":2,"ts":1000,"dur":500000},
       {"ph":"s","id":1,"cat":"code","name":"code","pid":1,"tid":2,"ts":1},
       {"ph":"X","name":"b","cat":"launch","pid":1,"tid":3,"ts":2000,"dur":250})";

TEST_F(TimelineTest, SpansStandOnTheLanesOfTheirThreads) {
  const Timeline timeline = read(kSpans);
  EXPECT_EQ(timeline.file, "run.json");
  EXPECT_THAT(timeline.lanes, ElementsAre("kiln: main", "kiln: main (2)"));
  ASSERT_EQ(timeline.spans.size(), 2U);
  EXPECT_EQ(timeline.spans[0].kind, "compile");
  EXPECT_DOUBLE_EQ(timeline.spans[0].begin, 0);
  EXPECT_DOUBLE_EQ(timeline.spans[0].seconds, 0.5);
  EXPECT_DOUBLE_EQ(timeline.spans[1].begin, 0.001);
  EXPECT_EQ(timeline.spans[1].lane, 1U);
}

TEST_F(TimelineTest, OfManySpansTheLongestAreKept) {
  std::string events;
  for (std::size_t i = 0; i < kMostTimelineSpans + 5; ++i)
    events += std::string(i > 0 ? "," : "") +
              R"({"ph":"X","name":"a","cat":"c","pid":1,"tid":1,"ts":0,"dur":)" + std::to_string(i) + "}";
  const Timeline timeline = read(events);
  EXPECT_EQ(timeline.spans.size(), kMostTimelineSpans);
  EXPECT_EQ(timeline.left_out, 5U);
  EXPECT_DOUBLE_EQ(timeline.spans.back().seconds, 5e-6);
}

TEST_F(TimelineTest, AFileThatIsNoTraceIsRefusedWithItsPlace) {
  EXPECT_THAT(error_of(R"({"ph":"X"})"), HasSubstr("run.json:1"));
  EXPECT_THAT(error_of(R"({"ph":"X","name":"a","cat":"c","pid":1,"tid":1,"ts":-4,"dur":1})"),
              HasSubstr("traceEvents[0].ts: expected microseconds from 0 on, found -4"));
  EXPECT_THAT(error_of(R"({"ph":"X","name":"a","cat":"c","pid":"x","tid":1,"ts":4,"dur":1})"),
              HasSubstr("pid"));
  files_.write_file("/run.json", "[]", false);
  EXPECT_THROW(static_cast<void>(read_timeline(files_, "/run.json")), Error);
}

TEST_F(TimelineTest, AnEmptyTraceHasNoSpans) {
  files_.write_file("/run.json", chrome_trace_json({}), false);
  EXPECT_TRUE(read_timeline(files_, "/run.json").spans.empty());
}

}  // namespace
}  // namespace kiln
