#include <memory>

#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "base/exit_code.h"
#include "base/text.h"
#include "cli/cache_commands.h"
#include "cli/explain_command.h"
#include "cli/help.h"
#include "cli/stats_command.h"
#include "kiln/error.h"

namespace kiln {
namespace {

int clear(World& world) {
  const std::uint64_t removed = ask_cache(world, [](DiskCache& cache) { return cache.clear(); });
  world.out() << entries_text(removed) << " removed from " << world.engine().cache().root().string() << "\n";
  return kExitDone;
}

int verify(World& world, bool repair) {
  const VerifyReport report = ask_cache(world, [&](DiskCache& cache) { return cache.verify(repair); });
  for (const std::string& entry : report.damaged) world.out() << "damaged: " << entry << "\n";
  world.out() << entries_text(report.entries) << ": " << report.damaged.size() << " damaged, ";
  if (repair) world.out() << report.repaired << " of them removed, ";
  world.out() << report.stale_temporaries << " left over from interrupted runs\n";
  return report.damaged.size() == report.repaired ? kExitDone : kExitFailed;
}

Subcommand add_clear_command(CLI::App& cache) {
  CLI::App* command = cache.add_subcommand("clear", "Remove every entry");
  command->footer(examples({"kiln cache clear", "kiln cache clear --cache-dir /scratch/kiln"}));
  return {command, clear};
}

}  // namespace

Subcommand add_cache_verify_command(CLI::App& cache) {
  CLI::App* command = cache.add_subcommand("verify", "Read every entry and compare its checksums");
  const auto repair = std::make_shared<bool>(false);
  command->add_flag("--repair", *repair, "Remove damaged entries, except in read-only folders");
  command->footer(examples({"kiln cache verify && echo sound", "kiln cache verify --repair"}));
  return {command, [repair](World& world) { return verify(world, *repair); }};
}

std::string entries_text(std::uint64_t count) {
  return std::to_string(count) + (count == 1 ? " entry" : " entries");
}

std::uint64_t total_bytes(const std::vector<CacheEntryInfo>& entries) {
  std::uint64_t bytes = 0;
  for (const CacheEntryInfo& entry : entries) bytes += entry.bytes;
  return bytes;
}

Subcommand add_cache_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand("cache", "List, check, clear or pack the cache of compiled kernels");
  command->require_subcommand(0, 1);
  const std::vector<Subcommand> actions = {
      add_cache_list_command(*command),   add_explain_command(*command),  add_stats_command(*command),
      add_cache_verify_command(*command), add_cache_gc_command(*command), add_cache_pack_command(*command),
      add_cache_unpack_command(*command), add_clear_command(*command)};
  command->footer(
      examples({"kiln cache list --sort size", "kiln cache verify --repair",
                "kiln cache gc --max-size '500 MB'", "kiln cache pack --arch sm_90 -o kernels.tar"}));
  const auto run = [actions](World& world) {
    for (const Subcommand& action : actions) {
      if (action.app->parsed()) return action.run(world);
    }
    std::vector<std::string> names;
    names.reserve(actions.size());
    for (const Subcommand& action : actions) names.push_back(action.app->get_name());
    throw bad_input("name a cache command: " + join(names, ", "));
  };
  return {command, run};
}

}  // namespace kiln
