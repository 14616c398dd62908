#include "base/trace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <latch>
#include <thread>

#include "support/fake_clock.h"

namespace kiln {
namespace {

using test::FakeClock;
using testing::ElementsAre;
using testing::Pair;

std::vector<std::string> names_of(const std::vector<TraceEvent>& events) {
  std::vector<std::string> names;
  for (const TraceEvent& event : events) names.push_back(event.label->name);
  return names;
}

std::size_t count_of(const TraceContent& content) {
  std::size_t count = 0;
  for (const auto& [track, events] : content.tracks) count += events.size();
  return count;
}

class RecordingRanges : public RangeSink {
 public:
  explicit RecordingRanges(std::vector<std::string>& told) : told_(told) {}
  void push(const char* name) noexcept override { told_.push_back("+" + std::string(name)); }
  void pop() noexcept override { told_.emplace_back("-"); }

 private:
  std::vector<std::string>& told_;
};

TEST(Trace, ASpanHasItsTimesItsNameAndWhatIsAdded) {
  FakeClock clock;
  clock.advance(5);
  Trace trace(clock, true, {});
  clock.advance(1);
  {
    TraceSpan span(&trace, TraceKind::kCompile, "axpy.cu");
    clock.advance(2);
    span.add("bytes", std::size_t{7});
    span.add("ok", true);
    span.add("target", "sm_90");
  }
  const TraceContent content = trace.content();
  ASSERT_EQ(content.tracks.size(), 1U);
  EXPECT_EQ(content.tracks[0].first.thread_name, "main");
  ASSERT_EQ(content.tracks[0].second.size(), 1U);
  const TraceEvent& event = content.tracks[0].second[0];
  EXPECT_EQ(event.begin_ns - content.begin_ns, 1'000'000'000);
  EXPECT_EQ(event.end_ns - event.begin_ns, 2'000'000'000);
  EXPECT_EQ(event.label->name, "compile axpy.cu");
  EXPECT_THAT(event.label->arguments,
              ElementsAre(Pair("bytes", TraceValue(std::int64_t{7})), Pair("ok", TraceValue(true)),
                          Pair("target", TraceValue(std::string("sm_90")))));
}

TEST(Trace, ASpanThatAnExceptionEndsSaysSo) {
  const FakeClock clock;
  Trace trace(clock, true, {});
  try {
    const TraceSpan span(&trace, TraceKind::kLoad);
    throw 1;
  } catch (int) {
  }
  EXPECT_THAT(trace.content().tracks.at(0).second.at(0).label->arguments,
              ElementsAre(Pair("failed", TraceValue(true))));
}

TEST(Trace, WithoutATraceNothingHappens) {
  TraceSpan span(nullptr, TraceKind::kLoad, "x");
  span.add("bytes", 3);
  EXPECT_FALSE(span);
}

TEST(Trace, RangesNestAsTheSpansDoAlsoWhenNothingIsRecorded) {
  const FakeClock clock;
  std::vector<std::string> told;
  std::vector<std::unique_ptr<RangeSink>> sinks;
  sinks.push_back(std::make_unique<RecordingRanges>(told));
  Trace trace(clock, false, std::move(sinks));
  {
    const TraceSpan variant(&trace, TraceKind::kVariant, "n=1");
    const TraceSpan launch(&trace,
                           std::make_shared<const TraceLabel>(make_label(TraceKind::kLaunch, "axpy")));
  }
  EXPECT_THAT(told, ElementsAre("+variant n=1", "+launch axpy", "-", "-"));
  EXPECT_EQ(count_of(trace.content()), 0U);
}

TEST(Trace, WhatFindsNoRoomIsCountedAndFramesFindRoomLonger) {
  const FakeClock clock;
  Trace trace(clock, true, {}, 4);
  for (int i = 0; i < 6; ++i) const TraceSpan span(&trace, TraceKind::kWait);
  const TraceContent full = trace.content();
  EXPECT_EQ(count_of(full), 4U);
  EXPECT_EQ(full.dropped, 2U);
  for (int i = 0; i < 3; ++i) const TraceSpan span(&trace, TraceKind::kVariant, std::to_string(i));
  const TraceContent fuller = trace.content();
  EXPECT_THAT(names_of(fuller.tracks.at(0).second), ElementsAre("wait", "wait", "wait", "wait", "variant 0"));
  EXPECT_EQ(fuller.dropped, 4U);
}

TEST(Trace, AThreadHasALineOfItsOwnAndLeavesItToALaterOne) {
  const FakeClock clock;
  Trace trace(clock, true, {});
  const auto work = [&](const char* subject) {
    trace.name_thread("worker");
    const TraceSpan span(&trace, TraceKind::kCompile, subject);
  };
  std::thread(work, "a").join();
  std::thread(work, "b").join();
  const TraceContent content = trace.content();
  ASSERT_EQ(content.tracks.size(), 2U);  // with that of this thread, which made the trace
  EXPECT_EQ(content.tracks[1].first.thread_name, "worker");
  EXPECT_THAT(names_of(content.tracks[1].second), ElementsAre("compile a", "compile b"));
}

TEST(Trace, ASpanThatBeganBesideAnotherDoesNotTakeItsLine) {
  FakeClock clock;
  Trace trace(clock, true, {}, 100);
  std::latch first_open(1), second_open(1), first_gone(1);
  std::thread first([&] {
    const TraceSpan span(&trace, TraceKind::kGet, "first");
    first_open.count_down();
    second_open.wait();
  });
  std::thread second([&] {
    first_open.wait();
    const TraceSpan span(&trace, TraceKind::kGet, "second");
    second_open.count_down();
    first_gone.wait();
  });
  first.join();
  first_gone.count_down();
  second.join();
  for (const auto& [track, events] : trace.content().tracks) EXPECT_LE(events.size(), 1U) << track.thread;
  EXPECT_EQ(count_of(trace.content()), 2U);
}

TEST(Trace, TwoTracesOfOneThreadDoNotMix) {
  const FakeClock clock;
  Trace first(clock, true, {});
  {
    Trace second(clock, true, {});
    for (int i = 0; i < 3; ++i) {
      const TraceSpan a(&first, TraceKind::kGet, "first");
      const TraceSpan b(&second, TraceKind::kGet, "second");
    }
    EXPECT_THAT(names_of(second.content().tracks.at(0).second), testing::Each("get second"));
    EXPECT_EQ(count_of(second.content()), 3U);
  }
  const Trace third(clock, true, {});  // perhaps where the second one was
  EXPECT_EQ(count_of(third.content()), 0U);
  EXPECT_THAT(names_of(first.content().tracks.at(0).second), testing::Each("get first"));
  EXPECT_EQ(count_of(first.content()), 3U);
}

TEST(Trace, EventsOfOtherTracksAreThere) {
  const FakeClock clock;
  Trace trace(clock, true, {});
  const std::int64_t process = trace.process_for("gpu");
  EXPECT_GT(process, 1 << 22);
  EXPECT_EQ(trace.process_for("gpu"), process);
  EXPECT_NE(trace.process_for("other"), process);
  const std::size_t track = trace.track({process, "gpu", 1, "stream"});
  EXPECT_EQ(trace.track({process, "gpu", 1, "stream"}), track);
  trace.add({std::make_shared<const TraceLabel>(TraceLabel{TraceKind::kKernel, "axpy"}), 1, 2, track});
  const TraceContent content = trace.content();
  ASSERT_EQ(content.tracks.size(), 2U);
  EXPECT_EQ(content.tracks[1].first.process_name, "gpu");
  EXPECT_THAT(names_of(content.tracks[1].second), ElementsAre("axpy"));
}

/// Under the thread sanitizer this shows that nothing is shared without order.
TEST(Trace, ManyThreadsRecordWhileOneReads) {
  constexpr std::size_t kThreads = 4;
  constexpr std::size_t kEach = 2000;
  const FakeClock clock;
  Trace trace(clock, true, {});
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < kThreads; ++i) {
    threads.emplace_back([&trace, i] {
      const std::string subject = std::to_string(i);
      for (std::size_t n = 0; n < kEach; ++n) {
        TraceSpan span(&trace, TraceKind::kLaunch, subject);
        span.add("n", n);
      }
    });
  }
  std::size_t seen = 0;
  for (int i = 0; i < 20; ++i) {
    const std::size_t now = count_of(trace.content());
    EXPECT_GE(now, seen);
    seen = now;
  }
  for (std::thread& thread : threads) thread.join();
  const TraceContent content = trace.content();
  EXPECT_EQ(count_of(content), kThreads * kEach);
  for (const auto& [track, events] : content.tracks) {
    std::map<std::string, std::int64_t> next;
    for (const TraceEvent& event : events) {
      std::int64_t& expected = next[event.label->name];
      EXPECT_EQ(std::get<std::int64_t>(event.label->arguments.at(0).second), expected++);
    }
  }
}

}  // namespace
}  // namespace kiln
