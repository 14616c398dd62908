#include "cli/batch_command.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "base/exit_code.h"
#include "base/folder_lock.h"
#include "base/hash.h"
#include "base/input_file.h"
#include "base/text.h"
#include "base/version.h"
#include "batch/batch_journal.h"
#include "batch/batch_runner.h"
#include "cli/arguments.h"
#include "cli/batch_reporter.h"
#include "cli/file_check.h"
#include "cli/interrupt.h"
#include "cli/progress_keeper.h"
#include "config/setting_rows.h"
#include "isolate/worker_program.h"
#include "kiln/error.h"
#include "study/study_spec.h"

namespace kiln {
namespace {

using Words = std::vector<std::string>;

/// The document of a file that is not a pipe, which could be read only once.
std::optional<YamlNode> document_of(World& world, const std::string& file) {
  const auto status = world.files().target_status(file);
  if (!status || status->type != FileStatus::Type::kFile) return std::nullopt;
  return YamlNode::parse(read_input(world.files(), file, kJobInput), file);
}

BatchCommand command_of(World& world, const std::string& file) {
  const auto root = document_of(world, file);
  if (!root) throw bad_input("each of several jobs must be a file; found " + in_quotes(file));
  if (looks_like_batch(*root))
    throw bad_input("a batch runs alone; name its jobs in one batch file", {file, 0, 0});
  return looks_like_study(*root) ? BatchCommand::kStudy : BatchCommand::kRun;
}

void require_files(const Words& words) {
  for (const std::string& word : words) {
    if (word.find('=') != std::string::npos)
      throw bad_input(in_quotes(word) + " is not a job file; did you mean --set " + word + "?");
  }
}

/// Values of the command line replace the batch's.
void apply_options(const BatchOptions& options, BatchSpec& batch) {
  if (!options.output.empty()) batch.output = options.output;
  if (batch.output.empty() && !batch.file.empty())
    batch.output = std::filesystem::path(batch.file).stem().string() + ".batch";
  if (options.at_once) batch.at_once = *options.at_once;
  for (BatchJob& job : batch.jobs) {
    job.set.insert(job.set.end(), options.set.begin(), options.set.end());
    if (!options.devices.empty()) job.devices = options.devices;
    if (job.output.empty() && !batch.output.empty())
      job.output = (std::filesystem::path(batch.output) / job.name).string();
  }
}

/// Checks every job before one of them runs.
BatchOutlook look_ahead(World& world, const BatchSpec& batch, const BatchOptions& options) {
  BatchOutlook outlook;
  const BuildInfo build = build_info();
  for (const BatchJob& job : batch.jobs) {
    const bool sweeps = job.command == BatchCommand::kRun;
    outlook.variants.push_back(check_batch_job(job, sweeps ? options.sweep : Words(), world).variants);
    FieldHasher hasher;
    hasher.field("kiln", build.version + " " + build.revision).field("command", to_string(job.command));
    hasher.field("text", read_input(world.files(), job.file, kJobInput)).field("output", job.output);
    for (const std::string& assignment : job.set) hasher.field("set", assignment);
    for (const std::string& device : job.devices) hasher.field("device", device);
    hasher.field("shard", options.shard.text());
    outlook.digests.push_back(hasher.hex());
  }
  return outlook;
}

/// The settings that this process has from its command line or a file, for processes that have neither.
Words setting_words(const World& world) {
  Words words;
  for (const SettingRow& row : setting_rows()) {
    const auto source = world.settings().sources.find(row.name);
    if (source == world.settings().sources.end() || row.option.empty() || row.name == "trace") continue;
    if (source->second.kind != SettingSource::Kind::kCommandLine &&
        source->second.kind != SettingSource::Kind::kFile)
      continue;
    const std::string option = row.option.substr(row.option.find("--"));
    words.push_back(option + "=" + setting_text(world.settings().values, row));
  }
  return words;
}

void add(Words& words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
}

/// The arguments of kiln for a job: `kiln run job.yaml --set nx=64 --output results/job --format json`.
Words words_of_job(const BatchJob& job, const BatchOptions& options, const World& world) {
  const bool runs = job.command == BatchCommand::kRun;
  Words words = {to_string(job.command), job.file};
  for (const std::string& assignment : job.set) add(words, {"--set", assignment});
  if (runs) {
    for (const std::string& assignment : options.sweep) add(words, {"--sweep", assignment});
    add(words, options.for_runs);
  }
  if (job.command != BatchCommand::kTune) add(words, options.for_records);
  add(words, {"--shard", options.shard.is_whole() ? "off" : options.shard.text()});
  if (!job.devices.empty()) add(words, {"--device", join(job.devices, ",")});
  if (!job.output.empty()) add(words, {"--output", job.output});
  if (options.resume) words.emplace_back("--resume");
  add(words, {"--format", runs ? "json" : options.format});
  if (job.limits.memory > 0) words.push_back("--memory-limit=" + std::to_string(job.limits.memory) + " B");
  if (world.quiet()) words.emplace_back("-q");
  add(words, setting_words(world));
  return words;
}

Command command_of_job(const BatchJob& job, Words words, const std::string& program) {
  constexpr double kMilliseconds = 1000;
  // A launcher need not hand on what its standard input is.
  if (job.launcher.empty()) words.emplace_back(kEndsWithInput);
  Command command;
  Words whole = job.launcher;
  whole.push_back(program);
  add(whole, words);
  command.program = whole.front();
  command.arguments.assign(whole.begin() + 1, whole.end());
  command.time_limit =
      std::chrono::milliseconds(static_cast<std::int64_t>(job.limits.seconds * kMilliseconds));
  return command;
}

std::string program_of_kiln() {
  const auto processes = make_process_runner();
  if (auto program = find_program_of_kiln("kiln", *processes)) return *std::move(program);
  throw environment_error("the program kiln, which runs each job of a batch, is not found");
}

void print_batch(World& world, const BatchSpec& batch, const BatchOutlook& outlook,
                 const BatchOptions& options) {
  for (std::size_t i = 0; i < batch.jobs.size(); ++i) {
    const BatchJob& job = batch.jobs[i];
    Words after;
    for (const std::size_t before : job.after) after.push_back(batch.jobs[before].name);
    world.out() << i + 1 << ". " << job.name << ": " << outlook.variants[i]
                << (job.command == BatchCommand::kStudy ? " case" : " variant")
                << (outlook.variants[i] == 1 ? "" : "s")
                << (after.empty() ? "" : ", after " + join(after, ", "))
                << (job.limits.seconds > 0 ? ", at most " + format_seconds(job.limits.seconds) : "")
                << (job.limits.memory > 0 ? ", " + format_bytes(job.limits.memory) + " of memory" : "")
                << "\n   " << (job.launcher.empty() ? "" : join(job.launcher, " ") + " ") << "kiln "
                << join(words_of_job(job, options, world), " ") << "\n";
  }
}

/// Searches and studies that an earlier run has done are not begun again; what a job of `kiln run` has
/// measured it finds out itself, by its variants.
std::vector<bool> known_jobs(World& world, const BatchSpec& batch, const BatchOutlook& outlook,
                             const BatchJournal& journal) {
  std::vector<bool> known;
  const auto ended = journal.read(world.log());
  for (std::size_t i = 0; i < batch.jobs.size(); ++i) {
    const auto line = ended.find(batch.jobs[i].name);
    known.push_back(batch.jobs[i].command != BatchCommand::kRun && line != ended.end() &&
                    line->second.end == JobEnd::kDone && line->second.digest == outlook.digests[i]);
  }
  return known;
}

/// The last run of the batch in this folder, as its journal knows it.
BatchBegin beginning_of(World& world, const BatchSpec& batch) {
  const BuildInfo build = build_info();
  return {to_iso8601(world.clock().system_ns()), build.version, build.revision, batch.file};
}

/// Absent also for a name that no file can have: reading the job reports that.
std::optional<FileStatus> status_of(World& world, const std::string& path) {
  try {
    return world.files().target_status(path);
  } catch (const std::filesystem::filesystem_error&) {
    return std::nullopt;
  }
}

}  // namespace

std::optional<BatchSpec> find_batch(World& world, const std::vector<std::string>& words) {
  if (words.size() == 1) {
    const auto status = status_of(world, words.front());
    if (!status || status->type != FileStatus::Type::kFile) return std::nullopt;
    const std::string text = read_input(world.files(), words.front(), kJobInput);
    // Most files are jobs, and are not parsed twice.
    if (text.find("jobs") == std::string::npos || !looks_like_batch(YamlNode::parse(text, words.front())))
      return std::nullopt;
    return parse_batch(text, words.front());
  }
  if (words.empty()) return std::nullopt;
  require_files(words);
  std::vector<BatchCommand> commands;
  commands.reserve(words.size());
  for (const std::string& word : words) commands.push_back(command_of(world, word));
  return batch_of_files(words, commands);
}

bool has_batch(const std::vector<std::string>& words) {
  const auto files = make_real_file_system();
  std::size_t count = 0;
  for (const std::string& word : words) {
    if (word.starts_with('-') || !(word.ends_with(".yaml") || word.ends_with(".yml"))) continue;
    const auto status = files->target_status(word);
    if (!status || status->type != FileStatus::Type::kFile) continue;
    constexpr std::uint64_t kHead = 65536;
    const auto text = files->read(word, {.most = kHead});
    if (++count > 1 || (text && ("\n" + *text).find("\njobs:") != std::string::npos)) return true;
  }
  return false;
}

int run_batch_of(World& world, BatchSpec batch, const BatchOptions& options) {
  apply_options(options, batch);
  const BatchOutlook outlook = look_ahead(world, batch, options);
  if (options.dry_run) {
    print_batch(world, batch, outlook, options);
    return kExitDone;
  }
  std::optional<FolderLock> lock;
  std::optional<BatchJournal> journal;
  std::vector<bool> known(batch.jobs.size());
  if (!batch.output.empty()) {
    journal.emplace(world.files(), batch.output, options.shard.ending());
    lock.emplace(batch.output, ".lock-batch" + options.shard.ending(),
                 "kiln run " + (batch.file.empty() ? "of several jobs" : batch.file));
    if (options.resume) known = known_jobs(world, batch, outlook, *journal);
    journal->begin(beginning_of(world, batch));
  }
  const std::string program = program_of_kiln();
  std::vector<Command> commands;
  for (const BatchJob& job : batch.jobs)
    commands.push_back(command_of_job(job, words_of_job(job, options, world), program));
  const Interrupt interrupt;
  ProgressKeeper progress(world, batch.output, ProgressFile::kOfBatch + options.shard.ending(), "variants");
  BatchReporter reporter(world, batch, outlook, options.format, journal ? &*journal : nullptr, progress);
  const auto outcomes =
      run_batch({batch, std::move(commands), std::move(known), options.keep_going || batch.keep_going,
                 reporter, Interrupt::requested, Interrupt::descriptor()});
  reporter.finish(outcomes);
  const int code = Interrupt::requested() ? Interrupt::exit_code() : exit_code_of(outcomes);
  progress.end(code);
  if (!Interrupt::requested()) return code;
  world.status_line().write(batch.output.empty()
                                ? "interrupted: with `output:` or --output a batch could be resumed"
                                : "interrupted: --resume continues " + batch.output);
  return code;
}

}  // namespace kiln
