#pragma once

#include <string_view>

namespace kiln {

/// A header of the host's C library of which device code uses nothing: <time.h>, <unistd.h>, <cerrno>.
[[nodiscard]] bool is_header_of_host(std::string_view name);

/// A header of C that device code uses, in C's or C++'s spelling: <math.h>, <cstdint>.
[[nodiscard]] bool is_header_of_language(std::string_view name);

}  // namespace kiln
