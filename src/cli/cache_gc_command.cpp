#include <memory>

#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "base/exit_code.h"
#include "base/scratch_folder.h"
#include "base/text.h"
#include "cli/arguments.h"
#include "cli/cache_commands.h"
#include "cli/help.h"
#include "config/setting_rows.h"
#include "isolate/failure_folder.h"

namespace kiln {
namespace {

struct GcArguments {
  std::string max_size, older_than;
  bool dry_run = false;
};

/// Without --max-size the setting holds.
CollectOptions options_from(const GcArguments& arguments, const Settings& settings) {
  CollectOptions options;
  options.dry_run = arguments.dry_run;
  if (!arguments.max_size.empty()) {
    options.max_bytes = parse_option("--max-size", arguments.max_size, parse_bytes);
  } else if (settings.cache_max_size != 0) {
    options.max_bytes = settings.cache_max_size;
  }
  if (!arguments.older_than.empty())
    options.older_than_seconds = parse_option("--older-than", arguments.older_than, parse_seconds);
  return options;
}

std::string plural(std::uint64_t count, const std::string& thing) {
  return std::to_string(count) + " " + thing + (count == 1 ? "" : "s");
}

int run(World& world, const GcArguments& arguments) {
  constexpr double kCapsuleSeconds = 30 * 86400.0;
  const CollectOptions options = options_from(arguments, world.settings().values);
  const CollectReport report = ask_cache(world, [&](DiskCache& cache) { return cache.collect(options); });
  const std::filesystem::path root = world.engine().cache().root();
  const std::uint64_t capsules =
      remove_old_capsules(world.files(), world.clock(), root / "failures",
                          options.older_than_seconds.value_or(kCapsuleSeconds), options.dry_run);
  const std::size_t scratch =
      collect_scratch(world.files(), temporary_folder(), world.clock().system_ns(), options.dry_run);
  const std::string would = options.dry_run ? "would be removed" : "removed";
  world.out() << entries_text(report.removed_entries) << " (" << format_bytes(report.removed_bytes) << ") of "
              << report.entries << " (" << format_bytes(report.bytes) << ") " << would << " from "
              << root.string();
  if (report.in_use > 0) world.out() << "; " << entries_text(report.in_use) << " in use stay";
  world.out() << "\n";
  const std::uint64_t temporaries = report.temporaries + scratch;
  if (temporaries + report.locks + report.marks + capsules > 0) {
    world.out() << "left by processes that died or failed, " << would << ": "
                << plural(temporaries, "temporary folder") << ", " << plural(report.locks, "lock file")
                << ", " << plural(report.marks, "use mark") << ", " << plural(capsules, "failure capsule")
                << "\n";
  }
  return kExitDone;
}

}  // namespace

Subcommand add_cache_gc_command(CLI::App& cache) {
  CLI::App* command = cache.add_subcommand(
      "gc", "Remove the least recently used entries and the leftovers of dead processes");
  const auto arguments = std::make_shared<GcArguments>();
  command
      ->add_option("--max-size", arguments->max_size,
                   "Remove entries down to this size, such as '500 MB' or '0'; default: the setting "
                   "cache_max_size")
      ->type_name("SIZE");
  command
      ->add_option("--older-than", arguments->older_than,
                   "Remove entries that were not used, and failure capsules (else after 30 d), for so long, "
                   "as '12 h' or '30 d'")
      ->type_name("TIME");
  command->add_flag("-n,--dry-run", arguments->dry_run, "Show what would be removed, and remove nothing");
  command->footer(examples({"kiln cache gc", "kiln cache gc --max-size '500 MB' --dry-run",
                            "kiln cache gc --older-than '30 d'"}) +
                  "\nSafe beside running jobs: entries that they have loaded or compile stay.");
  return {command, [arguments](World& world) { return run(world, *arguments); }};
}

}  // namespace kiln
