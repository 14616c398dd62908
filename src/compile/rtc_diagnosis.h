#pragma once

#include <optional>
#include <string>

#include "specialize/specialization.h"

namespace kiln {

/// The first line of a compiler's log that says "error", else the first line at all.
[[nodiscard]] std::string first_error_line(const std::string& log);

/// One line where an entry is asked for that the kernel text does not have, with the nearest and all that it
/// has. Compilers report that as an undeclared name in a line that the user never wrote.
[[nodiscard]] std::optional<std::string> missing_kernel(const Specialization& specialization);

}  // namespace kiln
