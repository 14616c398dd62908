#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "kiln/error.h"

namespace kiln {

/// The commands below `kiln cache`.
[[nodiscard]] Subcommand add_cache_list_command(CLI::App& cache);
[[nodiscard]] Subcommand add_cache_verify_command(CLI::App& cache);
[[nodiscard]] Subcommand add_cache_gc_command(CLI::App& cache);
[[nodiscard]] Subcommand add_cache_pack_command(CLI::App& cache);
[[nodiscard]] Subcommand add_cache_unpack_command(CLI::App& cache);

/// The cache's answer. It opens its folder only now, and these commands need nothing else: a folder that
/// cannot be used is an environment_error.
template <class Action>
auto ask_cache(World& world, Action action) {
  DiskCache& cache = world.engine().cache();
  auto answer = action(cache);
  const std::string reason = cache.disabled_reason();
  if (!reason.empty())
    throw environment_error("the cache " + cache.root().string() + " cannot be used: " + reason);
  return answer;
}

/// "1 entry", "12 entries".
[[nodiscard]] std::string entries_text(std::uint64_t count);
[[nodiscard]] std::uint64_t total_bytes(const std::vector<CacheEntryInfo>& entries);

}  // namespace kiln
