#pragma once

#include "cli/commands.h"

namespace kiln {

/// `kiln cache explain`: what the cache would answer to each unit of a job, and why. `cache` is the command
/// that it belongs to.
[[nodiscard]] Subcommand add_explain_command(CLI::App& cache);

}  // namespace kiln
