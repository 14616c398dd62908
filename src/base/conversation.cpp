#include "base/conversation.h"

#include <poll.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "base/child_process.h"
#include "base/pipe.h"
#include "base/stop_event.h"
#include "kiln/error.h"

namespace kiln {
namespace {

using SteadyClock = std::chrono::steady_clock;
using Answer = std::variant<Reply, ProcessResult>;

class ProcessConversation final : public Conversation {
 public:
  ProcessConversation(ChildProcess child, const Command& command)
      : child_(std::move(child)),
        output_(std::move(child_.output), command.output_limit),
        error_(std::move(child_.error), command.output_limit),
        output_cutoff_(command.output_cutoff) {}

  Answer ask(std::string_view line, std::chrono::milliseconds limit, const std::stop_token& stop) override {
    const auto begin = SteadyClock::now();
    static_cast<void>(error_.take_text());
    // A program that does not read has ended, or will reach the limit.
    static_cast<void>(write_line(child_.input.get(), line));
    Answer answer = answer_before(deadline_after(limit), stop);
    if (auto* end = std::get_if<ProcessResult>(&answer))
      end->seconds = std::chrono::duration<double>(SteadyClock::now() - begin).count();
    return answer;
  }

  void kill() override {
    if (!child_.exited()) child_.kill();
  }

  std::int64_t process() const override { return child_.id(); }

 private:
  Answer answer_before(SteadyClock::time_point deadline, const std::stop_token& stop) {
    const StopEvent stop_event(stop);
    ProcessResult end;
    end.started = true;
    for (;;) {
      const bool exited = child_.exited();  // tested first, so that its last output is not missed
      auto line = take_line();
      error_.drain();
      if (line) return Reply{*std::move(line), error_.take_text()};
      if (exited) break;
      end.timed_out = SteadyClock::now() >= deadline;
      end.flooded = std::max(pending_.size(), error_.received()) > output_cutoff_;
      end.stopped = stop.stop_requested();
      if (end.timed_out || end.flooded || end.stopped) {
        child_.kill();
        while (!child_.exited()) wait_for_end();
        break;
      }
      wait_for_event(deadline, stop_event);
    }
    error_.drain();
    child_.tell_end(end);
    end.output = std::move(pending_);
    end.error = error_.take_text();
    return end;
  }

  std::optional<std::string> take_line() {
    output_.drain();
    pending_ += output_.take_text();
    const std::size_t end = pending_.find('\n');
    if (end == std::string::npos) return std::nullopt;
    std::string line = pending_.substr(0, end);
    pending_.erase(0, end + 1);
    return line;
  }

  void wait_for_event(SteadyClock::time_point deadline, const StopEvent& stop) {
    std::array<pollfd, 4> fds = {pollfd{output_.fd(), POLLIN, 0}, pollfd{error_.fd(), POLLIN, 0},
                                 pollfd{child_.exit_fd(), POLLIN, 0}, pollfd{stop.fd(), 0, 0}};
    ::poll(fds.data(), fds.size(), poll_timeout(child_, deadline));
  }

  void wait_for_end() {
    pollfd fd{child_.exit_fd(), POLLIN, 0};
    ::poll(&fd, 1, poll_timeout(child_, SteadyClock::time_point::max()));
  }

  ChildProcess child_;
  PipeReader output_;
  PipeReader error_;
  std::size_t output_cutoff_;
  std::string pending_;
};

/// A program that could not be started.
class NoConversation final : public Conversation {
 public:
  explicit NoConversation(std::string why) : why_(std::move(why)) {}

  Answer ask(std::string_view, std::chrono::milliseconds, const std::stop_token&) override {
    ProcessResult result;
    result.error = why_;
    return result;
  }

 private:
  std::string why_;
};

}  // namespace

std::unique_ptr<Conversation> make_conversation(const std::string& path, const Command& command,
                                                ProcessGroup group) {
  auto child = ChildProcess::start(path, command, group);
  if (auto* why = std::get_if<std::string>(&child)) return make_failed_conversation(std::move(*why));
  return std::make_unique<ProcessConversation>(std::get<ChildProcess>(std::move(child)), command);
}

std::unique_ptr<Conversation> make_failed_conversation(std::string why) {
  return std::make_unique<NoConversation>(std::move(why));
}

}  // namespace kiln
