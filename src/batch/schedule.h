#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "config/batch_spec.h"

namespace kiln {

/// Decides which job of a batch starts next; starts and measures nothing. In the order of the file, as far as
/// `after`, `at_once` and devices allow: of jobs that run at the same time no two name the same device, and
/// one that names none, or `auto`, runs alone. Jobs with a launcher are left to it.
class Schedule {
 public:
  /// `keep_going`: a job that fails keeps only the jobs that come `after` it from starting.
  Schedule(const BatchSpec& batch, bool keep_going);

  /// A job that may start now; absent where one has to end first, or where none is left.
  [[nodiscard]] std::optional<std::size_t> next() const;
  void start(std::size_t job);
  /// Takes those out that can no longer run.
  void end(std::size_t job, bool succeeded);
  /// No further job starts.
  void stop(const std::string& why);

  /// Why a job was taken out; empty: it was not.
  [[nodiscard]] const std::string& skipped(std::size_t job) const { return reasons_.at(job); }
  [[nodiscard]] std::size_t running() const;

 private:
  enum class State { kWaiting, kRunning, kSucceeded, kFailed, kSkipped };
  [[nodiscard]] bool is_ready(std::size_t job) const;
  [[nodiscard]] bool shares_device(std::size_t one, std::size_t other) const;
  void skip_followers();

  const BatchSpec& batch_;
  bool keep_going_;
  std::vector<State> states_;
  std::vector<std::string> reasons_;
};

}  // namespace kiln
