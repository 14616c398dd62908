#include <algorithm>
#include <deque>
#include <future>
#include <memory>

#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "base/async.h"
#include "base/exit_code.h"
#include "base/text.h"
#include "cli/arguments.h"
#include "cli/batch_command.h"
#include "cli/commands.h"
#include "cli/help.h"
#include "cli/interrupt.h"
#include "cli/job_arguments.h"
#include "cli/job_guard.h"
#include "cli/judgement.h"
#include "cli/output_lock.h"
#include "cli/progress_keeper.h"
#include "cli/rank_session.h"
#include "cli/run_reporter.h"
#include "cli/shard_option.h"
#include "cli/trial_worker.h"
#include "embed/job_setup.h"
#include "job/plan.h"
#include "record/record_file.h"
#include "record/record_json.h"
#include "report/running_mark.h"

namespace kiln {
namespace {

struct RunArguments {
  JobArguments job;
  std::string devices;
  std::string output;
  std::vector<std::string> keep;
  std::string format = "table";
  std::string ranks;
  std::string shard;
  std::optional<std::size_t> at_once;
  std::string wisdom;  ///< "true", or the path of a wisdom file; empty: as the job says
  bool strict_wisdom = false;
  bool resume = false, retry_crashed = false, dry_run = false, require_checks = false, spread = false,
       serves = false, keep_going = false;
};

/// The options of the command line that apply to a batch's jobs.
BatchOptions batch_options(const RunArguments& arguments, const Shard& shard) {
  const JobArguments sorted = sort_words(arguments.job);
  BatchOptions options;
  options.set = sorted.set;
  options.sweep = sorted.sweep;
  if (!arguments.devices.empty()) options.devices = split(arguments.devices, ',');
  options.output = arguments.output;
  options.format = arguments.format;
  options.resume = arguments.resume;
  options.keep_going = arguments.keep_going;
  options.dry_run = arguments.dry_run;
  if (arguments.at_once && *arguments.at_once == 0)
    throw bad_input("--at-once: expected at least 1; found 0");
  options.at_once = arguments.at_once;
  options.shard = shard;
  if (arguments.spread) options.for_runs.emplace_back("--spread");
  for (const std::string& keep : arguments.keep)
    options.for_runs.insert(options.for_runs.end(), {"--keep", keep});
  if (!arguments.wisdom.empty()) options.for_runs.push_back("--wisdom=" + arguments.wisdom);
  if (arguments.strict_wisdom) options.for_runs.emplace_back("--strict-wisdom");
  if (arguments.retry_crashed) options.for_records.emplace_back("--retry-crashed");
  if (arguments.require_checks) options.for_records.emplace_back("--require-checks");
  return options;
}

JobSpec job_of(World& world, const RunArguments& arguments) {
  JobSpec job = read_job(world, arguments.job);
  if (!arguments.devices.empty()) job.devices = split(arguments.devices, ',');
  if (!arguments.output.empty()) job.output = arguments.output;
  for (const std::string& assignment : arguments.keep) apply_keep(job, assignment);
  if (arguments.require_checks) job.require_checks = true;
  if (arguments.spread) job.spread = true;
  if (!arguments.wisdom.empty()) {
    job.wisdom = arguments.wisdom != "false";
    job.wisdom_from = arguments.wisdom == "true" ? "" : arguments.wisdom;
    job.wisdom_where = {"--wisdom", 0, 0};
  }
  job.strict_wisdom = arguments.strict_wisdom;
  if (job.strict_wisdom && !job.wisdom)
    throw bad_input("--strict-wisdom needs --wisdom, or `wisdom:` in the job");
  if (arguments.resume && job.output.empty())
    throw bad_input("--resume needs the folder of the run that was cut short: `output:` or --output");
  if (arguments.retry_crashed && !arguments.resume)
    throw bad_input("--retry-crashed needs --resume: it says which known variants run again");
  return job;
}

std::string binding_text(const ParameterValue& value) {
  return value.kind == ParameterKind::kScalar && value.binding == Binding::kRun ? " (run time)" : "";
}

void print_plan(const JobPlan& plan, std::ostream& out) {
  for (const std::string& note : plan.notes) out << note << "\n";
  out << plan.workload->name << ": " << plan.variants.size()
      << (plan.variants.size() == 1 ? " variant\n" : " variants\n");
  for (const Variant& variant : plan.variants) {
    out << "\n"
        << (variant.label.empty() ? plan.workload->name : variant.label) << " on " << variant.device << "\n";
    for (const auto& [name, value] : variant.configuration.values()) {
      out << "  " << name << " = " << value.to_string() << binding_text(value) << "\n";
    }
    for (const auto& [name, value] : variant.configuration.launch_values())
      out << "  " << name << " = " << value.to_string() << binding_text(value) << "\n";
  }
  if (!plan.excluded.empty()) out << "\n";
  for (const std::string& point : plan.excluded) out << "left out: " << point << "\n";
}

/// Whether the variant's process was ended from outside, and this happened only once.
bool may_have_been_killed(const Record& record, const std::vector<Record>& records) {
  if (!died_without_word(record)) return false;
  const std::string identity = variant_identity(record);
  return std::count_if(records.begin(), records.end(), [&](const Record& one) {
           return died_without_word(one) && variant_identity(one) == identity;
         }) == 1;
}

/// The results of earlier runs of this job; `context` continues the newest of them.
KnownRecords resume_run(const JobPlan& plan, const RecordFile& file, JobContext& context, World& world,
                        bool retry_crashed, bool over_ranks) {
  std::vector<Record> records = file.read(world.log());
  if (over_ranks && !plan.variants.empty()) {
    // Any rank may have measured a variant: devices are alike, so their numbers do not matter.
    const Device& own = *context.devices.open(plan.variants.front().device);
    for (Record& record : records) {
      if (record.device.target.backend == own.info().target.backend) record.device.id = own.info().id;
    }
  }
  KnownRecords known = resume_records(plan, records, context);
  std::size_t count = 0;
  for (auto& record : known) {
    if (!record) continue;
    if ((retry_crashed && ended_process(record->status)) || may_have_been_killed(*record, records)) {
      record.reset();
    } else {
      ++count;
    }
  }
  if (!world.quiet()) {
    world.status_line().write(
        count == 0 ? "nothing to resume: " + file.path().string() +
                         " has no variant of this job as it is now (device, compiler, Kiln, values, sources)"
                   : "resumed: " + std::to_string(count) + " of " + std::to_string(known.size()) +
                         " variants are known from " + file.path().string());
  }
  return known;
}

std::string interrupted_text(const std::optional<RecordFile>& file, std::size_t records) {
  if (!file) return "interrupted: with `output:` or --output a run could be resumed";
  if (records == 0) return "interrupted: no variant was finished, and no record is kept";
  return "interrupted: kiln run --resume goes on with " + file->path().string();
}

int run_and_report(const JobPlan& plan, World& world, const RunArguments& arguments, RankSession* session) {
  const Interrupt interrupt;
  JobContext context = world.job_context(plan.job.isolation);
  context.stop = Interrupt::requested;
  std::optional<RecordFile> file;
  std::deque<RunningMark> marks;
  std::vector<RunningMark*> lanes(std::max<std::size_t>(plan.spread.size(), 1), nullptr);
  std::unique_ptr<FolderLock> lock;
  if (!plan.job.output.empty()) {
    file.emplace(world.files(), plan.job.output, plan.shard.ending());
    file->require_writable();
    lock = lock_output(world, plan.job.output, plan.shard, arguments.resume,
                       arguments.resume ? FolderLock::Kind::kExclusive : FolderLock::Kind::kShared);
    for (RunningMark*& mark : lanes) mark = &marks.emplace_back(plan.job.output);
    record_crashed_variants(world.files(), *file, world.log());
  }
  const KnownRecords known =
      arguments.resume ? resume_run(plan, *file, context, world, arguments.retry_crashed, session != nullptr)
                       : KnownRecords();
  ProgressKeeper progress(world, plan.job.output, ProgressFile::kOfJob + plan.shard.ending(), "variants");
  RunReporter reporter(world, arguments.format, file, progress);
  RankCrew* crew = session == nullptr ? nullptr : &session->crew();
  const auto processes = make_process_runner(ProcessGroup::kOfParent);
  const MakeTrialRunner runners = isolates_trials(world, plan.job, crew != nullptr)
                                      ? isolated_runners(world, plan.job, *processes)
                                      : MakeTrialRunner();
  bool finished = false;
  try {
    const JobGuard guard(world, lanes, [&](const std::optional<Record>& last) {
      reporter.end_early(last);
      if (lock) lock->remove();
    });
    context.watch = &guard.lane();
    for (std::size_t i = 0; i < lanes.size(); ++i) context.lane_watches.push_back(&guard.lane(i));
    // A shard may have no variant.
    finished =
        (crew == nullptr || plan.variants.empty() || crew->greet(plan.variants.front(), plan.job, context)) &&
        run_job(plan, context, reporter, known, runners, crew);
    if (finished && crew != nullptr && !plan.variants.empty())
      reporter.add_counters(crew->counters(context.stop));
  } catch (...) {
    // An error of a compiler that the same Ctrl-C stopped is not reported.
    if (!Interrupt::requested()) {
      reporter.finish();
      throw;
    }
  }
  reporter.finish();
  const int code =
      finished ? judge(reporter.records(), plan.job.require_checks, world) : Interrupt::exit_code();
  progress.end(code);
  if (!finished) world.status_line().write(interrupted_text(file, reporter.count()));
  return code;
}

/// Makes the compilers of the named devices find their versions, which later steps need.
void ask_compilers(World& world, const std::vector<std::string>& devices) {
  for (const auto& [backend, compiler] : world.engine().compilers()) {
    const std::string prefix = backend + ":";
    const bool named = std::any_of(devices.begin(), devices.end(),
                                   [&](const std::string& device) { return device.starts_with(prefix); });
    if (!named) continue;
    try {
      static_cast<void>(compiler->identity());
    } catch (const Error&) {  // reported when the compiler is needed
    }
  }
}

int run(World& world, const RunArguments& arguments) {
  require_word("--format", arguments.format, run_formats());
  if (arguments.serves) return serve_trials(world, job_of(world, arguments));
  const Shard shard = shard_of(world, arguments.shard);
  if (auto batch = find_batch(world, sort_words(arguments.job).words)) {
    refuse_ranks(arguments.ranks, "several jobs or a batch", "start them for each job");
    return run_batch_of(world, *std::move(batch), batch_options(arguments, shard));
  }
  if (arguments.keep_going || arguments.at_once)
    throw bad_input(std::string(arguments.at_once ? "--at-once" : "--keep-going") +
                    ": of several jobs or a batch; found one job");
  const auto session = arguments.dry_run ? nullptr : RankSession::join(world, arguments.ranks);
  if (session && !session->leads()) {
    return session->follow(
        [&] { session->serve_trials(job_of_rank(*session, world, job_of(world, arguments))); });
  }
  JobSpec job = job_of(world, arguments);
  if (session) job = job_of_rank(*session, world, std::move(job));
  const std::vector<std::string> names = device_names(job.devices, world.settings().values);
  // A GPU's driver takes a tenth of a second to start; work that needs no device runs meanwhile.
  auto opened = run_beside([&] { return open_devices(world.engine(), names); });
  ask_compilers(world, names);
  auto workload = workload_of(job, world.engine().library());
  const auto devices = opened.get();
  const auto advice = advice_for(world.engine(), world.files(), world.clock(), world.log(), job, *workload);
  JobPlan plan =
      make_plan(job, std::move(workload), world.files(), infos_of(devices), advice ? &*advice : nullptr);
  keep_shard(plan, shard);
  if (!arguments.dry_run) return run_and_report(plan, world, arguments, session.get());
  static_cast<void>(find_problems(plan.variants, world.job_context(plan.job.isolation)));
  print_plan(plan, world.out());
  return kExitDone;
}

}  // namespace

Subcommand add_run_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "run", "Run a job, several, or a batch of them: compile, launch, check and measure each variant");
  const auto arguments = std::make_shared<RunArguments>();
  add_job_options(*command, arguments->job);
  command
      ->add_option("--device", arguments->devices,
                   "auto, cpu, cuda:0, hip:0, or several with commas: each runs every variant")
      ->type_name("DEVICE,...");
  command->add_flag(
      "--spread", arguments->spread,
      "Run each variant on one free device instead of on every device; the devices must be alike");
  command
      ->add_option("--output", arguments->output, "Folder whose records.jsonl gets a line for each variant")
      ->type_name("DIR");
  command
      ->add_option("--keep", arguments->keep,
                   "Write a buffer to a file (.npy, .bin, .txt, .csv) after a variant's checks; for a sweep "
                   "with {variant} or {parameter} in the name")
      ->type_name("BUFFER=FILE");
  command
      ->add_option("--format", arguments->format,
                   "Form of the results: table, json (one record a line), csv or markdown")
      ->type_name("FORMAT");
  command->add_flag(
      "--wisdom", arguments->wisdom,
      "Parameters that the job leaves free take the values of the nearest wisdom; =FILE or =DIR: "
      "from there instead of the usual folders (docs/wisdom.md)");
  command->add_flag(
      "--strict-wisdom", arguments->strict_wisdom,
      "With --wisdom: no wisdom, or one that was measured with another driver, compiler, Kiln or "
      "source, is an error");
  command->add_flag("--resume", arguments->resume,
                    "Continue an interrupted run: variants of this job that are in its output folder are "
                    "not run again");
  command->add_flag("--retry-crashed", arguments->retry_crashed,
                    "With --resume: run variants again that ended the process or exceeded launch_time_limit");
  command->add_flag("--keep-going", arguments->keep_going,
                    "For several jobs: after a failed job only the jobs that come `after` it are left out");
  command
      ->add_option("--at-once", arguments->at_once,
                   "For several jobs: how many run at the same time, each on its own devices; default 1")
      ->type_name("N");
  add_shard_option(*command, arguments->shard);
  command->add_flag("--dry-run", arguments->dry_run,
                    "Show the variants with all their parameters; run nothing");
  add_require_checks(*command, arguments->require_checks);
  add_ranks_option(*command, arguments->ranks);
  add_serve_option(*command, arguments->serves);
  command->footer(
      examples(
          {"kiln run configs/quickstart.yaml",
           "kiln run configs/stencil7.yaml --set nx=256 ny=256 --sweep block_x=64,128,256",
           "kiln run configs/stencil7.yaml --sweep bind.nx=compile,run --output results/binding --resume",
           "kiln run configs/stencil7.yaml configs/minibude.yaml --output results/two --keep-going"}) +
      "\n\nExit code: 0 no variant failed or was wrong; 1 one did; 2 bad input; 3 the machine lacks "
      "something; 130, 143 or 129 interrupted.");
  return {command, [arguments](World& world) { return run(world, *arguments); }};
}

}  // namespace kiln
