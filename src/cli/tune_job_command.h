#pragma once

#include <string>

#include "cli/commands.h"

namespace kiln {

/// Gives `kiln tune` the options of a search for a job's best variant; the result runs it.
[[nodiscard]] Subcommand add_tune_job(CLI::App& tune);

/// All searchers, with commas, for help texts.
[[nodiscard]] std::string searcher_names();

}  // namespace kiln
