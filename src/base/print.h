#pragma once

#include <algorithm>
#include <array>
#include <cstdio>
#include <string>

namespace kiln {

/// The text that printf would print, up to 95 characters.
template <class... Values>
[[nodiscard]] std::string print(const char* format, Values... values) {
  std::array<char, 96> text{};
  const int length = std::snprintf(text.data(), text.size(), format, values...);
  return {text.data(), std::min(text.size() - 1, static_cast<std::size_t>(std::max(length, 0)))};
}

}  // namespace kiln
