#include "batch/job_process.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/child_process.h"
#include "base/pipe.h"

namespace kiln {
namespace {

using SteadyClock = std::chrono::steady_clock;

/// Passes on complete lines, and the rest when the stream has ended.
class LineReader {
 public:
  LineReader(UniqueFd fd, JobProcess::TakeLine take)
      : pipe_(std::move(fd), std::numeric_limits<std::size_t>::max()), take_(std::move(take)) {}

  [[nodiscard]] int fd() const { return pipe_.fd(); }

  /// False if nothing was there.
  bool pump() {
    pipe_.drain();
    const std::string text = pipe_.take_text();
    pending_ += text;
    std::size_t begin = 0;
    for (std::size_t end = 0; (end = pending_.find('\n', begin)) != std::string::npos; begin = end + 1)
      take_(std::string_view(pending_).substr(begin, end - begin));
    pending_.erase(0, begin);
    return !text.empty();
  }
  void finish() {
    while (pump()) {
    }
    if (!pending_.empty()) take_(pending_);
    pending_.clear();
  }

 private:
  PipeReader pipe_;
  JobProcess::TakeLine take_;
  std::string pending_;
};

class PosixJobProcess final : public JobProcess {
 public:
  PosixJobProcess(ChildProcess child, std::chrono::milliseconds limit, TakeLine output, TakeLine error)
      : child_(std::move(child)),
        output_(std::move(child_.output), std::move(output)),
        error_(std::move(child_.error), std::move(error)),
        begin_(SteadyClock::now()),
        deadline_(deadline_after(limit)) {
    result_.started = true;
  }

  void add_events(std::vector<pollfd>& events, int& timeout) const override {
    for (const int fd : {output_.fd(), error_.fd(), child_.exit_fd()}) {
      if (fd >= 0) events.push_back({fd, POLLIN, 0});
    }
    const int own = poll_timeout(child_, deadline_);
    if (own >= 0) timeout = timeout < 0 ? own : std::min(timeout, own);
  }

  bool step() override {
    const bool exited = child_.exited();  // asked first, so that what it printed last is not missed
    output_.pump();
    error_.pump();
    if (exited) {
      output_.finish();
      error_.finish();
      child_.tell_end(result_);
      result_.seconds = std::chrono::duration<double>(SteadyClock::now() - begin_).count();
      return true;
    }
    if (SteadyClock::now() >= deadline_) end_at_deadline();
    return false;
  }

  void terminate() override {
    if (asked_) return;
    asked_ = true;
    child_.terminate();
    deadline_ = SteadyClock::now() + kGrace;
  }

  ProcessResult result() const override { return result_; }

 private:
  void end_at_deadline() {
    if (asked_) {
      child_.kill();
      deadline_ = SteadyClock::time_point::max();
      return;
    }
    result_.timed_out = true;
    terminate();
  }

  ChildProcess child_;
  LineReader output_;
  LineReader error_;
  SteadyClock::time_point begin_;
  SteadyClock::time_point deadline_;
  bool asked_ = false;
  ProcessResult result_;
};

}  // namespace

std::variant<std::unique_ptr<JobProcess>, std::string> JobProcess::start(const Command& command,
                                                                         TakeLine output, TakeLine error) {
  const auto processes = make_process_runner();
  const auto program = processes->find_program(command.program);
  if (!program) return "there is no program '" + command.program + "'";
  auto child = ChildProcess::start(*program, command, ProcessGroup::kOwn);
  if (auto* why = std::get_if<std::string>(&child)) return std::move(*why);
  return std::make_unique<PosixJobProcess>(std::get<ChildProcess>(std::move(child)), command.time_limit,
                                           std::move(output), std::move(error));
}

}  // namespace kiln
