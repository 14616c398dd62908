#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/process.h"

namespace kiln::test {

/// Starts nothing: records each command and answers with what the test's function returns. Programs exist
/// where the test says so with `add_program`. Thread-safe; the answer function is called outside the lock.
class FakeProcessRunner : public ProcessRunner {
 public:
  using Answer = std::function<ProcessResult(const Command&)>;

  FakeProcessRunner() : FakeProcessRunner([](const Command&) { return succeeded(); }) {}
  explicit FakeProcessRunner(Answer answer) : answer_(std::move(answer)) {}

  static ProcessResult succeeded(std::string output = "") { return exited(0, std::move(output)); }
  static ProcessResult exited(int code, std::string output = "", std::string error = "") {
    ProcessResult result;
    result.started = true;
    result.exit_code = code;
    result.output = std::move(output);
    result.error = std::move(error);
    return result;
  }
  static ProcessResult killed(int signal) {
    ProcessResult result;
    result.started = true;
    result.signal = signal;
    return result;
  }
  static ProcessResult timed_out() {
    constexpr int kKill = 9;
    ProcessResult result = killed(kKill);
    result.timed_out = true;
    return result;
  }

  ProcessResult run(const Command& command) override {
    Answer answer;
    {
      const std::lock_guard lock(mutex_);
      commands_.push_back(command);
      answer = answer_;
    }
    return answer(command);
  }
  std::optional<std::string> find_program(const std::string& name) override {
    const std::lock_guard lock(mutex_);
    const auto found = programs_.find(name);
    return found == programs_.end() ? std::nullopt : std::optional(found->second);
  }

  void set_answer(Answer answer) {
    const std::lock_guard lock(mutex_);
    answer_ = std::move(answer);
  }
  void add_program(const std::string& name, const std::string& path) {
    const std::lock_guard lock(mutex_);
    programs_[name] = path;
  }
  [[nodiscard]] std::vector<Command> commands() const {
    const std::lock_guard lock(mutex_);
    return commands_;
  }

 private:
  mutable std::mutex mutex_;
  Answer answer_;
  std::vector<Command> commands_;
  std::map<std::string, std::string> programs_;
};

}  // namespace kiln::test
