#pragma once

#include <string>

#include <CLI/App.hpp>

namespace kiln {

/// A manual page (roff, section 1) of `app`, which is `kiln` itself or one of its commands, made from what
/// `--help` shows: description, options and examples of the command and of each command below it. kiln(1)
/// lists its commands, which have pages of their own. It has no date, so that equal sources give equal pages.
[[nodiscard]] std::string man_page(const CLI::App& app);

/// "kiln", "kiln-run".
[[nodiscard]] std::string man_page_name(const CLI::App& app);

}  // namespace kiln
