#include "cli/job_guard.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <mutex>
#include <system_error>

#include "base/exit_code.h"
#include "base/scratch_folder.h"
#include "base/text.h"
#include "cli/interrupt.h"

namespace kiln {
namespace {

std::string text_of(const Record& record) {
  return (record.label.empty() ? record.workload : "variant '" + record.label + "'") + " on " +
         record.device.id;
}

/// Seconds since a launch began, as far as looks at it now and then tell.
class LaunchTime {
 public:
  explicit LaunchTime(const Clock& clock) : clock_(clock) {}

  [[nodiscard]] double look(const RunWatch& watch) {
    const std::int64_t now = clock_.steady_ns();
    const std::uint64_t launches = watch.launches();
    if (watch.kernel() == nullptr || launches != launches_) {
      launches_ = launches;
      since_ns_ = now;
    }
    return seconds_between(since_ns_, now);
  }

 private:
  const Clock& clock_;
  std::uint64_t launches_ = 0;
  std::int64_t since_ns_ = 0;
};

/// Waits for a signal or for the guard's end, at most so long; negative: for ever.
void wait_for(int stop, int interrupt, double seconds) {
  constexpr double kMilliseconds = 1000;
  std::array<pollfd, 2> events = {pollfd{stop, POLLIN, 0}, pollfd{interrupt, POLLIN, 0}};
  ::poll(events.data(), events.size(),
         seconds < 0 ? -1 : static_cast<int>(std::ceil(seconds * kMilliseconds)));
  std::uint64_t taken = 0;
  if ((events[1].revents & POLLIN) != 0 && ::read(interrupt, &taken, sizeof taken) < 0) return;
}

bool is_readable(int descriptor) {
  pollfd event{descriptor, POLLIN, 0};
  return ::poll(&event, 1, 0) > 0;
}

}  // namespace

/// One of the variants that run at the same time.
class JobGuard::Lane final : public RunWatch {
 public:
  Lane(const Clock& clock, RunningMark* mark) : mark_(mark), launch_(clock) { fatal_.watch = this; }

  void variant_begins(const Record& so_far) override {
    if (mark_ != nullptr) mark_->begin(so_far);
    FatalEnd::set_variant(fatal_, text_of(so_far), mark_ != nullptr ? mark_->descriptor() : -1);
    const std::lock_guard lock(mutex_);
    variant_ = so_far;
  }
  void variant_ends() override {
    if (mark_ != nullptr) mark_->end();
    const std::lock_guard lock(mutex_);
    variant_.reset();
  }

  [[nodiscard]] RunningMark* mark() const { return mark_; }
  /// Seconds that its launch has taken.
  [[nodiscard]] double look() { return launch_.look(*this); }
  [[nodiscard]] std::optional<Record> variant() const {
    const std::lock_guard lock(mutex_);
    return variant_;
  }
  [[nodiscard]] std::optional<Record> record_with(RunStatus status, const std::string& message) const {
    std::optional<Record> record = variant();
    if (!record) return record;
    record->status = status;
    record->message = message;
    return record;
  }
  [[nodiscard]] std::string running_text() const {
    const std::string* name = kernel();
    const std::optional<Record> running = variant();
    if (!running) return "what runs now";
    return (name == nullptr ? "" : "kernel '" + *name + "' of ") + text_of(*running);
  }

 private:
  RunningMark* mark_;
  LaunchTime launch_;
  FatalVariant fatal_;
  mutable std::mutex mutex_;  // of the variant
  std::optional<Record> variant_;
};

JobGuard::JobGuard(World& world, const std::vector<RunningMark*>& marks, Finish finish)
    : world_(world),
      finish_(std::move(finish)),
      // The caller may be a work-item, whose stack is small.
      fatal_end_([this] { std::thread([this] { end_exited(); }).join(); }),
      stop_(::eventfd(0, EFD_CLOEXEC)) {
  for (RunningMark* mark : marks) lanes_.push_back(std::make_unique<Lane>(world.clock(), mark));
  try {
    if (!stop_) throw std::system_error(errno, std::generic_category());
    thread_ = std::thread([this] { watch(); });
  } catch (const std::system_error& error) {
    world.log().warn("nothing watches the job, and a launch that never ends has no limit: " +
                     error.code().message());
  }
}

JobGuard::~JobGuard() {
  if (!thread_.joinable()) return;
  ::eventfd_write(stop_.get(), 1);
  thread_.join();
}

RunWatch& JobGuard::lane(std::size_t index) const {
  return *lanes_.at(index);
}

void JobGuard::watch() {
  constexpr double kLooksAtALimit = 20;
  constexpr double kLongestPause = 1;
  const double limit = world_.settings().values.launch_time_limit;
  std::optional<std::int64_t> interrupted_ns;
  while (!is_readable(stop_.get())) {
    if (Interrupt::requested() && !interrupted_ns) {
      interrupted_ns = world_.clock().steady_ns();
      acknowledge();
    }
    double pause = limit > 0 ? std::min(limit / kLooksAtALimit, kLongestPause) : -1;
    if (interrupted_ns) {
      const double left = kGraceSeconds - seconds_between(*interrupted_ns, world_.clock().steady_ns());
      if (left <= 0) end_interrupted();
      pause = pause < 0 ? left : std::min(pause, left);
    }
    for (const auto& lane : lanes_) {
      if (limit > 0 && lane->look() >= limit) end_timed_out(*lane);
    }
    wait_for(stop_.get(), Interrupt::descriptor(), pause);
  }
}

std::string JobGuard::running_text() const {
  std::vector<std::string> texts;
  for (const auto& lane : lanes_) {
    if (lane->variant()) texts.push_back(lane->running_text());
  }
  return texts.empty() ? "what runs now" : join(texts, ", ");
}

void JobGuard::acknowledge() {
  for (const auto& lane : lanes_) {
    if (lane->mark() != nullptr) lane->mark()->interrupt();
  }
  world_.status_line().write("interrupted: waiting for " + running_text() + "; this process ends within " +
                             format_seconds(kGraceSeconds));
}

void JobGuard::end_interrupted() {
  end(Interrupt::exit_code(),
      "interrupted: " + running_text() + " did not end within " + format_seconds(kGraceSeconds) +
          "; what was finished is kept",
      std::nullopt);
}

void JobGuard::end_timed_out(Lane& lane) {
  const std::string* name = lane.kernel();
  const std::string subject = name == nullptr ? "a launch" : "kernel '" + *name + "'";
  const double limit = world_.settings().values.launch_time_limit;
  const std::string why = " did not end within " + format_seconds(limit) +
                          ", the launch_time_limit; a kernel that runs cannot be stopped without its process";
  std::optional<Record> record = lane.record_with(RunStatus::kTimedOut, subject + why);
  if (record) record->launch_time_limit = limit;
  end(kExitFailed, "kiln: error: " + lane.running_text() + why, record);
}

void JobGuard::end_exited() {
  const std::string message = running_text() + " ended the process by exit()";
  // Only kernels of the CPU can call it, and they run in one lane.
  const bool one = lanes_.size() == 1;
  end(kExitFailed, "kiln: error: " + message,
      one ? lanes_.front()->record_with(RunStatus::kCrashed, message) : std::nullopt);
}

/// The job hangs in its own thread, which is left as it is: nothing of it is destroyed.
void JobGuard::end(int code, const std::string& message, const std::optional<Record>& last) {
  try {
    world_.status_line().write(message);
    if (finish_) finish_(last);
    world_.engine().finish_trace();
    for (const auto& lane : lanes_) {
      if (lane->mark() != nullptr) lane->mark()->remove();
    }
    world_.out().flush();
    remove_own_scratch(world_.files(), temporary_folder());
  } catch (const std::exception& error) {
    world_.status_line().write(std::string("kiln: error: ") + error.what());
  }
  std::_Exit(code);
}

}  // namespace kiln
