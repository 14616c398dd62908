#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/conversation.h"
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
  static ProcessResult stopped() {
    constexpr int kKill = 9;
    ProcessResult result = killed(kKill);
    result.stopped = true;
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
  /// A question is a run of the program with the line as its argument; what succeeds answers "done".
  std::unique_ptr<Conversation> converse(const Command& command) override {
    return std::make_unique<FakeConversation>(*this, command);
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
  class FakeConversation final : public Conversation {
   public:
    FakeConversation(FakeProcessRunner& runner, Command command)
        : runner_(runner), command_(std::move(command)) {}
    std::variant<Reply, ProcessResult> ask(std::string_view line, std::chrono::milliseconds limit,
                                           const std::stop_token& stop) override {
      Command question = command_;
      question.arguments = {std::string(line)};
      question.time_limit = limit;
      question.stop = stop;
      ProcessResult result = runner_.run(question);
      if (result.ok()) return Reply{"done", result.error};
      return result;
    }

   private:
    FakeProcessRunner& runner_;
    Command command_;
  };

  mutable std::mutex mutex_;
  Answer answer_;
  std::vector<Command> commands_;
  std::map<std::string, std::string> programs_;
};

}  // namespace kiln::test
