#pragma once

#include <string>

#include <CLI/App.hpp>

#include "cli/world.h"
#include "config/shard.h"

namespace kiln {

/// `--shard`, of the commands whose points can be shared out.
void add_shard_option(CLI::App& command, std::string& shard);

/// The shard of the option's `text`; if it is empty, the shard of this process's task in a Slurm array, which
/// a message names. Throws bad_input.
[[nodiscard]] Shard shard_of(World& world, const std::string& text);

}  // namespace kiln
