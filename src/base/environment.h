#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace kiln {

/// An environment variable; absent and empty ones are both `nullopt`. The only reader of the environment in
/// Kiln.
[[nodiscard]] std::optional<std::string> read_environment(const std::string& variable);

/// Whether a variable is set and empty, which read_environment() takes for absent.
[[nodiscard]] bool is_set_empty(const std::string& variable);

/// Sets a variable of this process and its children. Only while the process has one thread.
void write_environment(const std::string& variable, const std::string& value);

/// The object from which this code was loaded: libkiln.so, or the program itself. Empty if unknown.
[[nodiscard]] std::filesystem::path this_object();

}  // namespace kiln
