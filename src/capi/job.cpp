#include "capi/guard.h"
#include "capi/handles.h"

using kiln::capi::deref;
using kiln::capi::text;
using kiln::capi::texts;

namespace {

kiln::JobOptions options_of(const kiln_job_options& given) {
  kiln::JobOptions options;
  options.set = texts(given.set, given.set_count, "options->set");
  options.sweep = texts(given.sweep, given.sweep_count, "options->sweep");
  options.devices = texts(given.devices, given.device_count, "options->devices");
  if (given.output != nullptr) options.output = given.output;
  options.resume = given.resume != 0;
  if (given.record != nullptr)
    options.on_record = [tell = given.record, user = given.user](const kiln::JobRecord& record) {
      tell(user, record.json.c_str());
    };
  if (given.progress != nullptr)
    options.on_progress = [tell = given.progress, user = given.user](const kiln::JobProgress& progress) {
      if (progress.stage == kiln::JobProgress::Stage::kRunning)
        tell(user, progress.index, progress.count, progress.label.c_str());
    };
  if (given.stop != nullptr) options.stop = [ask = given.stop, user = given.user] { return ask(user) != 0; };
  return options;
}

}  // namespace

kiln_status kiln_job_run(const kiln_service* service, const char* job, const kiln_job_options* options,
                         kiln_job_result* result) {
  return kiln::capi::guarded([&] {
    const kiln_job_options own =
        options == nullptr ? kiln_job_options{} : kiln::capi::read_struct(options, "options");
    if (result != nullptr) kiln::capi::write_struct(kiln_job_result{}, result, "result");  // before any work
    const kiln::JobResult done =
        kiln::run_job(deref(service, "service").service, text(job, "job"), options_of(own));
    if (result == nullptr) return;
    kiln::capi::write_struct(
        kiln_job_result{0, done.records.size(), static_cast<int>(done.finished), static_cast<int>(done.good)},
        result, "result");
  });
}
