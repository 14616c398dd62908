#include "compile/cpu/shared_callees.h"

#include <algorithm>

#include "compile/reached_names.h"

namespace kiln {
namespace {

/// Whether one of the tokens is one of the names.
template <class Iterator>
bool names_any(Iterator begin, Iterator end, const std::set<std::string_view>& names) {
  return std::any_of(begin, end,
                     [&](const Token& token) { return token.identifier() && names.contains(token.text); });
}

/// `__shared__`, and macros that contain it.
std::set<std::string_view> shared_words(const std::vector<const Outline*>& texts) {
  std::set<std::string_view> words = {"__shared__"};
  for (std::size_t before = 0; before != words.size();) {
    before = words.size();
    for (const Outline* text : texts) {
      for (const Directive& directive : text->source.directives) {
        const std::vector<Token>& tokens = directive.tokens;
        if (tokens.size() < 3 || !tokens[0].is("define")) continue;
        if (names_any(tokens.begin() + 2, tokens.end(), words)) words.insert(tokens[1].text);
      }
    }
  }
  return words;
}

}  // namespace

SharedCallees::SharedCallees(const std::vector<const Outline*>& texts) : texts_(texts) {
  const std::set<std::string_view> words = shared_words(texts);
  for (const Outline* text : texts) {
    for (const DefinitionOutline& definition : text->definitions) {
      const Token* begin = text->source.tokens.data() + definition.body.begin;
      const Token* end = text->source.tokens.data() + definition.body.end;
      if (!names_any(begin, end, words)) continue;
      if (!definition.is_class) functions_.insert(definition.name);
      for (const Token* token = begin; definition.is_class && token + 1 < end; ++token) {
        if (token->identifier() && token[1].is("(")) members_[definition.name].insert(token->text);
      }
    }
  }
}

std::set<std::string_view> SharedCallees::of(const std::string& name_expression) const {
  std::set<std::string_view> found;
  if (functions_.empty() && members_.empty()) return found;
  std::set<std::string_view> reached;
  ReachedNames(texts_).find(name_expression, [&](std::string_view name) {
    reached.insert(name);
    if (functions_.contains(name)) found.insert(*functions_.find(name));
    return false;
  });
  for (const auto& [type, members] : members_) {
    if (!reached.contains(type)) continue;
    for (const std::string_view member : members) {
      if (reached.contains(member)) found.insert(member);
    }
  }
  found.erase(kernel_name(name_expression));
  return found;
}

}  // namespace kiln
