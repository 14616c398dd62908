#include "compile/cpu/split/places.h"

#include <algorithm>
#include <vector>

namespace kiln::fission {

std::string Places::of(std::size_t token) const {
  const auto [file, line] = place(token);
  return file.empty() ? "" : " (" + file + ":" + std::to_string(line) + ")";
}

std::string Places::marker(std::size_t token) const {
  const auto [file, line] = place(token);
  return "\n# " + std::to_string(line) + " \"" + (file.empty() ? "kernel" : file) + "\"\n";
}

std::pair<std::string, long> Places::place(std::size_t token) const {
  const std::vector<Token>& tokens = outline_.source.tokens;
  if (token >= tokens.size()) return {};
  const std::size_t offset = tokens[token].offset;
  std::string file;
  long line = 0;
  std::size_t from = 0;
  for (const Directive& directive : outline_.source.directives) {
    if (directive.offset > offset) break;
    const std::vector<Token>& words = directive.tokens;
    const std::size_t number = !words.empty() && words[0].is("line") ? 1 : 0;
    if (words.size() < number + 2 || words[number].kind != Token::Kind::kNumber ||
        words[number + 1].kind != Token::Kind::kString)
      continue;
    file = std::string(words[number + 1].text.substr(1, words[number + 1].text.size() - 2));
    line = std::stol(std::string(words[number].text)) - 1;
    from = directive.offset;
  }
  line += std::count(text_.begin() + static_cast<std::ptrdiff_t>(from),
                     text_.begin() + static_cast<std::ptrdiff_t>(offset), '\n');
  return {file, line};
}

}  // namespace kiln::fission
