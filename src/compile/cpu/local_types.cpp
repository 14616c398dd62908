#include "compile/cpu/local_types.h"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>

#include "specialize/macro_expander.h"

namespace kiln {
namespace {

bool begins_type(const Token& token) {
  return token.is("struct") || token.is("class") || token.is("union") || token.is("enum");
}

/// The names that the members of `union { int a[4], *b; };` declare: those in front of a bracket, a comma, a
/// colon or the end.
std::set<std::string_view> members_of(const std::vector<Token>& tokens, std::size_t open) {
  std::set<std::string_view> names;
  const std::size_t end = tokens[open].close;
  for (std::size_t i = open + 1; i < end; ++i) {
    const Token& next = tokens[i + 1];
    const bool nested = tokens[i].is("{") && tokens[i].close < end;
    if (nested && tokens[tokens[i].close + 1].is(";")) names.merge(members_of(tokens, i));
    if (tokens[i].is("{") || tokens[i].is("(") || tokens[i].is("[")) {
      i = tokens[i].close;
    } else if (tokens[i].identifier() && (next.is(";") || next.is(",") || next.is("[") || next.is(":"))) {
      names.insert(tokens[i].text);
    }
  }
  return names;
}

/// Whether the name at `at` is declared there as a pointer or a reference: `const float* name`, at the
/// beginning of a statement.
bool declares_pointer(const std::vector<Token>& tokens, std::size_t at) {
  std::size_t i = at;
  while (tokens[i - 1].is("*") || tokens[i - 1].is("&")) --i;
  if (i == at || !tokens[i - 1].identifier()) return false;
  while (tokens[i - 1].identifier() || tokens[i - 1].is("::")) --i;
  return tokens[i - 1].is(";") || tokens[i - 1].is("{") || tokens[i - 1].is("}");
}

/// A union without a name gets one, and a variable of that type: splitting a function at its barriers would
/// give each of its members memory of its own. Nothing is changed where a member's name is declared again in
/// the block or stands in a macro; such a function is not split.
void name_union(const TokenizedText& source, std::size_t begin, const TypeDefinition& type, std::size_t end,
                std::vector<TextEdit>& edits) {
  const std::vector<Token>& tokens = source.tokens;
  static const std::set<std::string_view> no_types = {"return", "case",  "else", "do",
                                                      "sizeof", "throw", "goto"};
  const std::set<std::string_view> names = members_of(tokens, type.open);
  for (const Directive& directive : source.directives) {
    const auto macro = macro_of(directive);
    const auto is_parameter = [&](const std::string& word) {
      return std::find(macro->parameters.begin(), macro->parameters.end(), word) != macro->parameters.end();
    };
    if (macro && std::any_of(macro->body.begin(), macro->body.end(), [&](const std::string& word) {
          return names.contains(word) && !is_parameter(word);
        }))
      return;
  }
  const std::string number = std::to_string(tokens[begin].offset);
  const std::string type_name = "kiln_type_" + number, variable = "kiln_union_" + number;
  std::vector<TextEdit> uses;
  int depth = 0;
  for (std::size_t i = type.close + 2; i < end && depth >= 0; ++i) {
    const Token& before = tokens[i - 1];
    depth += tokens[i].is("{") ? 1 : tokens[i].is("}") ? -1 : 0;
    if (!names.contains(tokens[i].text) || before.is(".") || before.is("->") || before.is("::")) continue;
    if ((before.identifier() && !no_types.contains(before.text)) || declares_pointer(tokens, i)) return;
    uses.push_back({tokens[i].offset, 0, variable + "."});
  }
  edits.push_back({tokens[type.open].offset, 0, " " + type_name + " "});
  edits.push_back({tokens[type.close].end(), 0, "; " + type_name + " " + variable});
  edits.insert(edits.end(), uses.begin(), uses.end());
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
      const std::size_t begin = i;
      i = type->close;
      if (tokens[begin].is("union") && type->name.empty() && tokens[type->close + 1].is(";"))
        name_union(text.source, begin, *type, body.end, edits);
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
