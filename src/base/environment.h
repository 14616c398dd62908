#pragma once

#include <optional>
#include <string>

namespace kiln {

/// An environment variable; absent and empty ones are both `nullopt`. The only reader of the environment in
/// Kiln.
[[nodiscard]] std::optional<std::string> read_environment(const std::string& variable);

}  // namespace kiln
