#include "cli/shard_option.h"

#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "base/environment.h"

namespace kiln {

void add_shard_option(CLI::App& command, std::string& shard) {
  command
      .add_option(
          "--shard", shard,
          "Run the i-th of n parts, 1/8 to 8/8, into separate files, which `kiln merge` joins; off: all. "
          "Default: the task of a Slurm array [SLURM_ARRAY_TASK_ID]")
      ->type_name("I/N");
}

Shard shard_of(World& world, const std::string& text) {
  if (text == "off") return {};
  if (!text.empty()) return parse_shard(text);
  const auto shard = shard_of_slurm(read_environment);
  if (!shard) return {};
  if (!shard->is_whole() && !world.quiet())
    world.status_line().write("shard " + shard->text() + ", for SLURM_ARRAY_TASK_ID=" +
                              read_environment("SLURM_ARRAY_TASK_ID").value_or("") +
                              "; --shard off takes all");
  return *shard;
}

}  // namespace kiln
