#include "compile/cpu/local_types.h"

#include <string>

namespace kiln {
namespace {

bool begins_type(const Token& token) {
  return token.is("struct") || token.is("class") || token.is("union") || token.is("enum");
}

}  // namespace

std::optional<TypeDefinition> type_definition(const std::vector<Token>& tokens, std::size_t at,
                                              std::size_t end) {
  if (at >= end || !begins_type(tokens[at])) return std::nullopt;
  TypeDefinition found;
  for (std::size_t i = at + 1; i < end; ++i) {
    if (tokens[i].is("{")) {
      found.open = i;
      found.close = tokens[i].close;
      return found.close < end ? std::optional(found) : std::nullopt;
    }
    if (found.derived || begins_type(tokens[i])) continue;  // "enum class"
    if (tokens[i].is("(") || tokens[i].is("[")) {           // of an attribute
      i = tokens[i].close;
      found.name = {};
    } else if (tokens[i].is(":")) {
      found.derived = true;
    } else if (!tokens[i].identifier()) {
      return std::nullopt;
    } else if (!tokens[i].is("final")) {
      if (!found.name.empty()) return std::nullopt;
      found.name = tokens[i].text;
    }
  }
  return std::nullopt;
}

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
      if (tokens[type->close + 1].is(";") || (type->name.empty() && type->derived)) continue;
      const std::string name = type->name.empty() ? "kiln_type_" + std::to_string(tokens[type->open].offset)
                                                  : std::string(type->name);
      if (type->name.empty()) edits.push_back({tokens[type->open].offset, 0, " " + name + " "});
      edits.push_back({tokens[type->close].end(), 0, "; " + name + " "});
    }
  }
  return edits;
}

}  // namespace kiln
