#include "compile/reached_names.h"

#include <algorithm>

namespace kiln {

ReachedNames::ReachedNames(const std::vector<const Outline*>& texts) {
  for (const Outline* text : texts) add(*text);
}

void ReachedNames::add(std::string_view name, const std::vector<Token>& tokens, TokenRange range) {
  if (range.begin >= range.end) return;
  by_name_[name].push_back({tokens.data() + range.begin, tokens.data() + range.end});
}

void ReachedNames::add(const Outline& text) {
  for (const DefinitionOutline& definition : text.definitions) {
    add(definition.name, text.source.tokens, definition.head);
    add(definition.name, text.source.tokens, definition.body);
  }
  for (const Directive& directive : text.source.directives) {
    const std::vector<Token>& tokens = directive.tokens;
    if (tokens.size() < 2 || !tokens[0].is("define")) continue;
    add(tokens[1].text, tokens, {2, tokens.size()});
    if (std::any_of(tokens.begin(), tokens.end(), [](const Token& token) { return token.is("##"); }))
      pasting_macros_.insert(tokens[1].text);
  }
}

bool ReachedNames::find(std::string_view expression,
                        const std::function<bool(std::string_view)>& visit) const {
  const TokenizedText start = tokenize(expression);
  std::set<std::string_view> seen = {"operator"};  // operators are called without their name
  std::vector<std::string_view> open = {"operator"};
  const auto reach = [&](const Token& token) {
    if (token.identifier() && seen.insert(token.text).second) open.push_back(token.text);
  };
  for (const Token& token : start.tokens) reach(token);
  while (!open.empty()) {
    const std::string_view name = open.back();
    open.pop_back();
    if (visit(name)) return true;
    const auto found = by_name_.find(name);
    if (found == by_name_.end()) continue;
    for (const Place& place : found->second) std::for_each(place.begin, place.end, reach);
  }
  return false;
}

}  // namespace kiln
