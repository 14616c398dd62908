#pragma once

#include <string>

namespace kiln {

/// A keyword or an alternative token of C++ up to C++20, which no member of a struct can be called.
[[nodiscard]] bool is_cpp_word(const std::string& name);

}  // namespace kiln
