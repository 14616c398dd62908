#include <poll.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "base/exit_code.h"
#include "base/folder_lock.h"
#include "base/input_file.h"
#include "base/text.h"
#include "cli/batch_command.h"
#include "cli/commands.h"
#include "cli/help.h"
#include "cli/interrupt.h"
#include "cli/output_lock.h"
#include "kiln/error.h"
#include "record/progress.h"
#include "report/progress_text.h"

namespace kiln {
namespace {

using Path = std::filesystem::path;

struct WatchArguments {
  std::string place;
  bool once = false;
};

/// A progress file of a folder: the command's state, and whether its process lives.
struct KeptState {
  std::string ending;  ///< of a shard
  Progress progress;
  bool alive = false;
};

constexpr std::string_view kFileEnding = ".json";

/// A process that has not written for a while holds its lock, or has ended without its last write. A lock is
/// not tried before, so that a run that begins is not kept from taking it.
bool is_alive(World& world, const Path& folder, const std::string& lock, const Progress& progress) {
  constexpr double kPatience = 2;
  if (progress.exit_code) return false;
  if (seconds_between(progress.updated_ns, world.clock().system_ns()) < kPatience) return true;
  return !FolderLock::holder(folder, lock).empty();
}

/// The states of one kind that a folder has: of the whole, or of its shards, whichever were written last.
std::vector<KeptState> states_in(World& world, const Path& folder, const std::string& kind,
                                 const std::string& lock) {
  std::vector<KeptState> all;
  for (const std::string& name : world.files().list(folder)) {
    if (!name.starts_with(kind) || !name.ends_with(kFileEnding)) continue;
    const std::string ending = name.substr(kind.size(), name.size() - kind.size() - kFileEnding.size());
    if (!ending.empty() && !ending.starts_with("-shard-")) continue;
    auto progress = ProgressFile(world.files(), folder, kind + ending).read();
    if (!progress) continue;
    const bool alive = is_alive(world, folder, lock + ending, *progress);
    all.push_back({ending, *std::move(progress), alive});
  }
  const auto division = [](const KeptState& state) {
    return state.ending.substr(state.ending.rfind('-') + 1);
  };
  const auto newest = std::max_element(all.begin(), all.end(), [](const auto& a, const auto& b) {
    return a.progress.updated_ns < b.progress.updated_ns;
  });
  if (newest == all.end()) return all;
  const std::string kept = division(*newest);
  std::erase_if(all, [&](const KeptState& state) { return division(state) != kept; });
  return all;
}

std::vector<KeptState> batches_in(World& world, const Path& folder) {
  return states_in(world, folder, ProgressFile::kOfBatch, ".lock-batch");
}

std::vector<KeptState> runs_in(World& world, const Path& folder) {
  return states_in(world, folder, ProgressFile::kOfJob, output_lock_name(""));
}

std::string state_word(const KeptState& state) {
  if (state.progress.exit_code) return state_of_exit(*state.progress.exit_code);
  return state.alive ? "running" : "ended early";
}

/// "-shard-2-of-8" is "shard 2 of 8".
std::string shard_name(std::string ending) {
  std::replace(ending.begin(), ending.end(), '-', ' ');
  return std::string(trim(ending));
}

void add_messages(Watched& watched, const std::vector<std::string>& messages, std::size_t most) {
  const std::size_t skipped = messages.size() - std::min(messages.size(), most);
  watched.messages.insert(watched.messages.end(), messages.begin() + static_cast<std::ptrdiff_t>(skipped),
                          messages.end());
}

/// What one of several that ended adds to the whole's exit code: the first that is not 0 counts.
void add_end(Watched& watched, const KeptState& state) {
  if (watched.exit_code && *watched.exit_code != kExitDone) return;
  watched.exit_code = state.progress.exit_code.value_or(kExitFailed);
  watched.end = state_word(state);
}

/// The state of a job that runs, from its own folder; its ranks or shards have files of their own.
std::optional<Progress> progress_of_job(World& world, const Path& batch, const ProgressJob& job,
                                        const KeptState& whole) {
  // The folder may be seen under another path than the batch sees it.
  Path folder = batch / job.name;
  if (!world.files().target_status(folder)) folder = job.output;
  std::optional<Progress> sum;
  for (const KeptState& state : runs_in(world, folder)) {
    if (state.progress.updated_ns < whole.progress.begin_ns) continue;
    if (!whole.ending.empty() && state.ending != whole.ending) continue;
    if (!sum) {
      sum = state.progress;
      continue;
    }
    sum->done += state.progress.done;
    sum->failed += state.progress.failed;
    sum->known += state.progress.known;
    sum->begin_ns = std::min(sum->begin_ns, state.progress.begin_ns);
    if (sum->total && state.progress.total) *sum->total += *state.progress.total;
  }
  return sum;
}

Watched watched_batches(World& world, const Path& folder, const std::vector<KeptState>& batches) {
  constexpr std::size_t kMessages = 3;
  Watched watched{.command = batches.front().progress.command, .begin_ns = batches.front().progress.begin_ns};
  bool alive = false;
  for (const KeptState& batch : batches) {
    alive = alive || batch.alive;
    if (!batch.alive) add_end(watched, batch);
    watched.begin_ns = std::min(watched.begin_ns, batch.progress.begin_ns);
    add_messages(watched, batch.progress.messages, kMessages);
    for (const ProgressJob& job : batch.progress.jobs) {
      WatchedRun run{job.name, job.state, {}, job.total, job.seconds};
      if (batches.size() > 1) run.name += ", " + shard_name(batch.ending);
      if (job.state != "waiting" && job.state != "done before")
        run.progress = progress_of_job(world, folder, job, batch);
      if (job.state == "running") {
        if (!batch.alive) run.state = "ended early";
        if (run.progress) add_messages(watched, run.progress->messages, 1);
      }
      watched.runs.push_back(std::move(run));
    }
  }
  if (alive) watched.exit_code.reset();
  return watched;
}

Watched watched_runs(const std::vector<KeptState>& states) {
  constexpr std::size_t kMessages = 4;
  Watched watched{.command = states.front().progress.command, .begin_ns = states.front().progress.begin_ns};
  bool alive = false;
  for (const KeptState& state : states) {
    alive = alive || state.alive;
    if (!state.alive) add_end(watched, state);
    watched.begin_ns = std::min(watched.begin_ns, state.progress.begin_ns);
    add_messages(watched, state.progress.messages, states.size() > 1 ? 1 : kMessages);
    watched.runs.push_back({shard_name(state.ending), state_word(state), state.progress});
  }
  if (alive) watched.exit_code.reset();
  return watched;
}

std::optional<Watched> look_at(World& world, const Path& folder) {
  if (const auto batches = batches_in(world, folder); !batches.empty())
    return watched_batches(world, folder, batches);
  if (const auto runs = runs_in(world, folder); !runs.empty()) return watched_runs(runs);
  return std::nullopt;
}

/// Folders at and below `folder` whose command is at work. The jobs of a batch are not looked for.
void find_running(World& world, const Path& folder, int depth, std::vector<Path>& found) {
  const auto watched = look_at(world, folder);
  if (watched && !watched->exit_code) {
    found.push_back(folder);
    return;
  }
  if (depth == 0) return;
  for (const std::string& name : world.files().list(folder)) {
    const auto status = name.starts_with('.') ? std::nullopt : world.files().status(folder / name);
    if (status && status->type == FileStatus::Type::kDirectory)
      find_running(world, folder / name, depth - 1, found);
  }
}

Path running_below(World& world) {
  constexpr int kDepth = 3;
  std::vector<Path> found;
  find_running(world, ".", kDepth, found);
  if (found.empty())
    throw bad_input("no run with an output folder is at work in this folder or below it; name its folder");
  if (found.size() == 1) return found.front();
  std::vector<std::string> names;
  names.reserve(found.size());
  for (const Path& path : found) names.push_back(path.lexically_normal().string());
  throw bad_input("several runs are at work: " + join(names, ", ") + "; name one of these folders");
}

/// The output folder that a batch, job or study file names, or its command's default.
Path output_of(World& world, const std::string& file) {
  const YamlNode root = YamlNode::parse(read_input(world.files(), file, kJobInput), file);
  if (const auto output = root.find("output")) return output->text();
  const std::string stem = Path(file).stem().string();
  if (looks_like_batch(root)) return stem + ".batch";
  if (world.files().target_status(stem + ".tune")) return stem + ".tune";
  throw bad_input("'" + file + "' has no `output:`; name the folder that --output gave");
}

Path folder_of(World& world, const std::string& place) {
  if (place.empty()) return running_below(world);
  const auto status = world.files().target_status(place);
  if (!status) throw bad_input("'" + place + "' does not exist; expected an output folder or a batch file");
  return status->type == FileStatus::Type::kDirectory ? Path(place) : output_of(world, place);
}

Watched require_watched(World& world, const Path& folder) {
  if (auto watched = look_at(world, folder)) return *std::move(watched);
  throw bad_input("'" + folder.string() +
                  "' has no progress of a run, study, search or batch; expected an output folder");
}

/// Waits for a second; false if the user has interrupted.
bool pause() {
  constexpr int kMilliseconds = 1000;
  pollfd wanted{Interrupt::descriptor(), POLLIN, 0};
  ::poll(&wanted, 1, kMilliseconds);
  return !Interrupt::requested();
}

int watch(World& world, const WatchArguments& arguments) {
  constexpr std::size_t kRows = 12;
  const Path folder = folder_of(world, arguments.place);
  const Interrupt interrupt;
  Watched watched = require_watched(world, folder);
  std::string last;
  while (!arguments.once && !watched.exit_code) {
    const std::int64_t now = world.clock().system_ns();
    if (world.status_line().is_terminal()) {
      world.status_line().show_lines(watched_text(watched, now, world.style(), kRows));
    } else if (const std::string state = watched_state(watched); state != last) {
      const std::string pace = watched_pace(watched, now);
      world.out() << printable_line(state) << (pace.empty() ? "" : "; " + pace) << std::endl;
      last = state;
    }
    if (!pause()) {
      world.status_line().clear();
      return Interrupt::exit_code();
    }
    watched = require_watched(world, folder);
  }
  world.status_line().clear();
  world.out() << watched_text(watched, world.clock().system_ns(), world.style());
  if (watched.exit_code) world.out() << watched.end << "\n";
  world.out().flush();
  return watched.exit_code.value_or(kExitDone);
}

}  // namespace

Subcommand add_watch_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand("watch", "Show the progress of a run, study, search or batch");
  const auto arguments = std::make_shared<WatchArguments>();
  command
      ->add_option("PLACE", arguments->place,
                   "Output folder, or the file of a batch or job that names one; default: the run at work in "
                   "this folder or below")
      ->type_name("");
  command->add_flag("--once", arguments->once, "Show the present state and end");
  command->footer(
      examples({"kiln watch results/nightly", "kiln watch configs/batches/quick.yaml",
                "kiln watch quickstart.tune --once"}) +
      "\n\nA terminal shows the state anew each second; elsewhere each change is a line. Any number "
      "of processes may watch, also on other machines that see the folder."
      "\n\nExit code: that of the watched command when it ends, 1 if it ended without a result; with "
      "--once 0 while it is at work; 130, 143 or 129 interrupted.");
  return {command, [arguments](World& world) { return watch(world, *arguments); }};
}

}  // namespace kiln
