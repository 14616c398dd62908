#include "specialize/conditionals.h"

#include <algorithm>
#include <set>
#include <utility>

namespace kiln {
namespace {

/// What the branches of a conditional ask for, as `macros_around` says it.
struct Asked {
  std::string first, other;
};

Asked asked_macro(const std::vector<Token>& words, const std::set<std::string_view>& defined) {
  const auto asks_for = [&](std::string_view macro) {
    return Asked{std::string(macro), defined.contains(macro) ? "0" : ""};
  };
  if (words.size() == 2 && words[0].is("ifdef")) return asks_for(words[1].text);
  if (words.size() == 2 && words[0].is("ifndef")) {
    Asked asked = asks_for(words[1].text);
    std::swap(asked.first, asked.other);
    return asked;
  }
  if (words.size() == 2 && words[0].is("if") && words[1].is("0")) return {"0", ""};
  const bool parentheses = words.size() == 5 && words[2].is("(");
  const bool asks = words[0].is("if") && words.size() > 2 && words[1].is("defined");
  if (!asks || !(parentheses || words.size() == 3)) return {};
  return asks_for(words[parentheses ? 3 : 2].text);
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
  std::vector<Asked> open;
  std::set<std::string_view> defined;  // outside of all conditionals
  for (const Directive& directive : text.directives) {
    if (directive.offset >= offset) break;
    const std::vector<Token>& words = directive.tokens;
    if (words.empty()) continue;
    if (open.empty() && words.size() > 1 && words[0].is("define")) defined.insert(words[1].text);
    if (words.size() > 1 && words[0].is("undef")) defined.erase(words[1].text);
    if (words[0].text.starts_with("if")) open.push_back(asked_macro(words, defined));
    if (open.empty()) continue;
    if (words[0].is("else")) open.back().first = std::exchange(open.back().other, "");
    if (words[0].is("elif")) open.back() = {};
    if (words[0].is("endif")) open.pop_back();
  }
  std::vector<std::string> macros;
  for (Asked& asked : open) {
    if (!asked.first.empty()) macros.push_back(std::move(asked.first));
  }
  return macros;
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
