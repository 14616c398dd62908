#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace kiln {

/// An environment variable; absent and empty ones are both `nullopt`. The only reader of the environment in
/// Kiln.
[[nodiscard]] std::optional<std::string> read_environment(const std::string& variable);

/// The object that this code was loaded from: libkiln.so, or the program itself. Empty if it cannot be told.
[[nodiscard]] std::filesystem::path this_object();

}  // namespace kiln
