#include "cli/tune_job_command.h"

#include <memory>

#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "base/exit_code.h"
#include "base/text.h"
#include "cli/arguments.h"
#include "cli/help.h"
#include "cli/interrupt.h"
#include "cli/job_arguments.h"
#include "cli/job_guard.h"
#include "cli/output_lock.h"
#include "cli/progress_keeper.h"
#include "cli/rank_session.h"
#include "cli/run_reporter.h"
#include "cli/shard_option.h"
#include "cli/trial_worker.h"
#include "cli/tune_reporter.h"
#include "embed/wisdom_lookup.h"
#include "job/device_lanes.h"
#include "job/plan.h"
#include "job/trial_runner.h"
#include "kiln/error.h"
#include "report/running_mark.h"
#include "search/searcher.h"
#include "tune/found_wisdom.h"
#include "tune/measurer.h"
#include "tune/tune_report.h"
#include "tune/tuner.h"
#include "tune/wisdom_points.h"
#include "wisdom/wisdom_file.h"

namespace kiln {
namespace {

struct TuneArguments {
  JobArguments job;
  std::string device, budget, searcher, objective;
  std::vector<std::string> space;
  std::optional<std::uint64_t> seed;
  std::string output, wisdom, ranks, shard, format = "table";
  bool dry_run = false, resume = false, no_wisdom = false, serves = false;
};

/// A search meets kernels that never end, and goes on soon.
constexpr const char* kTuneLaunchLimit = "60 s";

JobSpec job_of(World& world, const TuneArguments& arguments) {
  JobSpec job = read_job(world, arguments.job);
  if (!arguments.device.empty()) job.devices = split(arguments.device, ',');
  for (const std::string& assignment : arguments.space) apply_space(job.tune, assignment);
  if (!arguments.budget.empty()) apply_budget(job.tune, arguments.budget);
  if (!arguments.objective.empty()) apply_objective(job.tune, arguments.objective);
  if (!arguments.searcher.empty()) {
    job.tune.searcher = arguments.searcher;
    job.tune.searcher_where = {"--searcher", 0, 0};
  }
  if (arguments.seed) job.tune.seed = *arguments.seed;
  if (!arguments.output.empty()) job.output = arguments.output;
  if (job.output.empty()) job.output = std::filesystem::path(job.file).stem().string() + ".tune";
  if (arguments.no_wisdom && !arguments.wisdom.empty())
    throw bad_input("--no-wisdom and --wisdom: give one of them");
  return job;
}

/// The devices that share the search; the first one measures what is compared with, too.
std::vector<std::shared_ptr<Device>> devices_of(const JobSpec& job, World& world) {
  auto devices = open_devices(world.engine(), device_names(job.devices, world.settings().values));
  require_alike(infos_of(devices), job, "one search");
  return devices;
}

void print_space(const TuningSpace& space, std::ostream& out) {
  for (const auto& [name, values] : space.names()) {
    std::vector<std::string> texts;
    for (const RawValue& value : values) texts.push_back(value.text);
    out << name << ": " << join(texts, ", ") << "\n";
  }
  for (const std::string& line : space.summary()) out << line << "\n";
}

/// Evaluations of earlier searches in this folder.
std::vector<Evaluation> resume(const TuneTask& task, World& world) {
  std::vector<Evaluation> known = known_evaluations(task.journal->read(world.log()), task);
  if (!world.quiet())
    world.status_line().write("resumed: " + std::to_string(known.size()) + " points are known from " +
                              task.journal->path().string());
  return known;
}

/// The best variant as a job in the output folder. Empty where there is none; what to give `kiln run`.
std::string keep_best(const TuneTask& task, const TuneResult& result, World& world) {
  const std::string text = best_job(task, result);
  if (!text.empty()) {
    const std::filesystem::path file =
        task.journal->path().parent_path() / ("best" + task.shard.ending() + ".yaml");
    world.files().write_file(file, text, false);
    return file.string();
  }
  if (!result.best) return "";
  const auto rank = task.space.rank(result.evaluations[*result.best].values);
  return rank ? task.job.file + " --device " + task.device + " --set " +
                    task.space.label(task.space.points().point(*rank))
              : "";
}

/// Adds what was found to the wisdom file that the user named, or to the user's own. A sentence about it, or
/// nothing.
std::string keep_wisdom(const TuneTask& task, const TuneResult& result, const TuneArguments& arguments,
                        World& world) {
  const std::string named = arguments.wisdom;
  std::filesystem::path path = named.empty() ? world.settings().values.wisdom_dir : named;
  // The best of a shard is not the best of the search.
  if (arguments.no_wisdom || path.empty() || !task.shard.is_whole()) return "";
  const auto records = found_wisdom(task, result, wisdom_date(world.clock().system_ns()));
  if (records.empty()) return "";
  if (!named.ends_with(kWisdomEnding)) path /= wisdom_file_name(task.workload.name);
  try {
    update_wisdom_file(world.files(), path, records);
  } catch (const std::filesystem::filesystem_error& error) {
    const std::string problem = "cannot write " + path.string() + ": " + error.code().message();
    if (!named.empty()) throw environment_error(problem);
    world.log().warn("wisdom is not kept: " + problem);
    return "";
  }
  return "wisdom: " + path.string() + " is read by kiln run --wisdom\n";
}

/// For the exhaustive order alone: another searcher's next point follows from all outcomes before it.
Shard shard_for(World& world, const TuneArguments& arguments, const JobSpec& job) {
  const Shard shard = shard_of(world, arguments.shard);
  if (shard.is_whole() || job.tune.searcher == "exhaustive") return shard;
  if (!arguments.shard.empty())
    throw bad_input("--shard: expected the searcher exhaustive, whose points can be divided; found " +
                        in_quotes(job.tune.searcher),
                    job.tune.searcher_where);
  world.log().warn(
      "this task of an array searches the whole space: only the searcher exhaustive can be divided, not " +
      in_quotes(job.tune.searcher));
  return {};
}

int search(const TuneTask& task, TuneReporter& reporter, ProgressKeeper& progress, World& world,
           const TuneArguments& arguments) {
  std::vector<Evaluation> known;
  if (arguments.resume) known = resume(task, world);
  progress.state().known = known.size();
  progress.restart_clock();
  progress.write();
  task.journal->append(journal_header(task));
  const TuneResult result = tune(task, known);
  reporter.finish();
  const std::string best = keep_best(task, result, world);
  const std::string wisdom = keep_wisdom(task, result, arguments, world);
  if (reporter.is_table()) {
    world.out() << tune_report(task, result, world.style());
    if (!best.empty()) world.out() << "run it: kiln run " << best << "\n";
    world.out() << wisdom;
  }
  world.out().flush();
  const int code = result.stopped ? Interrupt::exit_code() : result.best ? kExitDone : kExitFailed;
  progress.end(code);
  if (!result.stopped) return code;
  world.status_line().write("interrupted: kiln tune --resume continues " + task.journal->path().string());
  return code;
}

int tune_job(World& world, const TuneArguments& arguments) {
  require_word("--format", arguments.format, run_formats());
  if (arguments.serves) return serve_trials(world, job_of(world, arguments));
  const auto session = arguments.dry_run ? nullptr : RankSession::join(world, arguments.ranks);
  if (session && !session->leads()) {
    return session->follow([&] {
      session->serve_trials(job_of_rank(*session, world, job_of(world, arguments)), kTuneLaunchLimit);
    });
  }
  JobSpec job = job_of(world, arguments);
  if (session) job = job_of_rank(*session, world, std::move(job));
  static_cast<void>(searcher_kind(job.tune.searcher, job.tune.searcher_where));
  const Shard shard = shard_for(world, arguments, job);
  std::vector<std::shared_ptr<Device>> devices = devices_of(job, world);
  const std::shared_ptr<Device> device = devices.front();
  const auto workload = workload_of(job, world.engine().library());
  const TuningSpace space(job, workload, device->info(), world.files());
  const Objective objective(job.tune.objective, *workload, space.sizes().size());
  if (job.tune.budget.target) static_cast<void>(objective.target(*job.tune.budget.target, device->info()));
  require_measurable(objective, *device, job.tune.objective.where);
  if (arguments.dry_run) {
    print_space(space, world.out());
    return kExitDone;
  }
  const Interrupt interrupt;
  JobContext context = world.job_context(job.isolation);
  context.stop = Interrupt::requested;
  RecordFile records(world.files(), job.output, shard.ending());
  records.require_writable();
  TuneJournal journal(world.files(), job.output, shard.ending());
  journal.require_own();
  world.files().make_directories(job.output, false);
  const auto lock = lock_output(world, job.output, shard, arguments.resume);
  RunningMark mark(job.output);
  record_crashed_variants(world.files(), records, world.log());
  ProgressKeeper progress(world, job.output, ProgressFile::kOfJob + shard.ending(), "points");
  TuneReporter reporter(world, arguments.format, records, space, objective, progress);
  const JobGuard guard(world, {&mark}, [&](const std::optional<Record>& last) {
    reporter.end_early(last);
    lock->remove();
  });
  context.watch = &guard.lane();
  const auto processes = make_process_runner(ProcessGroup::kOfParent);
  const MakeTrialRunner make_runner =
      isolates_trials(world, job, true)
          ? isolated_runners(world, job, *processes, kTuneLaunchLimit)
          : [&job](const JobContext& own) { return make_local_runner(own, job.file, true); };
  const auto runner = make_runner(context);
  std::vector<Record> ended = records.read(world.log());
  std::erase_if(ended, [](const Record& record) { return !ended_process(record.status); });
  std::vector<std::uint64_t> first;
  if (!arguments.no_wisdom && shard.is_whole()) {
    const auto sources = usual_wisdom(world.settings().values, *workload, job.file);
    const WisdomBook book(world.files(), sources, workload->name, world.log());
    first = wisdom_points(job, space, device->info(), book, world.files());
  }
  RankCrew* crew = session ? &session->crew() : nullptr;
  if (crew != nullptr) {
    const Variant usual{space.untuned(0).configuration, "", device->info().id};
    if (!crew->greet(usual, job, context)) return Interrupt::exit_code();
  }
  devices.erase(devices.begin());
  DeviceLanes other_devices(devices, make_runner);
  TrialLanes* others = crew;
  if (!devices.empty()) others = &other_devices;
  const TuneTask task{job,   *workload, space, context, device->info().id, *runner, reporter, &journal,
                      ended, first,     shard, others};
  return search(task, reporter, progress, world, arguments);
}

}  // namespace

std::string searcher_names() {
  std::vector<std::string> names;
  for (const SearcherKind& kind : searcher_kinds()) names.emplace_back(kind.name);
  return join(names, ", ");
}

Subcommand add_tune_job(CLI::App& command) {
  const auto arguments = std::make_shared<TuneArguments>();
  add_job_options(command, arguments->job);
  command
      .add_option("--device", arguments->device,
                  "auto, cpu, cuda:0 or hip:0; equal devices share the search: cuda:0,cuda:1, or cuda:all")
      ->type_name("DEVICE");
  command
      .add_option("--space", arguments->space,
                  "Values to try for a parameter, bind.NAME or switch; `all`: the workload's values")
      ->type_name("NAME=V1,V2");
  command
      .add_option("--budget", arguments->budget,
                  "End of the search: a time, such as 60s, or a number of evaluations")
      ->type_name("TIME|N");
  command.add_option("--searcher", arguments->searcher, "One of " + searcher_names())->type_name("NAME");
  command.add_option("--seed", arguments->seed, "Seed of the searcher's random numbers; default 1")
      ->type_name("N");
  command
      .add_option("--objective", arguments->objective,
                  "time (default) or a metric of the workload; {worst: time}, {pareto: [time, bandwidth]}")
      ->type_name("METRIC");
  command
      .add_option(
          "--output", arguments->output,
          "Folder for the journal (tune.jsonl), the records and the best variant as a job (best.yaml); "
          "default JOB.tune")
      ->type_name("DIR");
  command
      .add_option("--wisdom", arguments->wisdom,
                  "File or folder that keeps the best points, for `kiln run --wisdom`; default the user's")
      ->type_name("PATH");
  command.add_flag("--no-wisdom", arguments->no_wisdom, "Neither read nor write wisdom");
  command.add_flag("--resume", arguments->resume,
                   "Continue from the output folder's journal, also with another budget, objective or "
                   "searcher");
  command
      .add_option("--format", arguments->format,
                  "table, or the records as json (one a line), csv or markdown")
      ->type_name("FORMAT");
  add_ranks_option(command, arguments->ranks);
  add_serve_option(command, arguments->serves);
  add_shard_option(command, arguments->shard);
  command.add_flag("--dry-run", arguments->dry_run, "Show what would be varied; measure nothing");
  command.footer(
      examples(
          {"kiln tune configs/quickstart.yaml --device cpu --budget 60s",
           "kiln tune configs/stencil7.yaml --space block_x=32,64,128 --budget 200 --output results/tune",
           "kiln tune compare spaces/*.json.gz"}) +
      "\n\nExit code: 0 a best variant was found; 1 none could be measured; 2 bad input; 3 the machine lacks "
      "something; 130, 143 or 129 interrupted.");
  return {&command, [arguments](World& world) { return tune_job(world, *arguments); }};
}

}  // namespace kiln
