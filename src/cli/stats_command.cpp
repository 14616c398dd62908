#include "cli/stats_command.h"

#include <filesystem>
#include <memory>

#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "base/exit_code.h"
#include "base/text.h"
#include "cli/help.h"
#include "kiln/error.h"
#include "report/statistics_report.h"

namespace kiln {
namespace {

struct StatsArguments {
  bool json = false;
  bool reset = false;
};

CacheFolderSummary summary_of(World& world) {
  DiskCache& cache = world.engine().cache();
  CacheFolderSummary summary;
  summary.folder = cache.root().string();
  summary.in_use = world.settings().values.cache;
  for (const CacheEntryInfo& entry : cache.list()) {
    ++summary.entries;
    summary.bytes += entry.bytes;
    summary.compile_seconds += entry.compile_seconds;
  }
  if (const std::string reason = cache.disabled_reason(); !reason.empty())
    throw environment_error("the cache " + summary.folder + " cannot be used: " + reason);
  return summary;
}

void print(const CacheFolderSummary& folder, const StoredStatistics& statistics, World& world) {
  world.out() << "folder         " << folder.folder << "\n"
              << "entries        " << folder.entries << "\n"
              << "size           " << format_bytes(folder.bytes) << "\n"
              << "compile time   " << format_seconds(folder.compile_seconds)
              << " that a run need not spend again\n"
              << "in use         " << (folder.in_use ? "yes" : "no: the setting 'cache' is off") << "\n"
              << "runs           " << statistics.runs;
  constexpr std::size_t kSecondsOfDate = 19;
  if (statistics.since_ns != 0)
    world.out() << " since " << to_iso8601(statistics.since_ns).substr(0, kSecondsOfDate) << "Z";
  world.out() << "\n";
  if (statistics.unreadable > 0)
    world.out() << "passed over    " << statistics.unreadable << " damaged lines\n";
  if (statistics.runs > 0)
    world.out() << "\n" << render_terminal(statistics_table(statistics.counters), world.style());
}

int run(World& world, const StatsArguments& arguments) {
  const CacheFolderSummary folder = summary_of(world);
  StatisticsFile file(world.files(), world.clock(), folder.folder);
  try {
    if (arguments.reset) {
      file.reset();
      world.out() << "counts from 0 again in " << folder.folder << "\n";
      return kExitDone;
    }
    const StoredStatistics statistics = file.read();
    if (arguments.json)
      world.out() << statistics_to_json(folder, statistics) << "\n";
    else
      print(folder, statistics, world);
  } catch (const std::filesystem::filesystem_error& error) {
    throw environment_error("the statistics of " + folder.folder + ": " + error.path1().string() + ": " +
                            error.code().message());
  }
  return kExitDone;
}

}  // namespace

Subcommand add_stats_command(CLI::App& cache) {
  CLI::App* command = cache.add_subcommand(
      "stats", "Number and size of all entries; hits, compiles, waits and times of all runs");
  const auto arguments = std::make_shared<StatsArguments>();
  CLI::Option* json = command->add_flag("--json", arguments->json, "One object");
  command->add_flag("--reset", arguments->reset, "Reset the counts of all runs")->excludes(json);
  command->footer(examples({"kiln cache stats", "kiln cache stats --cache-dir /scratch/kiln --json"}));
  return {command, [arguments](World& world) { return run(world, *arguments); }};
}

}  // namespace kiln
