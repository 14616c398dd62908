#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/conversation.h"
#include "base/process.h"

namespace kiln {

/// Worker processes that stay: a compiler library takes longer to load than to compile a small kernel. One
/// for each compile at a time; each is replaced after some compiles, so that what a compiler leaks does not
/// pile up. Thread-safe.
class WorkerPool {
 public:
  explicit WorkerPool(ProcessRunner& processes) : processes_(processes) {}

  /// Lets a worker of the program `worker` compile what the capsule in `folder` says. A worker that did not
  /// answer in time, or ended, is how it ended; `limit` 0: none.
  [[nodiscard]] ProcessResult compile(const std::string& worker, const std::filesystem::path& folder,
                                      std::chrono::milliseconds limit);

 private:
  struct Worker {
    std::string program;
    std::unique_ptr<Conversation> conversation;
    int compiles = 0;
  };

  [[nodiscard]] Worker take(const std::string& program);
  void give_back(Worker worker);

  ProcessRunner& processes_;
  std::mutex mutex_;  // of all below
  std::vector<Worker> idle_;
};

}  // namespace kiln
