#pragma once

#include <sys/types.h>

#include <chrono>
#include <string>
#include <variant>

#include "base/process.h"
#include "base/unique_fd.h"

namespace kiln {

/// A program that was started, until it is reaped, and the parent's ends of its standard streams. One that
/// still runs when this goes is killed, with its group where it has one of its own.
class ChildProcess {
 public:
  /// `path` is the program's; the sentence is why it did not start. Throws environment_error when this
  /// process has no descriptors left.
  [[nodiscard]] static std::variant<ChildProcess, std::string> start(const std::string& path,
                                                                     const Command& command,
                                                                     ProcessGroup group);
  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&&) = delete;
  ~ChildProcess();

  [[nodiscard]] pid_t id() const { return pid_; }
  /// Reaps it, if it has ended.
  [[nodiscard]] bool exited();
  void kill();
  /// Asks it, not what it has started, to end: SIGTERM.
  void terminate();
  /// Readable when it has ended; -1 without pidfd_open (Linux 5.3): then look often.
  [[nodiscard]] int exit_fd() const { return exit_fd_.get(); }
  /// Signal or exit code of one that has exited.
  void tell_end(ProcessResult& result) const;

  UniqueFd input;   ///< what is written here it reads
  UniqueFd output;  ///< what it writes comes here
  UniqueFd error;

 private:
  ChildProcess(pid_t pid, ProcessGroup group);

  pid_t pid_;
  pid_t kill_target_;
  bool reaped_ = false;
  int status_ = 0;
  UniqueFd exit_fd_;
};

/// How long poll may wait for `child` and its streams: until `deadline`, or, where the end of a child cannot
/// be polled for, a moment. -1: without end. A deadline at the clock's end is none.
[[nodiscard]] int poll_timeout(const ChildProcess& child, std::chrono::steady_clock::time_point deadline);

/// `limit` from now; 0: the clock's end.
[[nodiscard]] std::chrono::steady_clock::time_point deadline_after(std::chrono::milliseconds limit);

}  // namespace kiln
