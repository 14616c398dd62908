#pragma once

#include <memory>
#include <string>
#include <vector>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

namespace kiln {

/// Help texts with the commands before the options, and examples at the foot.
[[nodiscard]] std::shared_ptr<CLI::FormatterBase> make_help_formatter();

/// "Examples:" and the lines, for the foot of a help text.
[[nodiscard]] std::string examples(const std::vector<std::string>& lines);

}  // namespace kiln
