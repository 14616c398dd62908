#include "tune/measuring_lanes.h"

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

#include "base/async.h"

namespace kiln {
namespace {

/// Gives up the lock of the thread while a variant runs.
class UnlockingRunner final : public TrialRunner {
 public:
  UnlockingRunner(TrialRunner& runner, std::mutex& mutex) : runner_(runner), mutex_(mutex) {}

  std::optional<Record> run(const Variant& variant, const TrialRequest& request) override {
    const Unlocked unlocked(mutex_);
    return runner_.run(variant, request);
  }
  bool has_lost(const std::string& device) const override { return runner_.has_lost(device); }

 private:
  struct Unlocked {
    explicit Unlocked(std::mutex& locked) : mutex(locked) { mutex.unlock(); }
    ~Unlocked() { mutex.lock(); }
    Unlocked(const Unlocked&) = delete;
    Unlocked& operator=(const Unlocked&) = delete;
    std::mutex& mutex;
  };

  TrialRunner& runner_;
  std::mutex& mutex_;
};

JobContext watched_by(const JobContext& context, RunWatch* watch) {
  JobContext own = context;
  own.watch = watch;
  return own;
}

}  // namespace

struct MeasuringLanes::Lane {
  /// `other`: null for this process's own lane.
  Lane(const TuneTask& of, const Objective& objective, std::mutex& mutex, std::unique_ptr<TrialRunner> other)
      : context(watched_by(of.context, other ? nullptr : of.context.watch)),
        remote(std::move(other)),
        runner(remote ? *remote : of.runner, mutex),
        task{of.job, of.workload, of.space, context, of.device, of.runner, of.sink, of.journal, of.ended},
        measurer(task, objective, runner) {}

  JobContext context;
  std::unique_ptr<TrialRunner> remote;
  UnlockingRunner runner;
  TuneTask task;
  Measurer measurer;
  std::optional<Candidate> candidate;  // that is being measured
  std::future<void> thread;
};

MeasuringLanes::MeasuringLanes(const TuneTask& task, const Objective& objective, std::mutex& mutex,
                               Measure measure)
    : mutex_(mutex), measure_(std::move(measure)) {
  lanes_.push_back(std::make_unique<Lane>(task, objective, mutex, nullptr));
  for (TrialLane& lane : task.others->lanes(task.context))
    lanes_.push_back(std::make_unique<Lane>(task, objective, mutex, std::move(lane.runner)));
}

MeasuringLanes::~MeasuringLanes() = default;  // a future of a thread waits for it

bool MeasuringLanes::has_free() const {
  return running_ < lanes_.size();
}

void MeasuringLanes::start(Candidate candidate) {
  const auto lane =
      std::find_if(lanes_.begin(), lanes_.end(), [](const auto& one) { return !one->candidate; });
  Lane& free = **lane;
  free.candidate.emplace(std::move(candidate));
  ++running_;
  free.thread = std::async(std::launch::async, [this, &free] { run(free); });
}

void MeasuringLanes::run(Lane& lane) {
  const std::lock_guard lock(mutex_);
  try {
    measure_(*lane.candidate, lane.measurer);
  } catch (...) {
    if (!failure_) failure_ = std::current_exception();
  }
  lane.candidate.reset();
  --running_;
  ended_.notify_all();
}

Candidate* MeasuringLanes::find(const std::string& identity) {
  for (const auto& lane : lanes_) {
    if (lane->candidate && lane->candidate->identity == identity) return &*lane->candidate;
  }
  return nullptr;
}

void MeasuringLanes::wait(std::unique_lock<std::mutex>& lock) {
  constexpr std::chrono::milliseconds kAskAgain{50};
  ended_.wait_for(lock, kAskAgain);
  if (failure_ && running_ == 0) std::rethrow_exception(failure_);
}

double MeasuringLanes::device_seconds() const {
  double seconds = 0;
  for (const auto& lane : lanes_) seconds += lane->measurer.device_seconds();
  return seconds;
}

}  // namespace kiln
