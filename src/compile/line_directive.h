#pragma once

#include <string>
#include <string_view>

namespace kiln {

/// A line that says that what follows is line `line` of `file`, with its end. A name may hold any byte.
[[nodiscard]] std::string line_directive(std::string_view file, int line = 1);

}  // namespace kiln
