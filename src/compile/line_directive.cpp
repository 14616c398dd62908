#include "compile/line_directive.h"

#include <array>
#include <cstdio>

namespace kiln {

std::string line_directive(std::string_view file, int line) {
  std::string text = "#line " + std::to_string(line) + " \"";
  for (const char c : file) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      text += '\\';
      text += c;
    } else if (byte < 0x20 || byte == 0x7f) {
      std::array<char, 5> octal{};
      std::snprintf(octal.data(), octal.size(), "\\%03o", byte);
      text += octal.data();
    } else {
      text += c;
    }
  }
  return text + "\"\n";
}

}  // namespace kiln
