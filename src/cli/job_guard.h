#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/unique_fd.h"
#include "cli/fatal_end.h"
#include "cli/world.h"
#include "report/running_mark.h"
#include "trial/run_watch.h"

namespace kiln {

/// Watches a job from a thread of its own, and ends the process in order where the job does not end itself: a
/// launch that takes longer than `launch_time_limit`, a job that goes on for `kGraceSeconds` after a signal,
/// a kernel that calls exit(). Records and output files are then complete and temporary folders gone. An
/// Interrupt lives as long; one at a time.
class JobGuard {
 public:
  static constexpr double kGraceSeconds = 5;
  /// Writes what the job has until now, and the record of the variant that ended it, if there is one.
  using Finish = std::function<void(const std::optional<Record>& last)>;

  /// A lane for each of `marks`: variants that run at the same time. A mark outlives the guard, or is null.
  JobGuard(World& world, const std::vector<RunningMark*>& marks, Finish finish);
  ~JobGuard();
  JobGuard(const JobGuard&) = delete;
  JobGuard& operator=(const JobGuard&) = delete;

  [[nodiscard]] RunWatch& lane(std::size_t index = 0) const;

 private:
  class Lane;
  void watch();
  void acknowledge();
  [[nodiscard]] std::string running_text() const;
  [[noreturn]] void end_interrupted();
  [[noreturn]] void end_timed_out(Lane& lane);
  [[noreturn]] void end_exited();
  [[noreturn]] void end(int code, const std::string& message, const std::optional<Record>& last);

  World& world_;
  std::vector<std::unique_ptr<Lane>> lanes_;
  Finish finish_;
  FatalEnd fatal_end_;
  UniqueFd stop_;
  std::thread thread_;
};

}  // namespace kiln
