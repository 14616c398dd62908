#include "specialize/conditionals.h"

#include <algorithm>
#include <utility>

namespace kiln {
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
  // `#ifdef X / __global__ void f / #else / void g / #endif / (int n) {...}`: branches of a kernel's head
  const auto is_head_of_kernel = [&](std::size_t begin, std::size_t other, std::size_t end) {
    bool kernel = false;
    const auto first =
        std::lower_bound(source.tokens.begin(), source.tokens.end(), begin,
                         [](const Token& token, std::size_t offset) { return token.offset < offset; });
    for (auto token = first; token != source.tokens.end() && token->offset < end; ++token) {
      if (!token->identifier() && !token->is("*") && !token->is("::")) return false;
      kernel = kernel || (token->offset < other && token->is("__global__"));
    }
    return kernel;
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
    const std::size_t end = directive.offset;
    if (other == 0 || !outermost || !(are_around(begin, end) || is_head_of_kernel(begin, other, end)))
      continue;
    edits.push_back({other, end - other, ""});
  }
  return edits.empty() ? text : apply_edits(text, std::move(edits));
}

}  // namespace kiln
