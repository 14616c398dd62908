#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/conversation.h"
#include "base/process.h"
#include "base/trace.h"

namespace kiln {

/// Worker processes that stay: a compiler library takes longer to load than to compile a small kernel. One
/// for each compile at a time; each is replaced after some compiles, so that what a compiler leaks does not
/// pile up. Thread-safe.
class WorkerPool {
 public:
  /// `trace`, if not null, gets a span for each compile on the worker's own track: from the question to the
  /// answer, by this process's clock.
  explicit WorkerPool(ProcessRunner& processes, Trace* trace = nullptr)
      : processes_(processes), trace_(trace) {}

  /// Lets a worker of the program `worker` compile what the capsule in `folder` says, which is of
  /// `source` (for the trace). A worker that did not answer in time, or ended, is how it ended, as is one
  /// whose code is not needed any more (`stop`); `limit` 0: none.
  [[nodiscard]] ProcessResult compile(const std::string& worker, const std::filesystem::path& folder,
                                      std::chrono::milliseconds limit, std::string_view source = {},
                                      const std::stop_token& stop = {});
  /// Ends the workers that wait for a question.
  void end();

 private:
  struct Worker {
    std::string program;
    std::unique_ptr<Conversation> conversation;
    int compiles = 0;
  };

  [[nodiscard]] Worker take(const std::string& program);
  void give_back(Worker worker);
  void add_span(const Worker& worker, std::string_view source, std::int64_t begin_ns) const;

  ProcessRunner& processes_;
  Trace* trace_;
  std::mutex mutex_;  // of all below
  std::vector<Worker> idle_;
};

}  // namespace kiln
