#include "base/whole_word.h"

#include <cctype>

namespace kiln {

bool has_word(std::string_view text, std::string_view word) {
  if (word.empty()) return false;
  const auto belongs = [&](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || (c == '-' && word[0] == '-');
  };
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    const bool begins = at == 0 || !belongs(word.front()) || !belongs(text[at - 1]);
    const bool ends = end == text.size() || !belongs(word.back()) || !belongs(text[end]);
    if (begins && ends) return true;
  }
  return false;
}

}  // namespace kiln
