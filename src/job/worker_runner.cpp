#include "job/worker_runner.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/conversation.h"
#include "base/text.h"
#include "job/compile_variants.h"
#include "job/trial_question.h"
#include "job/variant_record.h"
#include "record/record_json.h"

namespace kiln {
namespace {

constexpr std::string_view kErrorPrefix = "kiln: error: ";
constexpr std::string_view kEndSuffix = ": the process ends";

/// "signal 11 (Segmentation fault) in kernel 'k' of ...": the last words of a process that a signal ended, as
/// cli/fatal_end.h writes them; else how it ended.
std::string end_text(const ProcessResult& end) {
  const std::size_t suffix = end.error.rfind(kEndSuffix);
  const std::size_t prefix = suffix == std::string::npos ? suffix : end.error.rfind(kErrorPrefix, suffix);
  if (prefix != std::string::npos) {
    const std::size_t begin = prefix + kErrorPrefix.size();
    return end.error.substr(begin, suffix - begin);
  }
  if (end.signal != 0) return signal_text(end.signal);
  if (end.flooded) return "it printed without end";
  return "exit code " + std::to_string(end.exit_code);
}

/// Whether the variant may have left its process, or its device there, in a state that others suffer from.
bool spoils_process(const Record& record) {
  return ended_process(record.status) || record.status == RunStatus::kFaulted ||
         record.status == RunStatus::kNotRun;
}

class WorkerRunner final : public TrialRunner {
 public:
  WorkerRunner(const JobContext& context, std::string job_file, TrialWorkers workers)
      : context_(context), job_file_(std::move(job_file)), workers_(std::move(workers)) {}

  std::optional<Record> run(const Variant& variant, const TrialRequest& request) override {
    Variant own = variant;
    if (request.input_seed != 0) own.configuration.add_to_seed(request.input_seed);
    const RecordSource source{job_file_, request.measure.cold};
    if (auto failed = compile(own, source)) return failed;
    if (context_.stopped()) return std::nullopt;
    if (variant.device != device_) end_worker();
    device_ = variant.device;
    const bool used = answered_ > 0;
    auto record = ask(own, trial_question(variant, request), source);
    // A launch that does not end is the variant's own fault, and waiting for it again is expensive.
    if (used && record && spoils_process(*record) && record->status != RunStatus::kTimedOut)
      record = ask(own, trial_question(variant, request), source);
    return record;
  }

  /// The next process has it again.
  bool has_lost(const std::string& /*device*/) const override { return false; }

 private:
  struct Cost {
    Origin origin;
    double compile_seconds;
  };

  /// The record of a variant whose code does not compile. What it cost is kept for the record of the other
  /// process, which finds the code on the disk.
  std::optional<Record> compile(const Variant& variant, const RecordSource& source) {
    costs_.clear();
    for (const WantedCode& wanted : code_of({{variant, context_}})) {
      const auto result = context_.service.get(wanted.specialization, *wanted.compiler, nullptr);
      if (const auto* failure = std::get_if<Diagnostic>(&result)) {
        if (context_.stopped()) return std::nullopt;
        if (failure->environment) throw environment_error(failure->summary);
        Record record = describe_variant(variant, source, context_);
        record.status = RunStatus::kCompileFailed;
        record.message = failure->summary;
        record.log = failure->log;
        return record;
      }
      const auto& code = std::get<ServiceResult>(result);
      costs_[code.key.digest] = {code.origin, code.compile_seconds};
    }
    context_.service.finish_writing();
    return std::nullopt;
  }

  std::optional<Record> ask(const Variant& variant, const std::string& question, const RecordSource& source) {
    if (!worker_) worker_ = workers_.processes.converse(workers_.command);
    Record so_far = start_record(variant, source, context_);
    if (context_.watch != nullptr) context_.watch->variant_begins(so_far);
    auto answer = worker_->ask(question, std::chrono::milliseconds(0));
    ++answered_;
    if (const auto* end = std::get_if<ProcessResult>(&answer)) {
      end_worker();
      if (context_.stopped()) return std::nullopt;
      if (!end->started)
        throw environment_error("the process that runs the variants does not start: " + end->error);
      so_far.status = RunStatus::kCrashed;
      so_far.message = "the process ended while this variant ran: " + end_text(*end);
      return so_far;
    }
    const auto& reply = std::get<Reply>(answer);
    auto record = read_answer(reply.line);
    if (!record) return record;
    // A process that ends says so itself, in words that are not true of this one.
    if (workers_.tell && !reply.error.empty() && !ended_process(record->status)) workers_.tell(reply.error);
    complete(*record, so_far, variant);
    if (spoils_process(*record)) end_worker();
    return record;
  }

  void complete(Record& record, const Record& expected, const Variant& variant) const {
    record.run_id = expected.run_id;
    record.wisdom = expected.wisdom;
    for (UnitUse& unit : record.units) {
      const auto cost = costs_.find(unit.key);
      if (cost == costs_.end())
        throw internal_error("the process that runs the variants ran another one than '" + variant.label +
                             "'");
      if (unit.origin != Origin::kDisk) continue;
      unit.origin = cost->second.origin;
      unit.compile_seconds = cost->second.compile_seconds;
    }
  }

  void end_worker() {
    worker_.reset();
    answered_ = 0;
  }

  const JobContext& context_;
  std::string job_file_;
  TrialWorkers workers_;
  std::unique_ptr<Conversation> worker_;
  std::size_t answered_ = 0;           // questions of this worker
  std::string device_;                 // it works with
  std::map<std::string, Cost> costs_;  // by key, for the running variant
};

}  // namespace

std::unique_ptr<TrialRunner> make_worker_runner(const JobContext& context, std::string job_file,
                                                TrialWorkers workers) {
  return std::make_unique<WorkerRunner>(context, std::move(job_file), std::move(workers));
}

}  // namespace kiln
