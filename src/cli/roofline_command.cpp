#include <memory>

#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "base/exit_code.h"
#include "base/text.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/help.h"
#include "cli/interrupt.h"
#include "cli/job_arguments.h"
#include "cli/job_guard.h"
#include "cli/output_file.h"
#include "device/backend_kind.h"
#include "job/plan.h"
#include "kiln/error.h"
#include "report/ceilings.h"
#include "report/run_summary.h"

namespace kiln {
namespace {

/// Both precisions; what else matters is tried, and the highest rate counts.
constexpr const char* kJob = R"(workload: roofline
sweep:
  T: [float, double]
  stores: [plain, streaming]
  chains: [8, 16]
measure: {min_time: 0.2 s, max_time: 3 s, min_samples: 10, max_samples: 200}
)";

struct RooflineArguments {
  std::string device = "auto";
  std::vector<std::string> set, sweep;
  std::string output;
};

/// Shows progress and keeps the records.
class CeilingProgress : public RecordSink {
 public:
  explicit CeilingProgress(World& world) : world_(world) {}

  void begin(const JobPlan&) override {}
  void variant_started(std::size_t index, std::size_t count, const std::string& label) override {
    if (world_.quiet()) return;
    world_.status_line().show("[" + std::to_string(index + 1) + "/" + std::to_string(count) + "] " + label +
                              " ...");
  }
  void record(const Record& record) override { records_.push_back(record); }

  [[nodiscard]] const std::vector<Record>& records() const { return records_; }

 private:
  World& world_;
  std::vector<Record> records_;
};

JobSpec job_of(const RooflineArguments& arguments) {
  JobSpec job = parse_job(kJob, "kiln roofline");
  if (arguments.device.find(',') != std::string::npos)
    throw bad_input("--device: one device at a time, found '" + arguments.device + "'");
  job.devices = {arguments.device};
  for (const std::string& assignment : arguments.set) apply_set(job, assignment);
  for (const std::string& assignment : arguments.sweep) apply_sweep(job, assignment);
  return job;
}

std::string first_of(const std::vector<std::string>& names) {
  return names.empty() ? host_kind().name : names.front();
}

int roofline(World& world, const RooflineArguments& arguments) {
  const JobSpec job = job_of(arguments);
  const std::shared_ptr<Device> device =
      world.engine().devices().open(first_of(device_names(job.devices, world.settings().values)));
  const JobPlan plan =
      make_plan(job, workload_of(job, world.engine().library()), world.files(), {device->info()});
  require_output(world, arguments.output);
  const Interrupt interrupt;
  CeilingProgress progress(world);
  JobContext context = world.job_context(plan.job.isolation);
  context.stop = Interrupt::requested;
  const JobGuard guard(world, {nullptr}, nullptr);
  context.watch = &guard.lane();
  const bool finished = run_job(plan, context, progress);
  world.status_line().clear();
  if (!finished) return Interrupt::exit_code();
  const std::string problems = problem_paragraphs(progress.records(), TextStyle{});
  if (!problems.empty()) world.status_line().write(problems);
  const DeviceCeilings ceilings = ceilings_of(progress.records());
  if (ceilings.ceilings.empty()) return kExitFailed;
  write_output(world, arguments.output, ceilings_to_json(ceilings));
  return problems.empty() ? kExitDone : kExitFailed;
}

}  // namespace

Subcommand add_roofline_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "roofline", "Measure a device's ceilings: bandwidth, and the rate of fused multiply-adds");
  const auto arguments = std::make_shared<RooflineArguments>();
  command->add_option("--device", arguments->device, "auto, cpu, cuda:0 or hip:0")->type_name("DEVICE");
  command->add_option("--set", arguments->set, "Give a parameter of the workload roofline a value")
      ->type_name("NAME=VALUE");
  command->add_option("--sweep", arguments->sweep, "Try values of a parameter; the highest rate counts")
      ->type_name("NAME=V1,V2");
  command->add_option("-o,--output", arguments->output, "File to write, instead of standard output")
      ->type_name("FILE");
  command->footer(examples({"kiln roofline --device cpu -o ceilings.json",
                            "kiln roofline --device cuda:0 --sweep chains=4,8,12 -o h200.json",
                            "kiln report results --format html --ceilings h200.json -o report.html"}));
  return {command, [arguments](World& world) { return roofline(world, *arguments); }};
}

}  // namespace kiln
