#include "compile/reached_names.h"

#include <algorithm>

namespace kiln {

ReachedNames::ReachedNames(const std::vector<const Outline*>& texts) {
  for (const Outline* text : texts) add(*text);
}

void ReachedNames::add(Places& places, std::string_view name, const std::vector<Token>& tokens,
                       TokenRange range) {
  if (range.begin >= range.end) return;
  places[name].push_back({tokens.data() + range.begin, tokens.data() + range.end});
}

void ReachedNames::add(const Outline& text) {
  for (const DefinitionOutline& definition : text.definitions) {
    Places& places = definition.kernel ? kernels_ : by_name_;
    add(places, definition.name, text.source.tokens, definition.head);
    add(places, definition.name, text.source.tokens, definition.body);
  }
  add_aliases(text.source.tokens);
  for (const Directive& directive : text.source.directives) {
    const std::vector<Token>& tokens = directive.tokens;
    if (tokens.size() < 2 || !tokens[0].is("define")) continue;
    add(by_name_, tokens[1].text, tokens, {2, tokens.size()});
    if (std::any_of(tokens.begin(), tokens.end(), [](const Token& token) { return token.is("##"); }))
      pasting_macros_.insert(tokens[1].text);
  }
}

/// `using name = ...;` and `typedef ... name;`, in any scope.
void ReachedNames::add_aliases(const std::vector<Token>& tokens) {
  for (std::size_t i = 0; i + 2 < tokens.size(); ++i) {
    const bool alias = tokens[i].is("using") && tokens[i + 2].is("=");
    if (!alias && !tokens[i].is("typedef")) continue;
    std::size_t end = i + 1;
    while (end < tokens.size() && !tokens[end].is(";") && !tokens[end].is("{")) ++end;
    add(by_name_, alias ? tokens[i + 1].text : tokens[end - 1].text, tokens, {i + 1, end});
    i = end - 1;
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
  const auto follow = [&](const Places& places, std::string_view name) {
    const auto found = places.find(name);
    if (found == places.end()) return;
    for (const Place& place : found->second) std::for_each(place.begin, place.end, reach);
  };
  for (const Token& token : start.tokens) {
    reach(token);
    follow(kernels_, token.text);
  }
  while (!open.empty()) {
    const std::string_view name = open.back();
    open.pop_back();
    if (visit(name)) return true;
    follow(by_name_, name);
  }
  return false;
}

}  // namespace kiln
