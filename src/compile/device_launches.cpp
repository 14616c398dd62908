#include "compile/device_launches.h"

#include <algorithm>
#include <cstddef>
#include <set>
#include <string_view>

namespace kiln {
namespace {

/// Whether the three tokens at `i` are "<<<" or ">>>", without blanks.
bool is_triple(const std::vector<Token>& tokens, std::size_t i, std::string_view sign) {
  if (i + 2 >= tokens.size()) return false;
  for (std::size_t k = 0; k < 3; ++k) {
    if (!tokens[i + k].is(sign) || tokens[i + k].offset != tokens[i].offset + k) return false;
  }
  return true;
}

/// Where the ">>>" of the launch stands whose "<<<" is at `open`; the tokens' number if there is none.
std::size_t closing(const std::vector<Token>& tokens, std::size_t open) {
  for (std::size_t i = open + 3; i + 3 < tokens.size(); ++i) {
    if (tokens[i].is(";") || tokens[i].is("}")) break;
    if (is_triple(tokens, i, ">") && tokens[i + 3].is("(")) return i;
    if (tokens[i].is("(") || tokens[i].is("{") || tokens[i].is("[")) i = tokens[i].close;
  }
  return tokens.size();
}

/// The first token of the kernel's name, with scopes and template arguments, in front of the "<<<" at `open`;
/// `open` if no name stands there.
std::size_t name_before(const std::vector<Token>& tokens, std::size_t open) {
  std::size_t i = open;
  if (i > 0 && tokens[i - 1].is(">")) {
    int angles = 0;
    for (;;) {
      if (i == 0) return open;
      const Token& token = tokens[--i];
      if (token.is(";") || token.is("{") || token.is("}")) return open;
      if (token.is(">")) ++angles;
      if (token.is("<") && --angles == 0) break;
    }
  }
  if (i == 0 || !tokens[i - 1].identifier()) return open;
  --i;
  while (i > 0 && tokens[i - 1].is("::"))
    i -= i > 1 && tokens[i - 2].identifier() && !tokens[i - 2].is("return") ? 2 : 1;
  return i;
}

/// Whether the tokens have a launch, with its arguments.
bool has_launch(const std::vector<Token>& tokens) {
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (is_triple(tokens, i, "<") && closing(tokens, i) < tokens.size()) return true;
  }
  return false;
}

}  // namespace

bool launches_from_kernels(const Specialization& specialization) {
  std::vector<std::string_view> texts = {specialization.source_text};
  for (const IncludedHeader& header : specialization.headers) texts.emplace_back(header.text);
  std::set<std::string_view> macros;  // that launch a kernel; host code that is left out may have used them
  for (const std::string_view text : texts) {
    if (text.find("<<<") == std::string_view::npos) continue;
    const TokenizedText source = tokenize(text);
    if (has_launch(source.tokens)) return true;
    for (const Directive& directive : source.directives) {
      const std::vector<Token>& tokens = directive.tokens;
      if (tokens.size() > 2 && tokens[0].is("define") && has_launch(tokens)) macros.insert(tokens[1].text);
    }
  }
  return !macros.empty() && std::any_of(texts.begin(), texts.end(), [&](std::string_view text) {
    const TokenizedText source = tokenize(text);
    return std::any_of(source.tokens.begin(), source.tokens.end(),
                       [&](const Token& token) { return macros.contains(token.text); });
  });
}

std::vector<TextEdit> device_launch_edits(const Outline& text,
                                          const std::function<bool(const std::string&)>& waits) {
  std::vector<TextEdit> edits;
  const std::vector<Token>& tokens = text.source.tokens;
  for (std::size_t i = 0; i + 2 < tokens.size(); ++i) {
    if (!is_triple(tokens, i, "<")) continue;
    const std::size_t close = closing(tokens, i);
    const std::size_t first = name_before(tokens, i);
    if (close == tokens.size() || first == i) continue;
    const std::string name = text_of(tokens, {first, i});
    edits.push_back({tokens[first].offset, 0, "kiln::cpu::DeviceLaunch<&"});
    edits.push_back({tokens[i].offset, 3,
                     std::string(waits(name) ? ", true>(\"" : ", false>(\"") + kernel_name(name) + "\", "});
    edits.push_back({tokens[close].offset, 3, ")"});
    i = close;
  }
  return edits;
}

}  // namespace kiln
