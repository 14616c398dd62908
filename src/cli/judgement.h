#pragma once

#include <vector>

#include <CLI/App.hpp>

#include "cli/world.h"
#include "record/record.h"

namespace kiln {

/// `--require-checks`, of the commands that check results.
void add_require_checks(CLI::App& command, bool& required);

/// The exit code of a command that has run all of these: 1 if one failed or is wrong, or is unchecked where
/// checks are required, else 0. Says on standard error which results are unchecked and why.
[[nodiscard]] int judge(const std::vector<const Record*>& records, bool checks_required, World& world);

}  // namespace kiln
