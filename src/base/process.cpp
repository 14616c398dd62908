#include "base/process.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "base/environment.h"
#include "base/pipe.h"
#include "base/text.h"
#include "kiln/error.h"

namespace kiln {
namespace {

using SteadyClock = std::chrono::steady_clock;
using std::chrono::milliseconds;

bool is_program(const std::string& path) {
  std::error_code code;
  return std::filesystem::is_regular_file(path, code) && ::access(path.c_str(), X_OK) == 0;
}

std::string search_path() {
  return read_environment("PATH").value_or("/bin:/usr/bin");
}

struct SpawnActionsTraits {
  using Handle = posix_spawn_file_actions_t*;
  static Handle null() { return nullptr; }
  static void close(Handle handle) noexcept {
    posix_spawn_file_actions_destroy(handle);
    delete handle;
  }
};

struct SpawnAttributesTraits {
  using Handle = posix_spawnattr_t*;
  static Handle null() { return nullptr; }
  static void close(Handle handle) noexcept {
    posix_spawnattr_destroy(handle);
    delete handle;
  }
};

UniqueHandle<SpawnActionsTraits> make_actions() {
  auto actions = std::make_unique<posix_spawn_file_actions_t>();
  if (posix_spawn_file_actions_init(actions.get()) != 0) throw environment_error("out of memory");
  return UniqueHandle<SpawnActionsTraits>(actions.release());
}

/// Default signals, none blocked.
UniqueHandle<SpawnAttributesTraits> make_attributes(ProcessGroup group) {
  auto fresh = std::make_unique<posix_spawnattr_t>();
  if (posix_spawnattr_init(fresh.get()) != 0) throw environment_error("out of memory");
  UniqueHandle<SpawnAttributesTraits> attributes(fresh.release());
  sigset_t none;
  sigemptyset(&none);
  sigset_t defaults;
  sigemptyset(&defaults);
  sigaddset(&defaults, SIGPIPE);
  posix_spawnattr_setsigmask(attributes.get(), &none);
  posix_spawnattr_setsigdefault(attributes.get(), &defaults);
  posix_spawnattr_setpgroup(attributes.get(), 0);
  const int set_group = group == ProcessGroup::kOwn ? POSIX_SPAWN_SETPGROUP : 0;
  posix_spawnattr_setflags(attributes.get(),
                           static_cast<short>(set_group | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF));
  return attributes;
}

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> result;
  result.reserve(words.size() + 1);
  for (std::string& word : words) result.push_back(word.data());
  result.push_back(nullptr);
  return result;
}

struct ChildPipes {
  Pipe input = make_pipe();
  Pipe output = make_pipe();
  Pipe error = make_pipe();
};

/// Returns errno's code, 0 when the child runs.
int spawn(const std::string& program, const Command& command, const ChildPipes& pipes, ProcessGroup group,
          pid_t& pid) {
  const auto actions = make_actions();
  const auto attributes = make_attributes(group);
  posix_spawn_file_actions_adddup2(actions.get(), pipes.input.read_end.get(), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(actions.get(), pipes.output.write_end.get(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(actions.get(), pipes.error.write_end.get(), STDERR_FILENO);
  if (!command.directory.empty()) {
    posix_spawn_file_actions_addchdir_np(actions.get(), command.directory.c_str());
  }
  std::vector<std::string> words = {command.program};
  words.insert(words.end(), command.arguments.begin(), command.arguments.end());
  return ::posix_spawn(&pid, program.c_str(), actions.get(), attributes.get(), pointers(words).data(),
                       environ);
}

/// A started child until it is reaped.
class Child {
 public:
  Child(pid_t pid, ChildPipes pipes, const Command& command, ProcessGroup group)
      : pid_(pid),
        kill_target_(group == ProcessGroup::kOwn ? -pid : pid),
        exit_fd_(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0))),
        input_(std::move(pipes.input.write_end), command.standard_input),
        output_(std::move(pipes.output.read_end), command.output_limit),
        error_(std::move(pipes.error.read_end), command.output_limit),
        output_cutoff_(command.output_cutoff),
        limited_(command.time_limit.count() > 0),
        deadline_(SteadyClock::now() + command.time_limit) {}

  ProcessResult wait() {
    ProcessResult result;
    result.started = true;
    input_.feed();
    bool killed = false;
    while (!exited()) {
      if (!killed) {
        result.timed_out = limited_ && SteadyClock::now() >= deadline_;
        result.flooded = std::max(output_.received(), error_.received()) > output_cutoff_;
        killed = result.timed_out || result.flooded;
        if (killed) ::kill(kill_target_, SIGKILL);
      }
      wait_for_event(killed);
      pump();
    }
    pump();
    if (WIFSIGNALED(status_)) {
      result.signal = WTERMSIG(status_);
    } else {
      result.exit_code = WEXITSTATUS(status_);
    }
    result.output = output_.take_text();
    result.error = error_.take_text();
    return result;
  }

 private:
  bool exited() {
    pid_t done = 0;
    do {
      done = ::waitpid(pid_, &status_, WNOHANG);
    } while (done < 0 && errno == EINTR);
    return done != 0;
  }

  void pump() {
    input_.feed();
    output_.drain();
    error_.drain();
  }

  /// Until a stream is ready, the child ends or the deadline passes. Without pidfd_open (Linux 5.3) it looks
  /// often.
  void wait_for_event(bool killed) {
    constexpr milliseconds kTick{2};
    std::array<pollfd, 4> fds = {pollfd{output_.fd(), POLLIN, 0}, pollfd{error_.fd(), POLLIN, 0},
                                 pollfd{input_.fd(), POLLOUT, 0}, pollfd{exit_fd_.get(), POLLIN, 0}};
    milliseconds timeout{-1};
    if (limited_ && !killed) {
      const auto left = std::chrono::ceil<milliseconds>(deadline_ - SteadyClock::now());
      timeout = std::clamp(left, milliseconds{0}, milliseconds{3'600'000});
    }
    if (!exit_fd_) timeout = timeout.count() < 0 ? kTick : std::min(timeout, kTick);
    ::poll(fds.data(), fds.size(), static_cast<int>(timeout.count()));
  }

  pid_t pid_;
  pid_t kill_target_;
  int status_ = 0;
  UniqueFd exit_fd_;
  PipeWriter input_;
  PipeReader output_;
  PipeReader error_;
  std::size_t output_cutoff_;
  bool limited_;
  SteadyClock::time_point deadline_;
};

ProcessResult not_started(const std::string& why) {
  ProcessResult result;
  result.error = why;
  return result;
}

class PosixProcessRunner : public ProcessRunner {
 public:
  explicit PosixProcessRunner(ProcessGroup group) : group_(group) {}

  ProcessResult run(const Command& command) override {
    const auto begin = SteadyClock::now();
    const auto program = find_program(command.program);
    if (!program) {
      return not_started("there is no program '" + command.program + "'" +
                         (command.program.find('/') == std::string::npos ? " in " + search_path() : ""));
    }
    const SigpipeBlock sigpipe = block_sigpipe();
    ChildPipes pipes;
    pid_t pid = -1;
    if (const int code = spawn(std::filesystem::absolute(*program), command, pipes, group_, pid); code != 0) {
      return not_started("cannot start '" + *program + "'" +
                         (command.directory.empty() ? "" : " in '" + command.directory + "'") + ": " +
                         std::generic_category().message(code));
    }
    close_child_ends(pipes);
    ProcessResult result = Child(pid, std::move(pipes), command, group_).wait();
    result.seconds = std::chrono::duration<double>(SteadyClock::now() - begin).count();
    return result;
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
  static void close_child_ends(ChildPipes& pipes) {
    pipes.input.read_end.reset();
    pipes.output.write_end.reset();
    pipes.error.write_end.reset();
  }

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
