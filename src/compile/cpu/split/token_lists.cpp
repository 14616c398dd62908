#include "compile/cpu/split/token_lists.h"

#include <algorithm>

namespace kiln::fission {

std::vector<TokenRange> split_commas(const std::vector<Token>& tokens, TokenRange range, bool angles) {
  std::vector<TokenRange> parts;
  if (range.begin >= range.end) return parts;
  std::size_t begin = range.begin;
  bool initializer = false;
  for (std::size_t i = range.begin; i < range.end;) {
    const Token& token = tokens[i];
    if (token.is("(") || token.is("[") || token.is("{")) {
      i = matching_close(tokens, i) + 1;
      continue;
    }
    if (token.is("=")) initializer = true;
    if (token.is("<") && (angles || initializer)) {
      const std::size_t after = after_template_arguments(tokens, i, range.end);
      // "a < b, c > d" compares; "f<a, b>(c)" and "T<a, b>::x" do not.
      const bool arguments = after > i && after < range.end &&
                             (tokens[after].is("(") || tokens[after].is("::") || tokens[after].is("{") ||
                              (!initializer && tokens[after].identifier()));
      if (arguments) {
        i = after;
        continue;
      }
    }
    if (token.is(",")) {
      parts.push_back({begin, i});
      begin = i + 1;
      initializer = false;
    }
    ++i;
  }
  parts.push_back({begin, std::min(range.end, tokens.size())});
  return parts;
}

std::size_t after_template_arguments(const std::vector<Token>& tokens, std::size_t open, std::size_t end) {
  int depth = 0;
  for (std::size_t i = open; i < end; ++i) {
    const Token& token = tokens[i];
    if (token.is("(") || token.is("[")) {
      i = matching_close(tokens, i);
    } else if (token.is("<")) {
      ++depth;
    } else if (token.is(">")) {
      if (--depth == 0) return i + 1;
    } else if (token.is(";") || token.is("{") || token.is("}") || token.is("=") || token.is("&&") ||
               token.is("||") || token.is("+=") || token.is("<=") || token.is(">=")) {
      return open;
    }
  }
  return open;
}

}  // namespace kiln::fission
