#include "measure/timer.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace kiln {
namespace {

constexpr int kWarmUpSteps = 2;
constexpr double kLongStep = 1e-3;  ///< seconds; such a step warms up by itself
constexpr double kLeastSample =
    100e-6;  ///< seconds; long against a clock's resolution and the cost of waiting
constexpr double kMostBatch = 1000;

// Times of an energy measurement, in seconds: the minimum between two changes of the counter, the work
// enqueued at a time, and the wait after which an unchanging counter is given up.
constexpr double kEnergyTime = 0.5;
constexpr double kEnergyBatch = 5e-3;
constexpr double kEnergyPatience = 5;

}  // namespace

Timer::Timer(TimedStep& step, Device& device, Stream& stream, const Clock& clock, bool cold, Trace* trace)
    : step_(step), device_(device), stream_(stream), clock_(clock), cold_(cold), trace_(trace) {}

Event& Timer::event(std::size_t index) {
  while (events_.size() <= index) events_.push_back(device_.create_event());
  return *events_[index];
}

/// One for all samples of as many steps; null without a trace.
const SharedLabel& Timer::label(std::size_t steps) {
  if (trace_ == nullptr || (label_ && labelled_steps_ == steps)) return label_;
  TraceLabel label = make_label(TraceKind::kSample);
  label.arguments.emplace_back("steps", static_cast<std::int64_t>(steps));
  label_ = std::make_shared<const TraceLabel>(std::move(label));
  labelled_steps_ = steps;
  return label_;
}

std::size_t Timer::batch_for(double step_seconds) const {
  if (cold_ || step_seconds <= 0) return 1;
  const auto batch =
      static_cast<std::size_t>(std::clamp(std::ceil(kLeastSample / step_seconds), 1.0, kMostBatch));
  const std::size_t most = step_.most_steps();
  return most > 0 ? std::min(batch, most) : batch;
}

void Timer::warm_up() {
  batch_ = 1;
  double last = 0;
  for (int i = 0; i < kWarmUpSteps && last < kLongStep; ++i) last = take();
  batch_ = batch_for(last);
}

double Timer::take() {
  step_.make_ready(batch_);
  Event& begin = event(0);
  Event& end = event(1);
  const TraceSpan span(trace_, label(batch_));
  if (cold_) device_.flush_cache(stream_);
  begin.record(stream_);
  for (std::size_t i = 0; i < batch_; ++i) step_.enqueue({});
  end.record(stream_);
  step_.wait();
  return end.seconds_since(begin) / static_cast<double>(batch_);
}

Samples Timer::measure(const SamplerOptions& options, const std::function<void()>& before_each) {
  const auto take_one = [&] {
    if (before_each) before_each();
    return take();
  };
  return sample(take_one, options, clock_);
}

/// The counter is read while the device works. Its changes are some 100 ms apart, so power is taken between
/// two of them, and the time of a step from all steps.
std::optional<double> Timer::energy(double step_seconds, const std::function<void()>& before_each) {
  const std::int64_t begin = clock_.steady_ns();
  const auto elapsed = [&] { return seconds_between(begin, clock_.steady_ns()); };
  const auto batch = static_cast<std::size_t>(std::clamp(std::ceil(kEnergyBatch / step_seconds), 1.0, 1e5));
  std::optional<double> last = device_.energy_joules();
  std::optional<std::pair<double, double>> first;  // seconds and joules at a change
  for (std::size_t steps = batch; last; steps += batch) {
    if (before_each) before_each();
    step_.make_ready(batch);
    for (std::size_t i = 0; i < batch; ++i) step_.enqueue({});
    const double at = elapsed();
    const std::optional<double> now = device_.energy_joules();
    step_.wait();
    if (now != last) {
      if (now && first && at - first->first >= kEnergyTime)
        return (*now - first->second) / (at - first->first) * elapsed() / static_cast<double>(steps);
      if (now && !first) first = {at, *now};
      last = now;
    }
    if (elapsed() > std::max(kEnergyPatience, 4 * step_seconds)) break;
  }
  return std::nullopt;
}

/// An event stands after each launch, so its time is that of the work between two events.
std::vector<double> Timer::profile_step() {
  step_.make_ready(1);
  std::vector<std::size_t> launched;
  const TraceSpan span(trace_, label(1));
  if (cold_) device_.flush_cache(stream_);
  event(0).record(stream_);
  step_.enqueue([&](std::size_t launch) {
    launched.push_back(launch);
    event(launched.size()).record(stream_);
  });
  step_.wait();
  std::vector<double> seconds(step_.launch_count());
  for (std::size_t i = 0; i < launched.size(); ++i)
    seconds[launched[i]] += events_[i + 1]->seconds_since(*events_[i]);
  return seconds;
}

std::vector<std::vector<double>> Timer::profile(std::size_t most_steps, double most_seconds,
                                                const std::function<void()>& before_each) {
  const std::int64_t begin = clock_.steady_ns();
  std::vector<std::vector<double>> launches(step_.launch_count());
  for (std::size_t step = 0; step < most_steps || step == 0; ++step) {
    if (step > 0 && seconds_between(begin, clock_.steady_ns()) >= most_seconds) break;
    if (before_each) before_each();
    const std::vector<double> seconds = profile_step();
    for (std::size_t i = 0; i < launches.size(); ++i) launches[i].push_back(seconds[i]);
  }
  return launches;
}

}  // namespace kiln
