#include <filesystem>
#include <memory>
#include <optional>

#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "base/exit_code.h"
#include "base/process.h"
#include "base/scratch_folder.h"
#include "base/text.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/help.h"
#include "cli/interrupt.h"
#include "cli/job_arguments.h"
#include "cli/job_guard.h"
#include "cli/judgement.h"
#include "cli/output_lock.h"
#include "cli/progress_keeper.h"
#include "cli/rank_session.h"
#include "cli/shard_option.h"
#include "merge/merge_files.h"
#include "record/record_file.h"
#include "record/study_reader.h"
#include "report/portability_text.h"
#include "report/running_mark.h"
#include "report/study_report.h"
#include "study/ended_cases.h"
#include "study/study_runner.h"
#include "study/study_views.h"

namespace kiln {
namespace {

struct StudyArguments {
  std::vector<std::string> words, set;
  std::string devices, output;
  std::string format = "table", shard, ranks;
  std::optional<std::int64_t> rounds, samples, compiles;
  bool resume = false, retry_crashed = false, dry_run = false, require_checks = false;
};

const std::vector<std::string>& study_formats() {
  static const std::vector<std::string> names = {"table", "json", "csv", "markdown"};
  return names;
}

/// Replaces the file's value by the command line's value, in the same range.
void take_count(const std::optional<std::int64_t>& given, const CountRange& range, const char* option,
                std::size_t& count) {
  if (!given) return;
  if (!range.holds(*given)) throw bad_input(std::string(option) + ": " + range.refusal(*given));
  count = static_cast<std::size_t>(*given);
}

std::vector<StudySpec> specs_of(World& world, const StudyArguments& arguments) {
  std::vector<std::string> words = arguments.words;
  std::vector<std::string> set;
  for (const std::string& word : arguments.set)
    (word.find('=') == std::string::npos ? words : set).push_back(word);
  if (words.empty())
    throw bad_input("a study file is missing, such as configs/studies/minibude_constants.yaml");
  if (words.size() > 1) throw bad_input("one study at a time: '" + words[1] + "' is one argument too many");
  std::vector<StudySpec> specs = load_study(world.files(), words.front());
  for (StudySpec& spec : specs) {
    for (const std::string& assignment : set) apply_set(spec, assignment);
    if (!arguments.devices.empty()) spec.devices = split(arguments.devices, ',');
    if (!arguments.output.empty()) spec.output = arguments.output;
    if (arguments.require_checks) spec.require_checks = true;
    take_count(arguments.rounds, kRounds, "--rounds", spec.rounds);
    take_count(arguments.samples, kSamples, "--samples", spec.samples);
    take_count(arguments.compiles, kCompiles, "--compiles", spec.compiles);
  }
  if (arguments.resume && specs.front().output.empty())
    throw bad_input("--resume needs the folder of the study that was cut short: `output:` or --output");
  return specs;
}

void print_plan(const StudyPlan& plan, std::ostream& out) {
  for (const DeviceCases& cases : plan.devices) {
    out << cases.section << " on " << cases.device.id << ": " << cases.cases.size() << " cases\n";
    for (const StudyCase& which : cases.cases) {
      const bool bound = !which.constants.empty();
      out << "  " << which.name << (bound ? ": at compile time " + join(which.constants, ", ") : "") << "\n";
    }
    if (!cases.unread.empty())
      out << "not read by the kernels of a step: " << join(cases.unread, ", ") << "\n";
    for (const std::string& point : cases.excluded) out << "left out: " << point << "\n";
    if (!cases.no_ahead.empty()) out << "no cases by the compiler of programs: " << cases.no_ahead << "\n";
  }
}

/// Progress of a study: on a terminal each case with the time that is left, elsewhere a line for each stage.
class ProgressLine {
 public:
  ProgressLine(World& world, ProgressKeeper& kept) : world_(world), kept_(kept) {}

  void tell(const StudyProgress& progress) {
    const std::int64_t now = world_.clock().steady_ns();
    // Rounds are one stage; with many cases, compiles and checks take turns.
    const std::string kind =
        progress.section + progress.device + progress.stage.substr(0, progress.stage.find(' '));
    if (kind != kind_) {
      kind_ = kind;
      begin_ns_ = now;
      begin_done_ = progress.done;
      kept_.restart_clock();
    }
    const std::string stage = progress.section + " on " + progress.device + ", " + progress.stage;
    keep(progress, stage);
    if (world_.quiet()) return;
    if (world_.status_line().is_terminal()) {
      // The least important part stands last, where a narrow terminal cuts the line off.
      world_.status_line().show("[" + std::to_string(progress.done + 1) + "/" +
                                std::to_string(progress.count) + "]" + time_left(progress, now) +
                                best(progress) + ", " + stage + ": " + progress.name);
    } else if (stage != stage_) {
      world_.status_line().write(stage + best(progress) + time_left(progress, now));
    }
    stage_ = stage;
  }

 private:
  void keep(const StudyProgress& progress, const std::string& stage) {
    Progress& state = kept_.state();
    state.done = progress.done;
    state.known = begin_done_;
    state.total = progress.count;
    if (!progress.best.empty())
      state.best = progress.best + " (" + format_seconds(progress.best_seconds) + ")";
    if (state.stage != stage) {
      state.stage = stage;
      kept_.add_message(stage);
      kept_.write();
    }
    kept_.write_if_due();
  }

  static std::string best(const StudyProgress& progress) {
    return progress.best.empty() ? ""
                                 : ", best " + progress.best + " " + format_seconds(progress.best_seconds);
  }

  /// Time left for the items that `progress` counts: compiles or checks, or the visits of all rounds. Each is
  /// expected to take as long as the mean of the items before it.
  [[nodiscard]] std::string time_left(const StudyProgress& progress, std::int64_t now) const {
    if (progress.done <= begin_done_) return "";
    const double each = seconds_between(begin_ns_, now) / static_cast<double>(progress.done - begin_done_);
    return ", " + format_seconds(each * static_cast<double>(progress.count - progress.done)) +
           (progress.stage.starts_with("round") ? " of rounds left" : " of this stage left");
  }

  World& world_;
  ProgressKeeper& kept_;
  std::int64_t begin_ns_ = 0;  // begin of this kind of stage, and the number of cases done at that time
  std::size_t begin_done_ = 0;
  std::string kind_, stage_;
};

/// Writes a record for each case beside the study's own file, for programs that read records of jobs. The
/// records of cases that ended the process are there already.
void write_records(RecordFile& file, const StudyPlan& plan, const StudyOutcome& outcome) {
  for (std::size_t i = 0; i < outcome.devices.size(); ++i) {
    if (!outcome.devices[i].is_new) continue;
    for (const StudyCase& which : plan.devices[i].cases) {
      const auto found = outcome.devices[i].data.find(which.name);
      if (found == outcome.devices[i].data.end() || ended_process(found->second.record.status)) continue;
      file.append(found->second.record);
    }
  }
}

/// The comparison of the devices, for a study on several.
std::string comparison_text(const StudyOutcome& outcome, const TextStyle* style) {
  std::vector<Record> records;
  for (const Record* record : outcome.records()) records.push_back(*record);
  const std::string text = devices_text(records, style);
  return text.empty() ? "" : "\n" + text;
}

/// The reports as csv, markdown or table.
std::string reports_text(World& world, const std::vector<StudyReport>& reports, const std::string& format) {
  if (format == "csv") return studies_to_csv(reports);
  const TextStyle style = world.style();
  std::string text;
  for (const StudyReport& report : reports) {
    text += (text.empty() ? "" : "\n") +
            (format == "markdown" ? study_to_markdown(report) : study_to_terminal(report, style));
  }
  return text;
}

/// The last line of a table, with the file's place.
std::string place_text(const StudyFile& file, const std::string& format) {
  return format == "table" ? "\nresults: " + file.path().string() + "\n" : "";
}

std::string results_text(World& world, const StudyPlan& plan, const StudyOutcome& outcome,
                         const StudyHeader& header, const std::string& format, const StudyFile* file) {
  std::string text;
  if (format == "json") {
    for (const DeviceResult& device : outcome.devices) {
      if (device.is_own) text += study_line(device.result) + "\n";
    }
    return text;
  }
  text = reports_text(world, reports_of(plan, outcome, header), format);
  if (format == "csv") return text;
  const TextStyle style = world.style();
  text += comparison_text(outcome, format == "table" ? &style : nullptr);
  return file == nullptr ? text : text + place_text(*file, format);
}

/// Creates the study's file, or opens an existing one to continue it.
StudyContent open_file(StudyFile& file, const StudyPlan& plan, const StudyContext& context, bool resume,
                       World& world) {
  const StudyHeader header = header_of(plan, context);
  if (resume) {
    if (auto content = file.resume(header.digest)) {
      for (const std::string& note : content->notes) world.log().warn(note);
      return std::move(*content);
    }
  }
  file.begin(header);
  return {};
}

/// The objects that measure a study.
struct StudyWork {
  StudyPlan plan;
  JobContext job;
  AheadCompilers ahead;
  std::vector<std::shared_ptr<Device>> devices;  ///< held, so that the layers below get the same devices
};

/// `session`: null if this process is not a rank. Each rank measures a shard and prints nothing.
int measure(World& world, const StudyWork& work, const StudyArguments& arguments,
            const RankSession* session = nullptr) {
  const StudyPlan& plan = work.plan;
  const Interrupt interrupt;
  ProgressKeeper kept(world, plan.spec.output, ProgressFile::kOfJob + plan.shard.ending(), "cases");
  ProgressLine line(world, kept);
  const auto processes = make_process_runner();
  StudyContext context{
      work.job,
      work.ahead,
      *processes,
      temporary_folder(),
      [session] { return Interrupt::requested() || (session != nullptr && session->ended()); },
      [&line](const StudyProgress& progress) { line.tell(progress); },
  };
  std::unique_ptr<FolderLock> lock;
  std::optional<StudyFile> file;
  std::optional<RecordFile> records;
  std::optional<RunningMark> mark;
  StudyContent content;
  if (!plan.spec.output.empty()) {
    lock = lock_output(world, plan.spec.output, plan.shard, arguments.resume);
    file.emplace(world.files(), plan.spec.output, plan.shard);
    content = open_file(*file, plan, context, arguments.resume, world);
    records.emplace(world.files(), plan.spec.output, plan.shard.ending());
    mark.emplace(plan.spec.output);
    record_crashed_variants(world.files(), *records, world.log());
    if (!content.header.run_id.empty()) context.job.run_id = content.header.run_id;
    if (!arguments.retry_crashed) {
      std::vector<Record> known = records->read(world.log());
      if (!plan.shard.is_whole()) {
        for (Record& record : RecordFile(world.files(), plan.spec.output).read(world.log()))
          known.push_back(std::move(record));
      }
      context.ended = find_ended_cases(plan, known, context.job.run_id);
    }
  }
  StudyOutcome outcome;
  try {
    const JobGuard guard(world, {mark ? &*mark : nullptr}, [&](const std::optional<Record>& last) {
      if (records && last) records->append(*last);
      if (lock) lock->remove();
    });
    context.job.watch = &guard.lane();
    outcome = run_study(plan, context, file ? &*file : nullptr, content);
  } catch (...) {
    world.status_line().clear();
    // An error of a compiler that the same Ctrl-C stopped is not reported.
    if (!Interrupt::requested()) throw;
    outcome.interrupted = true;
  }
  world.status_line().clear();
  if (outcome.interrupted) {
    kept.end(Interrupt::exit_code());
    world.status_line().write(file ? "interrupted: kiln study --resume goes on with " + file->path().string()
                                   : "interrupted: with `output:` a study could be resumed");
    return Interrupt::exit_code();
  }
  if (records) write_records(*records, plan, outcome);
  if (session == nullptr) {
    world.out() << results_text(world, plan, outcome, header_of(plan, context), arguments.format,
                                file ? &*file : nullptr)
                << std::flush;
  }
  const int code = judge(outcome.records(), plan.spec.require_checks, world);
  kept.end(code);
  return code;
}

StudyWork work_of(World& world, const StudyArguments& arguments) {
  const std::vector<StudySpec> specs = specs_of(world, arguments);
  std::vector<std::shared_ptr<const Workload>> workloads;
  workloads.reserve(specs.size());
  for (const StudySpec& spec : specs)
    workloads.push_back(world.engine().library().load(spec.workload, spec.workload_where));
  StudyWork work{{}, world.job_context(specs.front().isolation), {}, {}};
  std::vector<DeviceInfo> infos;
  work.devices = open_devices(world.engine(), device_names(specs.front().devices, world.settings().values));
  for (const auto& device : work.devices) {
    infos.push_back(device->info());
    const std::string& backend = device->info().target.backend;
    work.ahead[backend] = world.engine().ahead_compiler(backend);
  }
  work.plan = plan_study(specs, workloads, infos, world.files(), work.ahead);
  for (const DeviceCases& cases : work.plan.devices)
    static_cast<void>(find_problems(cases.variants, work.job));
  return work;
}

void tell_shard(World& world, const StudyPlan& plan) {
  if (plan.shard.is_whole() || world.quiet()) return;
  world.status_line().write("shard " + plan.shard.text() + ": " +
                            std::to_string(plan.shard.size_of(plan.devices.size())) + " of " +
                            std::to_string(plan.devices.size()) + " pairs of a section and a device");
}

/// Prepares the folder of a study over ranks before they begin: a new study, or one that continues.
void prepare_folder(World& world, const StudyWork& work, const StudyHeader& header, bool resume) {
  const std::string& output = work.plan.spec.output;
  if (resume) {
    join_shards(world.files(), output, {true, true}, world.log());
    static_cast<void>(StudyFile(world.files(), output).resume(header.digest));
    return;
  }
  const auto left = shard_files(world.files(), output);
  if (!left.empty())
    throw bad_input("'" + output + "' holds a study that was cut short (" + left.front().filename().string() +
                    "): --resume goes on with it");
  StudyFile(world.files(), output).begin(header);
}

/// The results of all ranks, as their joined file has them.
std::string joined_text(World& world, const std::string& output, const std::string& digest,
                        const std::string& format) {
  StudyFile file(world.files(), output);
  StudyContent content = file.resume(digest).value();
  std::string text;
  if (format == "json") {
    for (const auto& [block, known] : content.blocks)
      text += known.result ? study_line(*known.result) + "\n" : "";
    return text;
  }
  const StudyReports found = reports_of(std::move(content), file.path().string());
  for (const std::string& note : found.notes) world.log().warn(note);
  return reports_text(world, found.reports, format) + place_text(file, format);
}

/// Each rank measures a shard of the study on a device of its own, into files of its own; rank 0 joins them.
int share_out(World& world, StudyWork work, const StudyArguments& arguments, RankSession& session) {
  const std::string& output = work.plan.spec.output;
  if (output.empty())
    throw bad_input("ranks write a study to files that all of them see: `output:` or --output is missing");
  if (work.devices.size() != 1)
    throw bad_input("each rank of a study measures on one device; found " +
                    std::to_string(work.devices.size()) + ": name a back end, such as --device cuda");
  const auto processes = make_process_runner();
  const StudyContext context{work.job, work.ahead, *processes, temporary_folder(), {}, {}};
  const StudyHeader header = header_of(work.plan, context);
  const std::string pci_address = work.devices.front()->info().pci_address;
  const auto measure_part = [&](const JobPart& part) {
    work.plan.shard = {part.part, part.parts};
    return measure(world, work, arguments, &session);
  };
  if (!session.leads()) {
    session.serve_parts({work.job, world.engine().cache(), header.digest, pci_address,
                         [&](const JobPart& part) { return std::to_string(measure_part(part)); }});
    return kExitDone;
  }
  int code = kExitDone;
  const auto own = [&](const JobPart& part) { code = measure_part(part); };
  const auto answers = session.crew().run_parts(
      {header.digest, pci_address, [&] { prepare_folder(world, work, header, arguments.resume); }, own},
      work.job);
  if (!answers) return Interrupt::exit_code();
  for (const std::string& answer : *answers)
    code = std::max(code, static_cast<int>(parse_integer(answer).value_or(kExitInternal)));
  if (code > kExitFailed) return code;  // interrupted: the shards are kept for --resume
  join_shards(world.files(), output, {true, true}, world.log());
  world.out() << joined_text(world, output, header.digest, arguments.format) << std::flush;
  return code;
}

int run(World& world, const StudyArguments& arguments) {
  require_word("--format", arguments.format, study_formats());
  if (arguments.retry_crashed && !arguments.resume)
    throw bad_input("--retry-crashed needs --resume: it says which known cases run again");
  const Shard shard = shard_of(world, arguments.shard);
  const auto session =
      arguments.dry_run ? nullptr : RankSession::join(world, arguments.ranks, RankSession::Device::kOwn);
  if (session && !shard.is_whole())
    throw bad_input("the ranks of an MPI job share all of a study, not shard " + shard.text() +
                    " of it; expected --shard off, or --ranks off");
  if (session && !session->leads()) {
    return session->follow(
        [&] { static_cast<void>(share_out(world, work_of(world, arguments), arguments, *session)); });
  }
  StudyWork work = work_of(world, arguments);
  if (session) return share_out(world, std::move(work), arguments, *session);
  work.plan.shard = shard;
  tell_shard(world, work.plan);
  if (!arguments.dry_run) return measure(world, work, arguments);
  print_plan(work.plan, world.out());
  return kExitDone;
}

}  // namespace

Subcommand add_study_command(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("study", "Measure what compiling at run time costs, and what constants buy");
  const auto arguments = std::make_shared<StudyArguments>();
  command->add_option("STUDY", arguments->words, "Study file (YAML)")->type_name("");
  command->add_option("--set", arguments->set, "Give parameters a value, instead of the study's value")
      ->type_name("NAME=VALUE");
  command->add_option("--device", arguments->devices, "auto, cpu, cuda:0, hip:0, or several with commas")
      ->type_name("DEVICE,...");
  command->add_option("--output", arguments->output, "Folder for study.jsonl and records.jsonl")
      ->type_name("DIR");
  command
      ->add_option("--format", arguments->format,
                   "Form of the results: table, json (a line for each workload and device), csv, markdown")
      ->type_name("FORMAT");
  command->add_option("--rounds", arguments->rounds, "Rounds, each of which visits every case: 6 to 10000")
      ->type_name("N");
  command->add_option("--samples", arguments->samples, "Samples of a case in a round: 1 to 10000")
      ->type_name("N");
  command->add_option("--compiles", arguments->compiles, "Cold compiles of each case: 1 to 100")
      ->type_name("N");
  command->add_flag("--resume", arguments->resume, "Continue an interrupted study");
  command->add_flag("--retry-crashed", arguments->retry_crashed,
                    "With --resume: run cases again that ended the process or exceeded launch_time_limit");
  command->add_flag("--dry-run", arguments->dry_run, "Show the cases; compile and run nothing");
  add_require_checks(*command, arguments->require_checks);
  add_shard_option(*command, arguments->shard);
  add_ranks_option(*command, arguments->ranks);
  command->footer(
      examples({"kiln study configs/studies/minibude_constants.yaml",
                "kiln study configs/studies/minibude_constants.yaml --device cuda --output results/study",
                "kiln study configs/studies/minibude_constants.yaml --resume",
                "kiln study configs/studies/minibude_constants.yaml --dry-run"}) +
      "\n\nExit code: 0 no case failed or was wrong; 1 one did; 2 bad input; 3 the machine lacks "
      "something; 130 interrupted.");
  return {command, [arguments](World& world) { return run(world, *arguments); }};
}

}  // namespace kiln
