#include "specialize/conditionals.h"

#include <algorithm>
#include <utility>

namespace kiln {
namespace {

std::string asked_macro(const std::vector<Token>& words) {
  const bool parentheses = words.size() == 5 && words[2].is("(");
  if (words[0].is("ifdef") && words.size() == 2) return std::string(words[1].text);
  if (words[0].is("if") && words.size() == 2 && words[1].is("0")) return "0";
  const bool asks = words[0].is("if") && words.size() > 2 && words[1].is("defined");
  if (!asks || !(parentheses || words.size() == 3)) return "";
  return std::string(words[parentheses ? 3 : 2].text);
}

}  // namespace

bool are_alternatives(const TokenizedText& text, std::size_t offset, std::size_t other) {
  // For each open conditional: its number and that of its branch.
  const auto branches_at = [&](std::size_t place) {
    std::vector<std::pair<std::size_t, std::size_t>> open;
    for (std::size_t i = 0; i < text.directives.size() && text.directives[i].offset < place; ++i) {
      if (text.directives[i].tokens.empty()) continue;
      const Token& word = text.directives[i].tokens[0];
      if (word.is("if") || word.is("ifdef") || word.is("ifndef")) open.emplace_back(i, 0);
      if ((word.is("else") || word.is("elif")) && !open.empty()) ++open.back().second;
      if (word.is("endif") && !open.empty()) open.pop_back();
    }
    return open;
  };
  const auto first = branches_at(offset), second = branches_at(other);
  for (std::size_t i = 0; i < std::min(first.size(), second.size()); ++i) {
    if (first[i].first != second[i].first) return false;
    if (first[i].second != second[i].second) return true;
  }
  return false;
}

std::vector<std::string> macros_around(const TokenizedText& text, std::size_t offset) {
  std::vector<std::string> open;
  for (const Directive& directive : text.directives) {
    if (directive.offset >= offset) break;
    const std::vector<Token>& words = directive.tokens;
    if (words.empty()) continue;
    if (words[0].text.starts_with("if")) open.push_back(asked_macro(words));
    if (open.empty()) continue;
    if (words[0].is("else") || words[0].is("elif")) open.back().clear();
    if (words[0].is("endif")) open.pop_back();
  }
  std::erase(open, "");
  return open;
}

std::string with_one_branch(const std::string& text) {
  const TokenizedText source = tokenize(text);
  std::vector<std::pair<std::size_t, std::size_t>> parentheses;  // offsets
  for (const Token& token : source.tokens) {
    if (token.is("(") && token.close < source.tokens.size())
      parentheses.emplace_back(token.offset, source.tokens[token.close].offset);
  }
  const auto are_around = [&](std::size_t begin, std::size_t end) {
    return std::any_of(parentheses.begin(), parentheses.end(),
                       [&](const auto& one) { return one.first < begin && end < one.second; });
  };
  std::vector<TextEdit> edits;
  std::vector<std::pair<std::size_t, std::size_t>> open;  // offsets of #if and of its first #else, or 0
  for (const Directive& directive : source.directives) {
    if (directive.tokens.empty()) continue;
    const Token& word = directive.tokens[0];
    if (word.text.starts_with("if")) open.emplace_back(directive.offset, 0);
    if (open.empty()) continue;
    if ((word.is("else") || word.is("elif")) && open.back().second == 0)
      open.back().second = directive.offset;
    if (!word.is("endif")) continue;
    const auto [begin, other] = open.back();
    open.pop_back();
    const bool outermost = open.empty() || open.back().second == 0;
    if (other == 0 || !outermost || !are_around(begin, directive.offset)) continue;
    edits.push_back({other, directive.offset - other, ""});
  }
  return edits.empty() ? text : apply_edits(text, std::move(edits));
}

}  // namespace kiln
