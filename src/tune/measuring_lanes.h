#pragma once

#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "tune/candidate_queue.h"
#include "tune/measurer.h"
#include "tune/tuner.h"

namespace kiln {

/// Measures candidates of a search at the same time, each in a thread of its own, on this process's device
/// and on the task's others. One lock protects the search: a lane holds it while it works on the search, and
/// releases it only while a variant runs. The search is therefore written as if it measured one candidate
/// after the other.
class MeasuringLanes {
 public:
  /// Work on a candidate, with the lock held.
  using Measure = std::function<void(const Candidate& candidate, Measurer& measurer)>;

  /// All of it outlives the lanes; the task has others.
  MeasuringLanes(const TuneTask& task, const Objective& objective, std::mutex& mutex, Measure measure);
  ~MeasuringLanes();
  MeasuringLanes(const MeasuringLanes&) = delete;
  MeasuringLanes& operator=(const MeasuringLanes&) = delete;

  // All with the lock held.
  [[nodiscard]] std::size_t size() const { return lanes_.size(); }
  [[nodiscard]] std::size_t running() const { return running_; }
  [[nodiscard]] bool has_free() const;
  /// Begins with a candidate; there is a free lane.
  void start(Candidate candidate);
  /// The one that is being measured and is the same variant; null where there is none.
  [[nodiscard]] Candidate* find(const std::string& identity);
  /// Until a candidate ends, but not for long. Throws what a lane has thrown.
  void wait(std::unique_lock<std::mutex>& lock);
  [[nodiscard]] double device_seconds() const;

 private:
  struct Lane;
  void run(Lane& lane);

  std::mutex& mutex_;
  Measure measure_;
  std::condition_variable ended_;
  std::deque<std::unique_ptr<Lane>> lanes_;
  std::size_t running_ = 0;
  std::exception_ptr failure_;
};

}  // namespace kiln
