#pragma once

#include <string>

namespace kiln {

/// The text of kiln/portable.h (compile/portable/portable.h), the same for every back end.
[[nodiscard]] const std::string& portable_header();

}  // namespace kiln
