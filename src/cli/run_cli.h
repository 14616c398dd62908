#pragma once

#include <ostream>

#include "cli/console.h"

namespace kiln {

/// The `kiln` command: parses, runs, and turns everything that is thrown into a message on standard error and
/// an exit code (base/exit_code.h). Results go to standard output, all else to standard error.
[[nodiscard]] int run_cli(int argc, const char* const* argv, const Console& console);

/// run_cli() on streams that are not terminals.
[[nodiscard]] int run_cli(int argc, const char* const* argv, std::ostream& out, std::ostream& err);

}  // namespace kiln
