#pragma once

#include <sys/types.h>

#include <chrono>
#include <string>
#include <variant>

#include "base/process.h"
#include "base/unique_fd.h"

namespace kiln {

/// A started program, until it is reaped, and the parent's ends of its standard streams. The destructor kills
/// a program that still runs, with its own process group if it has one.
class ChildProcess {
 public:
  /// `path` is the program's; the sentence says why it did not start. Throws environment_error when this
  /// process has no descriptors left.
  [[nodiscard]] static std::variant<ChildProcess, std::string> start(const std::string& path,
                                                                     const Command& command,
                                                                     ProcessGroup group);
  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&&) = delete;
  ~ChildProcess();

  [[nodiscard]] pid_t id() const { return pid_; }
  /// Reaps the program if it has ended.
  [[nodiscard]] bool exited();
  void kill();
  /// Sends SIGTERM to the program, but not to its children.
  void terminate();
  /// Readable when it has ended; -1 without pidfd_open (Linux 5.3): then poll often.
  [[nodiscard]] int exit_fd() const { return exit_fd_.get(); }
  /// Stores signal or exit code of a program that has ended.
  void tell_end(ProcessResult& result) const;

  UniqueFd input;   ///< the parent's end of its standard input
  UniqueFd output;  ///< the parent's end of its output
  UniqueFd error;

 private:
  ChildProcess(pid_t pid, ProcessGroup group);

  pid_t pid_;
  pid_t kill_target_;
  bool reaped_ = false;
  int status_ = 0;
  UniqueFd exit_fd_;
};

/// How long poll may wait for `child` and its streams: until `deadline`, or only a moment if the end of a
/// child cannot be polled for. -1: without end. A deadline at the clock's end means no deadline.
[[nodiscard]] int poll_timeout(const ChildProcess& child, std::chrono::steady_clock::time_point deadline);

/// `limit` from now; 0: the clock's end.
[[nodiscard]] std::chrono::steady_clock::time_point deadline_after(std::chrono::milliseconds limit);

}  // namespace kiln
