#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

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
class JobGuard final : public RunWatch {
 public:
  static constexpr double kGraceSeconds = 5;
  /// Writes what the job has until now, and the record of the variant that ended it, if there is one.
  using Finish = std::function<void(const std::optional<Record>& last)>;

  /// `mark`, if not null, outlives it.
  JobGuard(World& world, RunningMark* mark, Finish finish);
  ~JobGuard() override;
  JobGuard(const JobGuard&) = delete;
  JobGuard& operator=(const JobGuard&) = delete;

  void variant_begins(const Record& so_far) override;
  void variant_ends() override;

 private:
  void watch();
  void acknowledge();
  [[nodiscard]] std::string running_text();
  [[nodiscard]] std::optional<Record> record_with(RunStatus status, const std::string& message);
  [[noreturn]] void end_interrupted();
  [[noreturn]] void end_timed_out();
  [[noreturn]] void end_exited();
  [[noreturn]] void end(int code, const std::string& message, const std::optional<Record>& last);

  World& world_;
  RunningMark* mark_;
  Finish finish_;
  std::mutex mutex_;  // of the variant
  std::optional<Record> variant_;
  FatalEnd fatal_end_;
  UniqueFd stop_;
  std::thread thread_;
};

}  // namespace kiln
