#include "specialize/attributes.h"

#include <algorithm>
#include <array>

namespace kiln {

bool is_attribute(std::string_view name) {
  static constexpr std::array<std::string_view, 16> kNames = {
      "__launch_bounds__", "__attribute__", "__align__",  "__builtin_align__", "alignas", "noexcept",
      "decltype",          "requires",      "__declspec", "explicit",          "throw",   "__cluster_dims__",
      "_Alignas",          "__maxnreg__",   "sizeof",     "__block_size__"};
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end() ||
         name.starts_with("KILN_LAUNCH_BOUNDS_");
}

bool is_alignment(const Token& token) {
  static constexpr std::array<std::string_view, 4> kNames = {"alignas", "__align__", "__builtin_align__",
                                                             "__attribute__"};
  return std::find(kNames.begin(), kNames.end(), token.text) != kNames.end();
}

bool is_alignment_macro(const std::vector<Token>& tokens, std::size_t i) {
  return i + 4 < tokens.size() && tokens[i].identifier() && tokens[i + 1].is("(") &&
         tokens[i + 2].kind == Token::Kind::kNumber && tokens[i + 3].is(")") && tokens[i + 4].identifier();
}

}  // namespace kiln
