#pragma once

#include <string>

namespace kiln {

/// A compiler's log without its line that the message repeats, so that both can stand together.
[[nodiscard]] std::string log_beside(const std::string& message, const std::string& log);

}  // namespace kiln
