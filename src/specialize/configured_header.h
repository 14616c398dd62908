#pragma once

#include <map>
#include <string>
#include <vector>

namespace kiln {

/// A header that CMake's configure_file makes of another text, "config.h" of "config.h.in".
struct ConfiguredHeader {
  std::string text;
  std::vector<std::string> unknown;  ///< variables without a known value, each once; their lines say FILL IN
};

/// Replaces `@NAME@` and `${NAME}` by values of CMake's variables, and the lines `#cmakedefine NAME ...` and
/// `#cmakedefine01 NAME` by a #define, or none. Of what has no known value a switch for the GPU is on, other
/// switches are off, and other values are empty. The number of lines stays.
[[nodiscard]] ConfiguredHeader configured_header(const std::string& text,
                                                 const std::map<std::string, std::string>& variables);

}  // namespace kiln
