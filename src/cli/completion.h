#pragma once

#include <string>
#include <vector>

#include <CLI/App.hpp>

namespace kiln {

/// Shells that `completion_script` knows.
[[nodiscard]] const std::vector<std::string>& completion_shells();

/// A script that completes commands, options and the words they take, made from the parser itself. `shell`:
/// one of `completion_shells()`.
[[nodiscard]] std::string completion_script(const std::string& shell, const CLI::App& app);

}  // namespace kiln
