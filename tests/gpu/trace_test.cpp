// Device times of a trace on a real GPU: spans lie where the host saw the work, and last as long as it did.
#include <chrono>
#include <thread>

#include "base/chrome_trace.h"
#include "base/clock.h"
#include "device/traced_device.h"
#include "gpu/gpu_fixture.h"
#include "support/trace_reading.h"

namespace kiln::test {
namespace {

/// One thread that waits for a time on the GPU's own clock, which counts nanoseconds.
constexpr const char* kSpin = R"(
extern "C" __global__ void spin(unsigned long long ns) {
  unsigned long long begin, now;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(begin));
  do { asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now)); } while (now - begin < ns);
}
)";

class GpuTrace : public GpuTest {
 protected:
  void SetUp() override {
    GpuTest::SetUp();
    if (IsSkipped()) return;
    trace_ = std::make_unique<Trace>(*clock_, true, std::vector<std::unique_ptr<RangeSink>>());
    traced_ = make_traced_device(device_, *trace_);
    const CodeObject code = compile(kSpin, "spin");
    module_ = traced_->load(code.binary);
    spin_ = module_->function(code.lowered_names.at("spin"));
    ASSERT_NE(spin_, nullptr);
    stream_of_trace_ = traced_->create_stream();
    spin(1000);  // the first launch of a module is slow
    stream_of_trace_->synchronize();
  }

  void spin(unsigned long long ns) {
    launch(*stream_of_trace_, *spin_, LaunchShape{{1, 1, 1}, {1, 1, 1}}, ns);
  }

  TraceReading reading() {
    TraceReading found(chrome_trace_json(trace_->content()));
    found.expect_sound();
    EXPECT_EQ(found.facts().at("launches_without_device_time"), 0);
    return found;
  }

  /// Microseconds that a span may lie beside its place: the clocks', and what an event's resolution adds.
  double uncertainty(const TraceReading& read) const {
    const double clocks = read.facts().at("device_clock_uncertainty_us").at(device_->info().id);
    // On a GPU that others use, too, an idle stream waits for their turns: milliseconds.
    EXPECT_LT(clocks, 100'000) << "the reference was taken on a stream that was not idle";
    return clocks + 2;
  }

  /// The last kernel lies between the begin of the last launch and the end of the last wait.
  void expect_last_in_place(double least_us) {
    const TraceReading read = reading();
    const double slack = uncertainty(read);
    const auto kernel = read.spans("kernel").back();
    const auto launch = read.spans("launch").back();
    const auto wait = read.spans("wait").back();
    const auto begin = [](const auto& span) { return span.at("ts").template get<double>(); };
    const auto end = [&](const auto& span) { return begin(span) + span.at("dur").template get<double>(); };
    EXPECT_GE(begin(kernel), begin(launch) - slack - 20) << "its first event is recorded before the launch";
    EXPECT_LE(end(kernel), end(wait) + slack);
    EXPECT_GE(end(kernel) - begin(kernel), least_us);
  }

  std::unique_ptr<Clock> clock_ = make_system_clock();
  std::unique_ptr<Trace> trace_;
  std::shared_ptr<Device> traced_;
  std::unique_ptr<Module> module_;
  DeviceFunction* spin_ = nullptr;
  std::unique_ptr<Stream> stream_of_trace_;
};

TEST_F(GpuTrace, AKernelLiesWhereTheHostLaunchedIt) {
  spin(300'000'000);  // longer than what a reference taken behind it may be unsure of
  stream_of_trace_->synchronize();
  expect_last_in_place(299'990);
}

TEST_F(GpuTrace, TheClocksDoNotDriftApart) {
  std::this_thread::sleep_for(std::chrono::milliseconds(1100));
  stream_of_trace_->synchronize();  // takes a new reference
  spin(500'000);
  stream_of_trace_->synchronize();
  expect_last_in_place(490);
}

TEST_F(GpuTrace, AStretchBetweenEventsLastsAsTheEventsSay) {
  const auto begin = traced_->create_event();
  const auto end = traced_->create_event();
  begin->record(*stream_of_trace_);
  for (int i = 0; i < 3; ++i) spin(1'000'000);
  end->record(*stream_of_trace_);
  stream_of_trace_->synchronize();
  const TraceReading read = reading();
  const auto kernel = read.spans("kernel").back();
  EXPECT_EQ(kernel.at("args").at("launches"), 3);
  EXPECT_NEAR(kernel.at("dur").get<double>(), end->seconds_since(*begin) * 1e6, 2);
  EXPECT_GE(kernel.at("dur").get<double>(), 2990);
}

TEST_F(GpuTrace, ThreadsOnOneStreamGiveSpansThatDoNotCutEachOther) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([this] {
      for (int n = 0; n < 10; ++n) spin(20'000);
    });
  }
  for (std::thread& thread : threads) thread.join();
  stream_of_trace_->synchronize();
  EXPECT_EQ(reading().spans("kernel").size(), 41U);
}

}  // namespace
}  // namespace kiln::test
