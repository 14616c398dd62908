#pragma once

#include <string_view>

namespace kiln {

/// Whether this is a header of the host's C library that device code does not use: <time.h>, <unistd.h>,
/// <cerrno>.
[[nodiscard]] bool is_header_of_host(std::string_view name);

/// Whether this is a header of C that device code uses, in C's or C++'s spelling: <math.h>, <cstdint>.
[[nodiscard]] bool is_header_of_language(std::string_view name);

}  // namespace kiln
