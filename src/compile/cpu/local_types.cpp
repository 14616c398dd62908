#include "compile/cpu/local_types.h"

#include <optional>
#include <utility>

namespace kiln {
namespace {

struct TypeDefinition {
  std::string_view name;  // empty: none
  std::size_t open = 0;   // its "{"
  std::size_t close = 0;
};

/// The definition of a type with which the statement at `at` begins.
std::optional<TypeDefinition> type_definition(const std::vector<Token>& tokens, std::size_t at,
                                              std::size_t end) {
  if (!tokens[at].is("struct") && !tokens[at].is("union") && !tokens[at].is("class")) return std::nullopt;
  TypeDefinition found;
  for (std::size_t i = at + 1; i < end; ++i) {
    if (tokens[i].is("(")) {  // of an attribute
      i = tokens[i].close;
      found.name = {};
      continue;
    }
    if (tokens[i].is("{")) {
      found.open = i;
      found.close = tokens[i].close;
      return found.close < end ? std::optional(found) : std::nullopt;
    }
    if (!tokens[i].identifier() || !found.name.empty()) return std::nullopt;
    found.name = tokens[i].text;
  }
  return std::nullopt;
}

}  // namespace

std::vector<TextEdit> name_local_types(const Outline& text) {
  const std::vector<Token>& tokens = text.source.tokens;
  std::vector<TextEdit> edits;
  for (const DefinitionOutline& definition : text.definitions) {
    const TokenRange body = definition.body;  // at 0: there is none
    if (definition.is_class || body.begin == 0 || body.end >= tokens.size()) continue;
    for (std::size_t i = body.begin; i < body.end; ++i) {
      if (!tokens[i - 1].is(";") && !tokens[i - 1].is("{") && !tokens[i - 1].is("}")) continue;
      const auto type = type_definition(tokens, i, body.end);
      if (!type) continue;
      i = type->close;
      if (tokens[type->close + 1].is(";")) continue;
      const std::string name = type->name.empty() ? "kiln_type_" + std::to_string(tokens[type->open].offset)
                                                  : std::string(type->name);
      if (type->name.empty()) edits.push_back({tokens[type->open].offset, 0, " " + name + " "});
      edits.push_back({tokens[type->close].end(), 0, "; " + name + " "});
    }
  }
  return edits;
}

std::string with_local_types(std::string text) {
  if (text.find("union") == std::string::npos && text.find("struct") == std::string::npos &&
      text.find("class") == std::string::npos)
    return text;
  std::vector<TextEdit> edits = name_local_types(outline(text));
  return edits.empty() ? text : apply_edits(text, std::move(edits));
}

}  // namespace kiln
