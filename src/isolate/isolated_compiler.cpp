#include "isolate/isolated_compiler.h"

#include <algorithm>
#include <atomic>
#include <mutex>

#include "base/scratch_folder.h"
#include "base/text.h"
#include "base/version.h"
#include "config/setting_rows.h"
#include "isolate/failure_folder.h"
#include "isolate/outcome.h"
#include "isolate/worker_pool.h"
#include "isolate/worker_program.h"

namespace kiln {
namespace {

using Path = std::filesystem::path;

/// One compile in flight, as long as it is held.
struct CountDown {
  void operator()(std::atomic<int>* count) const { --*count; }
};
using Admission = std::unique_ptr<std::atomic<int>, CountDown>;

/// Empty if `most` are there already.
Admission try_enter(std::atomic<int>& count, int most) {
  int now = count.load();
  while (now < most) {
    if (count.compare_exchange_weak(now, now + 1)) return Admission(&count);
  }
  return {};
}

std::chrono::milliseconds milliseconds_of(double seconds) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::duration<double>(seconds));
}

std::string both_streams(const ProcessResult& result) {
  return result.error + result.output;
}

/// Why a worker gave no result: one clause.
std::string how_it_ended(const ProcessResult& result, const OutcomeGarbage& garbage,
                         const Settings& settings) {
  if (result.timed_out) return "did not finish within " + format_seconds(settings.compile_time_limit);
  if (result.flooded) return "printed without end";
  const std::string text = both_streams(result);
  const bool memory =
      text.find("out of memory") != std::string::npos || text.find("bad_alloc") != std::string::npos;
  const std::string note = memory && settings.compile_memory_limit > 0
                               ? " (its memory limit is " + format_bytes(settings.compile_memory_limit) + ")"
                               : "";
  if (result.signal != 0) return "was ended by " + signal_text(result.signal) + note;
  if (result.exit_code != 0) return "ended with exit code " + std::to_string(result.exit_code) + note;
  return "left no sound result: " + garbage.what;
}

Diagnostic fault(const ProcessResult& result, const OutcomeGarbage& garbage, const Capsule& capsule) {
  Diagnostic diagnostic;
  diagnostic.summary = capsule.specialization.source_name + ": error: the compile process " +
                       how_it_ended(result, garbage, capsule.settings);
  diagnostic.log = both_streams(result);
  diagnostic.compiler_fault = true;
  return diagnostic;
}

CompileResult compile_in(const ScratchFolder& work, const std::string& program, const Capsule& capsule,
                         const std::stop_token& stop, WorkerPool& workers, FileSystem& files) {
  const Path& folder = work.get().path;
  write_capsule(files, folder, capsule);
  const ProcessResult result =
      workers.compile(program, folder, milliseconds_of(capsule.settings.compile_time_limit),
                      capsule.specialization.source_name, stop);
  if (result.stopped) throw Cancelled();
  if (!result.started) return Diagnostic{result.error, "", program, true};

  WorkerOutcome outcome = read_outcome(files, folder);
  if (result.ok()) {
    if (auto* code = std::get_if<CodeObject>(&outcome)) return std::move(*code);
    if (auto* diagnostic = std::get_if<Diagnostic>(&outcome)) return std::move(*diagnostic);
    if (auto* error = std::get_if<Error>(&outcome)) throw Error(*error);
  }
  const auto* garbage = std::get_if<OutcomeGarbage>(&outcome);
  return fault(result, garbage == nullptr ? OutcomeGarbage{} : *garbage, capsule);
}

/// Whether the program says of itself that it is kiln-worker.
bool is_worker(const std::string& program, ProcessRunner& processes) {
  Command command;
  command.program = program;
  command.time_limit = std::chrono::seconds(10);
  return processes.run(command).error.find("kiln-worker") != std::string::npos;
}

/// `program`: what find_worker found.
CompileResult compile_capsule(const Capsule& capsule, const std::optional<std::string>& program,
                              const std::stop_token& stop, const Path& scratch, WorkerPool& workers,
                              ProcessRunner& processes, FileSystem& files) {
  const std::string& stated = capsule.settings.worker;
  if (!program) {
    throw environment_error("the program kiln-worker, which compiles in a process of its own, is not in " +
                            worker_places(stated) + "; set `worker` to its path, or `isolation` to none");
  }
  try {
    const ScratchFolder work = make_shared_scratch(files, scratch, "compile");
    CompileResult result = compile_in(work, *program, capsule, stop, workers, files);
    const auto* diagnostic = std::get_if<Diagnostic>(&result);
    if (diagnostic == nullptr || !diagnostic->compiler_fault || stated.empty() ||
        is_worker(*program, processes))
      return result;
    return Diagnostic{"'" + *program + "' is not kiln-worker; correct the setting `worker` (KILN_WORKER)",
                      diagnostic->log, *program, true};
  } catch (const std::filesystem::filesystem_error& error) {
    throw temporary_folder_error(scratch, error);
  }
}

Path private_failures(const Path& scratch) {
  return scratch / ("kiln-failures-" + std::to_string(current_user_id()) + "-");
}

class IsolatedCompiler final : public Compiler {
 public:
  IsolatedCompiler(Compiler& inner, IsolationOptions options, ProcessRunner& processes, FileSystem& files,
                   const Clock& clock, Log& log, Trace* trace)
      : inner_(inner),
        options_(std::move(options)),
        processes_(processes),
        files_(files),
        clock_(clock),
        failures_(files, clock, log, options_.failures, private_failures(options_.scratch)),
        workers_(processes, trace),
        trace_(trace) {}

  /// Workers that still compile end with this process's end of the conversation, and leave their folders.
  ~IsolatedCompiler() override {
    workers_.end();
    if (used_workers_) collect_scratch(files_, options_.scratch, clock_.system_ns());
  }

  const CompilerIdentity& identity() override { return inner_.identity(); }
  Target target_for(const std::string& arch) override { return inner_.target_for(arch); }
  std::string note_on(const Target& target) override { return inner_.note_on(target); }
  std::string surroundings(const Specialization& specialization) override {
    return inner_.surroundings(specialization);
  }
  std::string unknown_input(const Specialization& specialization) override {
    return inner_.unknown_input(specialization);
  }
  std::map<std::string, std::string> slow_kernels(const Specialization& specialization) override {
    return inner_.slow_kernels(specialization);
  }
  std::string abilities() override { return inner_.abilities(); }
  int compiles_at_once() const override { return inner_.compiles_at_once(); }
  void expect(int compiles) override { expected_ += compiles; }
  std::optional<RefusedOption> refuse(const std::vector<std::string>& options) const override {
    return inner_.refuse(options);
  }
  std::vector<std::string> quick_options() const override { return inner_.quick_options(); }

  CompileResult compile(const Specialization& specialization, const std::stop_token& stop) override {
    TraceSpan span(trace_, TraceKind::kCompile, specialization.source_name);
    if (span) describe(specialization, span);
    CompileResult result = compile_somewhere(specialization, stop, span);
    if (span) describe(result, span);
    if (auto* diagnostic = std::get_if<Diagnostic>(&result);
        diagnostic != nullptr && diagnostic->compiler_fault)
      failures_.keep(capsule_of(specialization), *diagnostic);
    return result;
  }

 private:
  CompileResult compile_somewhere(const Specialization& specialization, const std::stop_token& stop,
                                  TraceSpan& span) {
    std::call_once(collected_, [this] { collect_scratch(files_, options_.scratch, clock_.system_ns()); });
    const Admission any = try_enter(in_flight_, Compiler::kAnyNumber);
    const Admission here = try_enter(in_flight_here_, places_here());
    span.add("in", here ? "this process" : "a worker");
    if (here) return inner_.compile(specialization, stop);
    used_workers_ = true;
    return compile_capsule(capsule_of(specialization), worker_program(), stop, options_.scratch, workers_,
                           processes_, files_);
  }

  /// Looked for once: that takes some forty system calls.
  const std::optional<std::string>& worker_program() {
    std::call_once(looked_for_worker_,
                   [this] { worker_program_ = find_worker(options_.settings.worker, processes_); });
    return worker_program_;
  }

  void describe(const Specialization& specialization, TraceSpan& span) const {
    std::vector<std::string> entries;
    for (const EntryPoint& entry : specialization.entries) entries.push_back(entry.name_expression);
    span.add("kernels", join(entries, " "));
    span.add("target", specialization.target.to_string());
    span.add("options", join(specialization.options, " "));
  }

  static void describe(const CompileResult& result, TraceSpan& span) {
    const auto* code = std::get_if<CodeObject>(&result);
    span.add("ok", code != nullptr);
    if (code == nullptr) return;
    span.add("bytes", code->binary.size());
    span.flow({flow_of(code->binary), TraceFlow::Phase::kBegin});
  }

  /// How many compiles may run in this process at once.
  int places_here() {
    if (options_.isolation == Isolation::kProcess) return 0;
    const int wanted = inner_.compiles_at_once();
    if (options_.isolation == Isolation::kNone || wanted == Compiler::kAnyNumber) return Compiler::kAnyNumber;
    if (!worker_program()) return Compiler::kAnyNumber;
    // Among many, those in this process would hold each other up, and what else it does.
    return std::max(in_flight_.load(), expected_.load()) > 2 * wanted ? 0 : wanted;
  }

  Capsule capsule_of(const Specialization& specialization) {
    return {specialization, inner_.identity(), options_.settings, build_info().version};
  }

  Compiler& inner_;
  IsolationOptions options_;
  ProcessRunner& processes_;
  FileSystem& files_;
  const Clock& clock_;
  FailureFolder failures_;
  WorkerPool workers_;
  Trace* trace_;
  std::atomic<int> in_flight_{0};       // anywhere
  std::atomic<int> in_flight_here_{0};  // how many of these run in this process
  std::atomic<int> expected_{0};        // announced, with those in flight
  std::atomic<bool> used_workers_{false};
  std::once_flag collected_;  // what dead processes left
  std::once_flag looked_for_worker_;
  std::optional<std::string> worker_program_;
};

}  // namespace

Isolation parse_isolation(const std::string& word) {
  if (word == "auto") return Isolation::kAuto;
  if (word == "none") return Isolation::kNone;
  if (word == "process") return Isolation::kProcess;
  throw bad_input("isolation: '" + word + "' is not known" + suggestion(word, isolation_words()));
}

CompileResult run_in_worker(const Capsule& capsule, const Path& scratch, ProcessRunner& processes,
                            FileSystem& files) {
  WorkerPool workers(processes);
  return compile_capsule(capsule, find_worker(capsule.settings.worker, processes), {}, scratch, workers,
                         processes, files);
}

std::unique_ptr<Compiler> make_isolated_compiler(Compiler& inner, IsolationOptions options,
                                                 ProcessRunner& processes, FileSystem& files,
                                                 const Clock& clock, Log& log, Trace* trace) {
  return std::make_unique<IsolatedCompiler>(inner, std::move(options), processes, files, clock, log, trace);
}

}  // namespace kiln
