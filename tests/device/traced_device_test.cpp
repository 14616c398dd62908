#include "device/traced_device.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "base/chrome_trace.h"
#include "device/device_trace.h"
#include "device/fault.h"
#include "support/error_matchers.h"
#include "support/fake_device.h"
#include "support/trace_reading.h"

namespace kiln {
namespace {

using test::FakeClock;
using test::FakeDevice;
using test::FakeKernel;
using test::message_of;
using test::TraceReading;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

constexpr const char* kBinary = "KILNFAKE code\n_Zaxpy\n_Zdot\n";

class TracedDevice : public testing::Test {
 protected:
  TracedDevice() : fake_(std::make_shared<FakeDevice>(clock_)), trace_(clock_, true, {}) {
    define("_Zaxpy", 1e-3);
    define("_Zdot", 2e-3);
    device_ = make_traced_device(fake_, trace_);
  }

  void define(const std::string& name, double seconds) {
    FakeKernel kernel;
    kernel.seconds = seconds;
    fake_->define(name, std::move(kernel));
  }

  DeviceFunction& load(const std::string& name) {
    module_ = device_->load(kBinary);
    return *module_->function(name);
  }

  TraceReading reading() const {
    TraceReading found(chrome_trace_json(trace_.content()));
    found.expect_sound();
    return found;
  }

  FakeClock clock_;
  std::shared_ptr<FakeDevice> fake_;
  Trace trace_;
  std::shared_ptr<Device> device_;
  std::unique_ptr<Module> module_;
  LaunchShape shape_{{4, 1, 1}, {64, 1, 1}};
};

TEST_F(TracedDevice, ALaunchIsASpanOfTheHostAndOneOfTheDevice) {
  DeviceFunction& axpy = load("_Zaxpy");
  const auto stream = device_->create_stream();
  axpy.launch(*stream, shape_, nullptr);
  axpy.launch(*stream, shape_, nullptr);
  EXPECT_THAT(reading().spans("kernel"), IsEmpty()) << "device times are read when the stream is waited for";
  stream->synchronize();
  const TraceReading read = reading();
  EXPECT_THAT(read.names("launch"), ElementsAre("launch _Zaxpy", "launch _Zaxpy"));
  EXPECT_THAT(read.names("wait"), ElementsAre("wait fake:0"));
  const auto kernels = read.spans("kernel");
  ASSERT_EQ(kernels.size(), 2U);
  EXPECT_EQ(kernels[0].at("name"), "_Zaxpy");
  EXPECT_EQ(kernels[0].at("ts"), 0);
  EXPECT_EQ(kernels[0].at("dur"), 1000);
  EXPECT_EQ(kernels[1].at("ts"), 1000);
  EXPECT_EQ(kernels[0].at("args").at("shape"), "grid 4 x 1 x 1, block 64 x 1 x 1");
  EXPECT_EQ(read.lines().at({kernels[0].at("pid"), kernels[0].at("tid")}),
            "fake:0: Fake device/stream 1 of Kiln");
  EXPECT_EQ(read.facts().at("launches_without_device_time"), 0);
  EXPECT_EQ(read.facts().at("device_clock_uncertainty_us").at("fake:0"), 0);
}

TEST_F(TracedDevice, BetweenTwoEventsOfTheProgramNothingIsAddedAndTheStretchIsOneSpan) {
  DeviceFunction& axpy = load("_Zaxpy");
  const auto stream = device_->create_stream();
  const auto begin = device_->create_event();
  const auto end = device_->create_event();
  for (int sample = 0; sample < 2; ++sample) {
    clock_.advance(5e-3);
    begin->record(*stream);
    for (int i = 0; i < 3; ++i) axpy.launch(*stream, shape_, nullptr);
    end->record(*stream);
    stream->synchronize();
    EXPECT_DOUBLE_EQ(end->seconds_since(*begin), 3e-3);
  }
  axpy.launch(*stream, shape_, nullptr);
  stream->synchronize();
  const TraceReading read = reading();
  EXPECT_EQ(read.spans("launch").size(), 1U);
  const auto kernels = read.spans("kernel");
  ASSERT_EQ(kernels.size(), 3U);
  EXPECT_EQ(kernels[0].at("ts"), 5000);
  EXPECT_EQ(kernels[0].at("dur"), 3000);
  EXPECT_EQ(kernels[0].at("args").at("launches"), 3);
  EXPECT_EQ(kernels[1].at("ts"), 13000);
  EXPECT_FALSE(kernels[2].at("args").contains("launches"));
}

TEST_F(TracedDevice, EventsAroundEachLaunchOfAStepGiveEachASpan) {
  DeviceFunction& axpy = load("_Zaxpy");
  DeviceFunction& dot = *module_->function("_Zdot");
  const auto stream = device_->create_stream();
  std::vector<std::unique_ptr<Event>> events;
  for (int i = 0; i < 3; ++i) events.push_back(device_->create_event());
  events[0]->record(*stream);
  axpy.launch(*stream, shape_, nullptr);
  events[1]->record(*stream);
  dot.launch(*stream, shape_, nullptr);
  events[2]->record(*stream);
  stream->synchronize();
  EXPECT_THAT(reading().names("kernel"), ElementsAre("_Zaxpy", "_Zdot"));
  EXPECT_EQ(reading().spans("kernel").at(1).at("dur"), 2000);
}

TEST_F(TracedDevice, AGraphIsOneSpanThatNamesItsKernels) {
  for (const char* name : {"_Zaxpy", "_Zdot"}) {
    FakeKernel kernel;
    kernel.seconds = 1e-3;
    kernel.attributes.parameter_bytes.emplace();
    fake_->define(name, std::move(kernel));
  }
  DeviceFunction& axpy = load("_Zaxpy");
  DeviceFunction& dot = *module_->function("_Zdot");
  const auto stream = device_->create_stream();
  const auto graph = device_->capture(*stream, [&] {
    for (int i = 0; i < 2; ++i) axpy.launch(*stream, shape_, nullptr);
    dot.launch(*stream, shape_, nullptr);
  });
  EXPECT_THAT(fake_->launches(), IsEmpty());
  graph->launch(*stream);
  stream->synchronize();
  EXPECT_EQ(fake_->launches().size(), 3U);
  const TraceReading read = reading();
  EXPECT_THAT(read.names("launch"), ElementsAre("launch graph of _Zaxpy, _Zdot"));
  EXPECT_THAT(read.names("kernel"), ElementsAre("graph of _Zaxpy, _Zdot"));
  EXPECT_EQ(read.spans("kernel").at(0).at("dur"), 3000);
  EXPECT_EQ(read.facts().at("launches_without_device_time"), 0);
}

TEST_F(TracedDevice, AStreamThatJoinsACaptureIsPartOfTheGraph) {
  for (const char* name : {"_Zaxpy", "_Zdot"}) {
    FakeKernel kernel;
    kernel.attributes.parameter_bytes.emplace();
    fake_->define(name, std::move(kernel));
  }
  DeviceFunction& axpy = load("_Zaxpy");
  DeviceFunction& dot = *module_->function("_Zdot");
  const auto stream = device_->create_stream();
  const auto side = device_->create_stream();
  const auto fork = device_->create_ordering_event();
  const auto join = device_->create_ordering_event();
  const auto branches = [&] {
    fork->record(*stream);
    side->wait(*fork);
    axpy.launch(*stream, shape_, nullptr);
    dot.launch(*side, shape_, nullptr);
    join->record(*side);
    stream->wait(*join);
  };
  const auto graph = device_->capture(*stream, branches);
  EXPECT_THAT(fake_->launches(), IsEmpty());
  graph->launch(*stream);
  branches();  // both streams are as before
  stream->synchronize();
  side->synchronize();
  EXPECT_EQ(fake_->launches().size(), 4U);
  const TraceReading read = reading();
  EXPECT_THAT(read.names("launch"),
              UnorderedElementsAre("launch graph of _Zaxpy, _Zdot", "launch _Zaxpy", "launch _Zdot"));
  EXPECT_EQ(read.facts().at("launches_without_device_time"), 0);
}

TEST_F(TracedDevice, AnEventThatIsRecordedAgainAndLaunchesAfterTheLastOneHaveNoTime) {
  DeviceFunction& axpy = load("_Zaxpy");
  const auto stream = device_->create_stream();
  const auto event = device_->create_event();
  event->record(*stream);
  axpy.launch(*stream, shape_, nullptr);
  event->record(*stream);
  axpy.launch(*stream, shape_, nullptr);
  stream->synchronize();
  EXPECT_THAT(reading().spans("kernel"), IsEmpty());
  EXPECT_EQ(reading().facts().at("launches_without_device_time"), 2);
}

TEST_F(TracedDevice, MoreLaunchesThanAStreamKeepsEventsForAreCounted) {
  DeviceFunction& axpy = load("_Zaxpy");
  const auto stream = device_->create_stream();
  for (int i = 0; i < 200; ++i) axpy.launch(*stream, shape_, nullptr);
  stream->synchronize();
  const std::size_t placed = reading().spans("kernel").size();
  EXPECT_EQ(reading().spans("launch").size(), 200U);
  EXPECT_GE(placed, 100U);
  EXPECT_EQ(reading().facts().at("launches_without_device_time"), 200 - placed);
  axpy.launch(*stream, shape_, nullptr);
  stream->synchronize();
  EXPECT_EQ(reading().spans("kernel").size(), placed + 1);
}

TEST_F(TracedDevice, AFaultIsThrownAndTheStreamGoesOn) {
  FakeKernel bad;
  bad.body = [](const LaunchShape&, void* const*) { throw device_fault("it failed"); };
  fake_->define("_Zaxpy", std::move(bad));
  DeviceFunction& axpy = load("_Zaxpy");
  DeviceFunction& dot = *module_->function("_Zdot");
  const auto stream = device_->create_stream();
  axpy.launch(*stream, shape_, nullptr);
  EXPECT_EQ(message_of(ErrorKind::kDeviceFault, [&] { stream->synchronize(); }), "it failed");
  dot.launch(*stream, shape_, nullptr);
  stream->synchronize();
  EXPECT_THAT(reading().names("kernel"), ElementsAre("_Zdot"));
  EXPECT_EQ(reading().spans("wait").size(), 2U);
}

TEST_F(TracedDevice, CodeFlowsFromItsCompileOverItsLoadToItsFirstLaunch) {
  {
    TraceSpan compile(&trace_, TraceKind::kCompile);
    compile.flow({flow_of(kBinary), TraceFlow::Phase::kBegin});
    clock_.advance(1e-3);
  }
  DeviceFunction& axpy = load("_Zaxpy");
  const auto stream = device_->create_stream();
  for (int i = 0; i < 2; ++i) axpy.launch(*stream, shape_, nullptr);
  const TraceReading read = reading();
  ASSERT_EQ(read.events("t").size(), 1U);
  ASSERT_EQ(read.events("f").size(), 1U);
  EXPECT_EQ(read.events("f")[0].at("id"), flow_of(kBinary));
  EXPECT_EQ(read.spans("load").at(0).at("args").at("bytes"), std::string(kBinary).size());
}

TEST_F(TracedDevice, KernelsAreCalledAsInTheirSource) {
  module_ = device_->load(kBinary);
  module_->note_names({{"axpy<float>", "_Zaxpy"}});
  const auto stream = device_->create_stream();
  module_->function("_Zaxpy")->launch(*stream, shape_, nullptr);
  module_->function("_Zdot")->launch(*stream, shape_, nullptr);
  EXPECT_THAT(reading().names("launch"), ElementsAre("launch axpy<float>", "launch _Zdot"));
}

TEST_F(TracedDevice, CopiesAreSpansWithTheirSize) {
  const auto stream = device_->create_stream();
  const auto buffer = device_->allocate(64);
  std::vector<char> host(64);
  device_->copy_to_device(*stream, buffer->data(), host.data(), 64);
  clock_.advance(1e-6);
  device_->copy_to_host(*stream, host.data(), buffer->data(), 32);
  EXPECT_THAT(reading().names("copy"), ElementsAre("copy to fake:0", "copy from fake:0"));
  EXPECT_EQ(reading().spans("copy").at(1).at("args").at("bytes"), 32);
}

TEST_F(TracedDevice, StreamsAtATimeHaveLinesOfTheirOwnAndLaterOnesTakeThemOver) {
  DeviceFunction& axpy = load("_Zaxpy");
  const auto run = [&](Stream& stream) {
    axpy.launch(stream, shape_, nullptr);
    stream.synchronize();
  };
  const auto first = device_->create_stream();
  auto second = device_->create_stream();
  run(*first);
  run(*second);
  second.reset();
  run(*device_->create_stream());
  std::vector<int> lines;
  for (const auto& kernel : reading().spans("kernel")) lines.push_back(kernel.at("tid"));
  EXPECT_THAT(lines, testing::UnorderedElementsAre(1, 2, 2));
}

/// Under the thread sanitizer this shows that launches and waits of several threads share in order.
TEST_F(TracedDevice, ThreadsLaunchAndWaitOnOneStream) {
  constexpr int kThreads = 4;
  constexpr int kEach = 100;
  FakeKernel kernel;
  fake_->define("_Zaxpy", std::move(kernel));
  DeviceFunction& axpy = load("_Zaxpy");
  const auto stream = device_->create_stream();
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] {
      LaunchShape shape = shape_;
      for (int n = 0; n < kEach; ++n) {
        shape.grid.x = static_cast<std::uint64_t>(1 + n % 3);
        axpy.launch(*stream, shape, nullptr);
        if (i == 0 && n % 10 == 0) stream->synchronize();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  stream->synchronize();
  const TraceReading read = reading();
  EXPECT_EQ(read.spans("launch").size(), static_cast<std::size_t>(kThreads * kEach));
  EXPECT_EQ(read.spans("kernel").size() + read.facts().at("launches_without_device_time").get<std::size_t>(),
            static_cast<std::size_t>(kThreads * kEach));
}

TEST(DeviceTrace, BeyondVeryManyShapesLaunchesShareALabel) {
  FakeClock clock;
  Trace trace(clock, true, {});
  DeviceTrace device(trace, "fake:0", "Fake");
  LaunchShape shape;
  const LaunchLabels& first = device.labels("axpy", shape);
  EXPECT_EQ(first.launch->arguments.size(), 2U);
  const LaunchLabels* last = nullptr;
  const LaunchLabels* before = nullptr;
  for (std::uint64_t i = 2; i < 2000; ++i) {
    shape.grid.x = i;
    before = last;
    last = &device.labels("axpy", shape);
  }
  EXPECT_EQ(before, last);
  EXPECT_EQ(last->launch->arguments.size(), 1U);
  EXPECT_EQ(&device.labels("axpy", LaunchShape{}), &first);
}

}  // namespace
}  // namespace kiln
