#include "base/process.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>
#include <variant>

#include "base/child_process.h"
#include "base/conversation.h"
#include "base/environment.h"
#include "base/pipe.h"
#include "base/stop_event.h"
#include "base/text.h"
#include "kiln/error.h"

namespace kiln {
namespace {

using SteadyClock = std::chrono::steady_clock;

bool is_program(const std::string& path) {
  std::error_code code;
  return std::filesystem::is_regular_file(path, code) && ::access(path.c_str(), X_OK) == 0;
}

std::string search_path() {
  return read_environment("PATH").value_or("/bin:/usr/bin");
}

/// Writes a child's input and collects its output, until it ends or is ended at a limit.
class Attendance {
 public:
  Attendance(ChildProcess child, const Command& command)
      : child_(std::move(child)),
        input_(std::move(child_.input), command.standard_input),
        output_(std::move(child_.output), command.output_limit),
        error_(std::move(child_.error), command.output_limit),
        output_cutoff_(command.output_cutoff),
        deadline_(deadline_after(command.time_limit)),
        stop_(command.stop),
        stop_event_(stop_) {}

  ProcessResult wait() {
    ProcessResult result;
    result.started = true;
    input_.feed();
    bool killed = false;
    while (!child_.exited()) {
      if (!killed) {
        result.timed_out = SteadyClock::now() >= deadline_;
        result.flooded = std::max(output_.received(), error_.received()) > output_cutoff_;
        result.stopped = stop_.stop_requested();
        killed = result.timed_out || result.flooded || result.stopped;
        if (killed) {
          child_.kill();
          deadline_ = SteadyClock::time_point::max();
        }
      }
      wait_for_event(killed);
      pump();
    }
    pump();
    child_.tell_end(result);
    result.output = output_.take_text();
    result.error = error_.take_text();
    return result;
  }

 private:
  void pump() {
    input_.feed();
    output_.drain();
    error_.drain();
  }

  void wait_for_event(bool killed) {
    std::array<pollfd, 5> fds = {pollfd{output_.fd(), POLLIN, 0}, pollfd{error_.fd(), POLLIN, 0},
                                 pollfd{input_.fd(), POLLOUT, 0}, pollfd{child_.exit_fd(), POLLIN, 0},
                                 pollfd{killed ? -1 : stop_event_.fd(), 0, 0}};
    ::poll(fds.data(), fds.size(), poll_timeout(child_, deadline_));
  }

  ChildProcess child_;
  PipeWriter input_;
  PipeReader output_;
  PipeReader error_;
  std::size_t output_cutoff_;
  SteadyClock::time_point deadline_;
  std::stop_token stop_;
  StopEvent stop_event_;
};

ProcessResult not_started(const std::string& why) {
  ProcessResult result;
  result.error = why;
  return result;
}

std::string no_program(const std::string& name) {
  return "there is no program '" + name + "'" +
         (name.find('/') == std::string::npos ? " in " + search_path() : "");
}

class PosixProcessRunner : public ProcessRunner {
 public:
  explicit PosixProcessRunner(ProcessGroup group) : group_(group) {}

  ProcessResult run(const Command& command) override {
    const auto begin = SteadyClock::now();
    const auto program = find_program(command.program);
    if (!program) return not_started(no_program(command.program));
    const SigpipeBlock sigpipe = block_sigpipe();
    auto child = ChildProcess::start(std::filesystem::absolute(*program), command, group_);
    if (const auto* why = std::get_if<std::string>(&child)) return not_started(*why);
    ProcessResult result = Attendance(std::get<ChildProcess>(std::move(child)), command).wait();
    result.seconds = std::chrono::duration<double>(SteadyClock::now() - begin).count();
    return result;
  }

  std::unique_ptr<Conversation> converse(const Command& command) override {
    const auto program = find_program(command.program);
    if (!program) return make_failed_conversation(no_program(command.program));
    return make_conversation(std::filesystem::absolute(*program), command, group_);
  }

  std::optional<std::string> find_program(const std::string& name) override {
    if (name.empty()) return std::nullopt;
    if (name.find('/') != std::string::npos) return is_program(name) ? std::optional(name) : std::nullopt;
    for (const std::string& directory : split(search_path(), ':')) {
      const std::filesystem::path path = std::filesystem::path(directory.empty() ? "." : directory) / name;
      if (is_program(path)) return path.string();
    }
    return std::nullopt;
  }

 private:
  ProcessGroup group_;
};

}  // namespace

std::unique_ptr<ProcessRunner> make_process_runner(ProcessGroup group) {
  return std::make_unique<PosixProcessRunner>(group);
}

std::string signal_text(int signal) {
  const char* description = ::sigdescr_np(signal);
  return "signal " + std::to_string(signal) +
         (description == nullptr ? "" : " (" + std::string(description) + ")");
}

}  // namespace kiln
