#include "base/child_process.h"

#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <memory>
#include <system_error>
#include <utility>
#include <vector>

#include "base/pipe.h"
#include "base/unique_handle.h"
#include "kiln/error.h"

namespace kiln {
namespace {

using SteadyClock = std::chrono::steady_clock;
using std::chrono::milliseconds;

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

/// Default signal handlers, no signal blocked.
UniqueHandle<SpawnAttributesTraits> make_attributes(ProcessGroup group) {
  auto fresh = std::make_unique<posix_spawnattr_t>();
  if (posix_spawnattr_init(fresh.get()) != 0) throw environment_error("out of memory");
  UniqueHandle<SpawnAttributesTraits> attributes(fresh.release());
  sigset_t none;
  sigemptyset(&none);
  sigset_t defaults;
  sigemptyset(&defaults);
  sigaddset(&defaults, SIGPIPE);
  sigaddset(&defaults, SIGXFSZ);
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

}  // namespace

std::variant<ChildProcess, std::string> ChildProcess::start(const std::string& path, const Command& command,
                                                            ProcessGroup group) {
  Pipe input = make_pipe();
  Pipe output = make_pipe();
  Pipe error = make_pipe();
  const auto actions = make_actions();
  const auto attributes = make_attributes(group);
  posix_spawn_file_actions_adddup2(actions.get(), input.read_end.get(), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(actions.get(), output.write_end.get(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(actions.get(), error.write_end.get(), STDERR_FILENO);
  if (!command.directory.empty()) {
    posix_spawn_file_actions_addchdir_np(actions.get(), command.directory.c_str());
  }
  std::vector<std::string> words = {command.program};
  words.insert(words.end(), command.arguments.begin(), command.arguments.end());
  pid_t pid = -1;
  const int code =
      ::posix_spawn(&pid, path.c_str(), actions.get(), attributes.get(), pointers(words).data(), environ);
  if (code != 0) {
    return "cannot start '" + path + "'" +
           (command.directory.empty() ? "" : " in '" + command.directory + "'") + ": " +
           std::generic_category().message(code) +
           (code == EAGAIN ? std::string(" (") + kProcessLimit + ")" : "");
  }
  ChildProcess child(pid, group);
  child.input = std::move(input.write_end);
  child.output = std::move(output.read_end);
  child.error = std::move(error.read_end);
  return child;
}

ChildProcess::ChildProcess(pid_t pid, ProcessGroup group)
    : pid_(pid),
      kill_target_(group == ProcessGroup::kOwn ? -pid : pid),
      exit_fd_(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0))) {}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept
    : input(std::move(other.input)),
      output(std::move(other.output)),
      error(std::move(other.error)),
      pid_(other.pid_),
      kill_target_(other.kill_target_),
      reaped_(std::exchange(other.reaped_, true)),
      status_(other.status_),
      exit_fd_(std::move(other.exit_fd_)) {}

ChildProcess::~ChildProcess() {
  if (exited()) return;
  kill();
  while (::waitpid(pid_, &status_, 0) < 0 && errno == EINTR) {
  }
}

bool ChildProcess::exited() {
  if (reaped_) return true;
  pid_t done = 0;
  do {
    done = ::waitpid(pid_, &status_, WNOHANG);
  } while (done < 0 && errno == EINTR);
  reaped_ = done != 0;
  return reaped_;
}

void ChildProcess::kill() {
  ::kill(kill_target_, SIGKILL);
}

void ChildProcess::terminate() {
  if (!reaped_) ::kill(pid_, SIGTERM);
}

void ChildProcess::tell_end(ProcessResult& result) const {
  if (WIFSIGNALED(status_)) {
    result.signal = WTERMSIG(status_);
  } else {
    result.exit_code = WEXITSTATUS(status_);
  }
}

int poll_timeout(const ChildProcess& child, SteadyClock::time_point deadline) {
  constexpr milliseconds kTick{2};
  constexpr milliseconds kLongest{3'600'000};
  milliseconds timeout{-1};
  if (deadline != SteadyClock::time_point::max()) {
    const auto left = std::chrono::ceil<milliseconds>(deadline - SteadyClock::now());
    timeout = std::clamp(left, milliseconds{0}, kLongest);
  }
  if (child.exit_fd() < 0) timeout = timeout.count() < 0 ? kTick : std::min(timeout, kTick);
  return static_cast<int>(timeout.count());
}

SteadyClock::time_point deadline_after(milliseconds limit) {
  return limit.count() > 0 ? SteadyClock::now() + limit : SteadyClock::time_point::max();
}

}  // namespace kiln
