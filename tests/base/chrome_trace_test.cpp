#include "base/chrome_trace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/fake_clock.h"
#include "support/memory_file_system.h"
#include "support/trace_reading.h"

namespace kiln {
namespace {

using test::FakeClock;
using test::MemoryFileSystem;
using test::TraceReading;
using testing::ElementsAre;

TEST(ChromeTrace, OuterSpansComeBeforeInnerOnesAlsoOfTheSameTimes) {
  FakeClock clock;
  Trace trace(clock, true, {});
  {
    const TraceSpan outer(&trace, TraceKind::kVariant, "n=1");
    {
      const TraceSpan same(&trace, TraceKind::kVerify);
      const TraceSpan inner(&trace, TraceKind::kGet);
      clock.advance(1.5e-6);
    }
    {
      const TraceSpan later(&trace, TraceKind::kLaunch);
      clock.advance(1e-9);
    }
  }
  const TraceReading reading(chrome_trace_json(trace.content()));
  reading.expect_sound();
  std::vector<std::string> names;
  for (const auto& event : reading.events("X")) names.push_back(event.at("name"));
  EXPECT_THAT(names, ElementsAre("variant n=1", "verify", "get", "launch"));
  EXPECT_EQ(reading.spans("get").at(0).at("dur"), 1.5);
  EXPECT_EQ(reading.spans("launch").at(0).at("ts"), 1.5);
  EXPECT_EQ(reading.spans("launch").at(0).at("dur"), 0.001);
  EXPECT_EQ(reading.lines().size(), 1U);
  EXPECT_EQ(reading.lines().begin()->second, "kiln/main");
}

TEST(ChromeTrace, TextsOfAnyBytesAreValidJson) {
  const FakeClock clock;
  Trace trace(clock, true, {});
  {
    TraceSpan span(&trace, TraceKind::kCompile, "\"quoted\" \xff\n");
    span.add("more", "\x80\\");
  }
  const TraceReading reading(chrome_trace_json(trace.content()));
  EXPECT_THAT(reading.names("compile"), ElementsAre("compile \"quoted\" \xEF\xBF\xBD\n"));
}

TEST(ChromeTrace, FlowsGoFromTheEndOfTheirBeginToTheOthers) {
  FakeClock clock;
  Trace trace(clock, true, {});
  const std::uint64_t id = flow_of("code");
  EXPECT_EQ(id, flow_of("code"));
  EXPECT_NE(id, flow_of("other code"));
  for (const auto phase : {TraceFlow::Phase::kBegin, TraceFlow::Phase::kNext, TraceFlow::Phase::kEnd}) {
    TraceSpan span(&trace, TraceKind::kGet);
    span.flow({id, phase});
    clock.advance(1e-6);
  }
  const TraceReading reading(chrome_trace_json(trace.content()));
  reading.expect_sound();
  EXPECT_EQ(reading.events("s").at(0).at("id"), id);
  EXPECT_EQ(reading.events("s").at(0).at("ts"), 0.999);
  EXPECT_EQ(reading.events("t").at(0).at("ts"), 1);
  EXPECT_EQ(reading.events("f").at(0).at("ts"), 2);
  EXPECT_EQ(reading.events("f").at(0).at("bp"), "e");
}

TEST(ChromeTrace, FlowsOfCodeThatNobodyMadeAreLeftOut) {
  const FakeClock clock;
  Trace trace(clock, true, {});
  {
    TraceSpan span(&trace, TraceKind::kLoad);
    span.flow({flow_of("code"), TraceFlow::Phase::kNext});
  }
  const TraceReading reading(chrome_trace_json(trace.content()));
  EXPECT_EQ(reading.spans("load").size(), 1U);
  EXPECT_TRUE(reading.events("t").empty());
}

TEST(ChromeTrace, TheFileTellsWhatIsMissingAndHowExactItIs) {
  const FakeClock clock;
  Trace trace(clock, true, {}, 0);
  { const TraceSpan span(&trace, TraceKind::kWait); }
  trace.count_unplaced(3);
  trace.note_uncertainty("cuda:0", 4200);
  trace.note_uncertainty("cuda:0", 100);
  const TraceReading reading(chrome_trace_json(trace.content()));
  EXPECT_EQ(reading.facts().at("dropped_spans"), 1);
  EXPECT_EQ(reading.facts().at("launches_without_device_time"), 3);
  EXPECT_EQ(reading.facts().at("device_clock_uncertainty_us").at("cuda:0"), 4.2);
  EXPECT_EQ(reading.facts().at("begin"), "2026-01-01T00:00:00.000Z");
  EXPECT_TRUE(reading.events("X").empty());
}

TEST(ChromeTrace, AWriteThatFailsLeavesTheOldFileAndNothingElse) {
  const FakeClock clock;
  MemoryFileSystem files(clock);
  files.make_directories("/out", false);
  files.write_file("/out/t.json", "old", false);
  files.set_full(true);
  EXPECT_THROW(write_chrome_trace(files, "/out/t.json", {}), std::filesystem::filesystem_error);
  EXPECT_EQ(files.read_file("/out/t.json"), "old");
  EXPECT_THAT(files.files_below("/out"), ElementsAre("/out/t.json"));
  files.set_full(false);
  write_chrome_trace(files, "/out/t.json", {});
  EXPECT_TRUE(TraceReading(*files.read_file("/out/t.json")).events("X").empty());
  EXPECT_THAT(files.files_below("/out"), ElementsAre("/out/t.json"));
}

}  // namespace
}  // namespace kiln
