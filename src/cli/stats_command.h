#pragma once

#include "cli/commands.h"

namespace kiln {

/// `kiln cache stats`: the folder, and what its runs have counted. `cache` is the command that it belongs to.
[[nodiscard]] Subcommand add_stats_command(CLI::App& cache);

}  // namespace kiln
