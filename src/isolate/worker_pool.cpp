#include "isolate/worker_pool.h"

#include <algorithm>
#include <utility>

#include "isolate/worker.h"

namespace kiln {

ProcessResult WorkerPool::compile(const std::string& program, const std::filesystem::path& folder,
                                  std::chrono::milliseconds limit) {
  Worker worker = take(program);
  auto answer = worker.conversation->ask(folder.string(), limit);
  if (auto* end = std::get_if<ProcessResult>(&answer)) return std::move(*end);
  ProcessResult done;
  done.started = true;
  done.exit_code = 0;
  auto& reply = std::get<Reply>(answer);
  done.output = std::move(reply.line);
  done.error = std::move(reply.error);
  ++worker.compiles;
  if (done.output == kWorkerStays) give_back(std::move(worker));
  return done;
}

WorkerPool::Worker WorkerPool::take(const std::string& program) {
  {
    const std::lock_guard lock(mutex_);
    const auto found = std::find_if(idle_.begin(), idle_.end(),
                                    [&](const Worker& worker) { return worker.program == program; });
    if (found != idle_.end()) {
      Worker worker = std::move(*found);
      idle_.erase(found);
      return worker;
    }
  }
  Command command;
  command.program = program;
  command.arguments = {kWorkerServes};
  return {program, processes_.converse(command)};
}

void WorkerPool::give_back(Worker worker) {
  constexpr int kCompilesOfAWorker = 500;
  if (worker.compiles >= kCompilesOfAWorker) return;
  const std::lock_guard lock(mutex_);
  idle_.push_back(std::move(worker));
}

}  // namespace kiln
