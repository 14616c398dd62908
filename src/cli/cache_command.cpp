#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "base/text.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/help.h"
#include "kiln/error.h"
#include "report/text_table.h"

namespace kiln {
namespace {

/// What the cache answers; it finds out about its folder only then, and these commands are about nothing
/// else.
template <class Action>
auto ask_cache(World& world, Action action) {
  DiskCache& cache = world.engine().cache();
  auto answer = action(cache);
  const std::string reason = cache.disabled_reason();
  if (!reason.empty())
    throw environment_error("the cache " + cache.root().string() + " cannot be used: " + reason);
  return answer;
}

std::vector<CacheEntryInfo> entries_of(World& world) {
  return ask_cache(world, [](DiskCache& cache) { return cache.list(); });
}

std::uint64_t total_bytes(const std::vector<CacheEntryInfo>& entries) {
  std::uint64_t bytes = 0;
  for (const CacheEntryInfo& entry : entries) bytes += entry.bytes;
  return bytes;
}

std::string entries_text(std::uint64_t count) {
  return std::to_string(count) + (count == 1 ? " entry" : " entries");
}

int list(World& world) {
  constexpr std::size_t kDigestShown = 12;
  constexpr std::size_t kSecondsOfDate = 19;
  const std::vector<CacheEntryInfo> entries = entries_of(world);
  TextTable table{
      {{"key"}, {"kernel"}, {"target"}, {"compiler"}, {"size", true}, {"compiled in", true}, {"made"}}, {}};
  for (const CacheEntryInfo& entry : entries) {
    table.rows.push_back({{entry.digest.substr(0, kDigestShown), Tone::kStrong},
                          {entry.label},
                          {entry.target},
                          {entry.compiler},
                          {format_bytes(entry.bytes)},
                          {format_seconds(entry.compile_seconds)},
                          {to_iso8601(entry.created_ns).substr(0, kSecondsOfDate) + "Z"}});
  }
  if (!table.rows.empty()) world.out() << render_terminal(table, world.style()) << "\n";
  world.out() << entries_text(entries.size()) << ", " << format_bytes(total_bytes(entries)) << " in "
              << world.engine().cache().root().string() << "\n";
  return kExitDone;
}

int stats(World& world) {
  const std::vector<CacheEntryInfo> entries = entries_of(world);
  double seconds = 0;
  for (const CacheEntryInfo& entry : entries) seconds += entry.compile_seconds;
  const bool on = world.settings().values.cache;
  world.out() << "folder         " << world.engine().cache().root().string() << "\n"
              << "entries        " << entries.size() << "\n"
              << "size           " << format_bytes(total_bytes(entries)) << "\n"
              << "compile time   " << format_seconds(seconds) << " that a run need not spend again\n"
              << "in use         " << (on ? "yes" : "no: the setting 'cache' is off") << "\n";
  return kExitDone;
}

int verify(World& world) {
  const VerifyReport report = ask_cache(world, [](DiskCache& cache) { return cache.verify(); });
  for (const std::string& entry : report.damaged) world.out() << "damaged: " << entry << "\n";
  world.out() << entries_text(report.entries) << ": " << report.damaged.size() << " damaged, "
              << report.stale_temporaries << " left over from interrupted runs\n";
  return report.damaged.empty() ? kExitDone : kExitFailed;
}

int clear(World& world) {
  const std::uint64_t removed = ask_cache(world, [](DiskCache& cache) { return cache.clear(); });
  world.out() << entries_text(removed) << " removed from " << world.engine().cache().root().string() << "\n";
  return kExitDone;
}

}  // namespace

Subcommand add_cache_command(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("cache", "Look into the cache of compiled kernels, check it or empty it");
  command->require_subcommand(0, 1);
  CLI::App* list_app = command->add_subcommand("list", "Each entry: kernel, target, compiler, size");
  CLI::App* stats_app = command->add_subcommand("stats", "Folder, number and size of all entries");
  CLI::App* verify_app = command->add_subcommand("verify", "Read every entry and compare its checksums");
  CLI::App* clear_app = command->add_subcommand("clear", "Remove every entry");
  list_app->footer(examples({"kiln cache list", "kiln cache list | grep laplacian"}));
  stats_app->footer(examples({"kiln cache stats", "kiln cache stats --cache-dir /scratch/kiln"}));
  verify_app->footer(examples({"kiln cache verify", "kiln cache verify && echo sound"}));
  clear_app->footer(examples({"kiln cache clear", "kiln cache clear --cache-dir /scratch/kiln"}));
  command->footer(
      examples({"kiln cache list", "kiln cache verify", "kiln cache clear --cache-dir /scratch/kiln"}));
  const auto run = [=](World& world) {
    if (list_app->parsed()) return list(world);
    if (stats_app->parsed()) return stats(world);
    if (verify_app->parsed()) return verify(world);
    if (clear_app->parsed()) return clear(world);
    throw bad_input("say what to do with the cache: list, stats, verify or clear");
  };
  return {command, run};
}

}  // namespace kiln
