#pragma once

#include <optional>
#include <string>

#include "specialize/specialization.h"

namespace kiln {

/// The first line of a compiler's log with the word "error", else its first line.
[[nodiscard]] std::string first_error_line(const std::string& log);

/// One line for an entry that the kernel text does not have, with the nearest kernel and all kernels of the
/// text. Compilers report it as an undeclared name in a line that the user never wrote.
[[nodiscard]] std::optional<std::string> missing_kernel(const Specialization& specialization);

}  // namespace kiln
