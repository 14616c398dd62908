#include "kiln/job.h"

#include <algorithm>
#include <mutex>

#include "embed/handles.h"
#include "embed/job_setup.h"
#include "record/record_file.h"
#include "record/record_json.h"

namespace kiln {
namespace {

JobSpec job_of(FileSystem& files, const std::string& job, const JobOptions& options) {
  JobSpec spec = read_job(files, job);
  for (const std::string& assignment : options.set) apply_set(spec, assignment);
  for (const std::string& assignment : options.sweep) apply_sweep(spec, assignment);
  if (!options.devices.empty()) spec.devices = options.devices;
  if (!options.output.empty()) spec.output = options.output;
  if (options.resume && spec.output.empty())
    throw bad_input(
        "run_job: to resume needs the folder of the earlier run: `output:` or JobOptions::output");
  return spec;
}

JobRecord public_record(const Record& record) {
  JobRecord result;
  result.label = record.label;
  result.device = record.device.id;
  result.status = to_string(record.status);
  result.good = may_be_measured(record.status);
  result.message = record.message;
  if (record.step) result.seconds = record.step->median;
  result.json = record_to_json(record);
  return result;
}

/// Keeps each record, also in the folder, and passes it to the program.
class ProgramSink : public RecordSink {
 public:
  ProgramSink(const JobOptions& options, std::optional<RecordFile> file, Log& log)
      : options_(options), file_(std::move(file)), log_(log) {}

  void begin(const JobPlan& plan) override {
    if (file_) file_->require_writable();
    for (const std::string& note : plan.notes) log_.info(note);
  }
  void compiling(std::size_t last, std::size_t count) override {
    tell({JobProgress::Stage::kCompiling, last == 0 ? 0 : last - 1, count, ""});
  }
  void variant_started(std::size_t index, std::size_t count, const std::string& label) override {
    tell({JobProgress::Stage::kRunning, index, count, label});
  }
  void known(const Record& record) override { keep(record, false); }
  void record(const Record& record) override { keep(record, true); }

  [[nodiscard]] std::vector<JobRecord> take() { return std::move(records_); }

 private:
  void keep(const Record& record, bool is_new) {
    const std::lock_guard lock(mutex_);
    if (is_new && file_) file_->append(record);
    records_.push_back(public_record(record));
    if (options_.on_record) options_.on_record(records_.back());
  }
  void tell(const JobProgress& progress) {
    const std::lock_guard lock(mutex_);
    if (options_.on_progress) options_.on_progress(progress);
  }

  const JobOptions& options_;
  std::optional<RecordFile> file_;
  Log& log_;
  std::mutex mutex_;  // protects the records and the program's functions
  std::vector<JobRecord> records_;
};

bool is_sound(const JobRecord& record, bool checks_required) {
  return record.good && (!checks_required || record.status != to_string(RunStatus::kUnchecked));
}

}  // namespace

JobResult run_job(const Service& service, const std::string& job, const JobOptions& options) {
  Service::Impl& parts = *service.impl_;
  Engine& engine = parts.engine;
  FileSystem& files = *parts.files;
  const std::int64_t start_ns = parts.clock->steady_ns();
  const JobSpec spec = job_of(files, job, options);
  const auto workload = workload_of(spec, engine.library());
  const auto devices = open_devices(engine, device_names(spec.devices, engine.settings()));
  const auto advice = advice_for(engine, files, *parts.clock, *parts.log, spec, *workload);
  const JobPlan plan = make_plan(spec, workload, files, infos_of(devices), advice ? &*advice : nullptr);

  JobContext context = make_job_context(engine, files, *parts.clock, *parts.log, spec.isolation, start_ns);
  context.stop = options.stop;
  std::optional<RecordFile> file;
  if (!spec.output.empty()) file.emplace(files, spec.output);
  const KnownRecords known =
      options.resume ? resume_records(plan, file->read(*parts.log), context) : KnownRecords();
  ProgramSink sink(options, std::move(file), *parts.log);
  JobResult result;
  result.finished = run_job(plan, context, sink, known);
  result.records = sink.take();
  result.good = result.finished &&
                std::all_of(result.records.begin(), result.records.end(),
                            [&](const JobRecord& record) { return is_sound(record, spec.require_checks); });
  return result;
}

}  // namespace kiln
