#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/trace.h"
#include "device/device.h"
#include "measure/sampler.h"

namespace kiln {

/// Called after each launch of a step, with the place of that launch among TimedStep::launch_count.
using AfterLaunch = std::function<void(std::size_t launch)>;

/// The object of a measurement: repeatable work on one stream.
class TimedStep {
 public:
  virtual ~TimedStep() = default;
  /// The number of launches that a profile times separately.
  [[nodiscard]] virtual std::size_t launch_count() const = 0;
  /// How many steps may follow each other before `make_ready` has to do something; 0: any number.
  [[nodiscard]] virtual std::size_t most_steps() const = 0;
  /// Sees to it that `steps` steps can follow, by making the inputs anew where they have changed too much.
  /// Complete on return.
  virtual void make_ready(std::size_t steps) = 0;
  /// Enqueues one step. `after_launch` may be empty.
  virtual void enqueue(const AfterLaunch& after_launch) = 0;
  /// Waits for everything that was enqueued. Throws a device fault if a kernel failed.
  virtual void wait() = 0;
};

/// Measured times of a step.
struct StepTimes {
  std::vector<double> seconds;  ///< of one step, one value for each sample
  /// Seconds of each launch, one value for each step of a separate pass (Timer::profile). Empty for a step of
  /// one launch, whose time is the step's.
  std::vector<std::vector<double>> launch_seconds;
  std::size_t steps_per_sample = 1;
  std::size_t profiled_steps = 0;  ///< of that pass
  std::string stop_reason;         ///< why sampling ended
  std::optional<double> joules;    ///< joules of one step, if requested
};

/// The sampling protocol: warm-up, as many steps in a sample as a clock can resolve, samples until the median
/// is stable. Events stand around a sample, whatever number of launches a step has; the launches of a step
/// are timed in a pass of their own, with an event after each. All references outlive the timer.
class Timer {
 public:
  /// `cold`: the last-level cache is evicted before each sample, which is then of one step.
  Timer(TimedStep& step, Device& device, Stream& stream, const Clock& clock, bool cold,
        Trace* trace = nullptr);

  /// Two steps that do not count, or one that takes a millisecond and more; decides how many make a sample.
  void warm_up();
  /// One sample: seconds of one step.
  [[nodiscard]] double take();
  /// Samples as kiln::sample takes them, after `warm_up`. `before_each` (may be empty) is called before each
  /// sample, and may end all by an exception.
  [[nodiscard]] Samples measure(const SamplerOptions& options, const std::function<void()>& before_each);
  /// Seconds of each launch, one value for each of at most `most_steps` steps, at least one. Ends when
  /// `most_seconds` of wall clock are over. `before_each` as above.
  [[nodiscard]] std::vector<std::vector<double>> profile(std::size_t most_steps, double most_seconds,
                                                         const std::function<void()>& before_each);
  /// Joules of one step among steps that follow each other without a pause, some 0.6 s of them.
  /// `step_seconds` is about what one takes. Empty where the device does not tell. `before_each` as above.
  [[nodiscard]] std::optional<double> energy(double step_seconds, const std::function<void()>& before_each);

  [[nodiscard]] std::size_t steps_per_sample() const { return batch_; }

 private:
  [[nodiscard]] std::size_t batch_for(double step_seconds) const;
  [[nodiscard]] const SharedLabel& label(std::size_t steps);
  [[nodiscard]] Event& event(std::size_t index);
  [[nodiscard]] std::vector<double> profile_step();

  TimedStep& step_;
  Device& device_;
  Stream& stream_;
  const Clock& clock_;
  bool cold_;
  Trace* trace_;
  std::size_t batch_ = 1;
  std::vector<std::unique_ptr<Event>> events_;
  SharedLabel label_;
  std::size_t labelled_steps_ = 0;  // that label_ names
};

}  // namespace kiln
