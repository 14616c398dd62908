#include "isolate/worker_pool.h"

#include <algorithm>
#include <utility>

#include "isolate/worker.h"

namespace kiln {

ProcessResult WorkerPool::compile(const std::string& program, const std::filesystem::path& folder,
                                  std::chrono::milliseconds limit, std::string_view source,
                                  const std::stop_token& stop) {
  Worker worker = take(program);
  const std::int64_t begin = trace_ != nullptr ? trace_->now() : 0;
  auto answer = worker.conversation->ask(folder.string(), limit, stop);
  if (trace_ != nullptr) add_span(worker, source, begin);
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

void WorkerPool::add_span(const Worker& worker, std::string_view source, std::int64_t begin_ns) const {
  const std::int64_t process = worker.conversation->process();
  if (process == 0) return;
  TraceLabel label = make_label(TraceKind::kCompile, source);
  label.arguments.emplace_back("compiles_before", std::int64_t{worker.compiles});
  trace_->add({std::make_shared<const TraceLabel>(std::move(label)), begin_ns, trace_->now(),
               trace_->track({process, "kiln-worker", process, "compiles"})});
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

/// All are killed before the first is waited for: each takes milliseconds to give its memory back.
void WorkerPool::end() {
  const std::lock_guard lock(mutex_);
  for (const Worker& worker : idle_) worker.conversation->kill();
  idle_.clear();
}

void WorkerPool::give_back(Worker worker) {
  constexpr int kCompilesOfAWorker = 500;
  if (worker.compiles >= kCompilesOfAWorker) return;
  const std::lock_guard lock(mutex_);
  idle_.push_back(std::move(worker));
}

}  // namespace kiln
