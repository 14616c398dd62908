#pragma once

#include <string>
#include <string_view>

namespace kiln {

/// A line, with its end, which says that the next line is line `line` of `file`. A name may contain any byte.
[[nodiscard]] std::string line_directive(std::string_view file, int line = 1);

}  // namespace kiln
