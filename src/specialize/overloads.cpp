#include "specialize/overloads.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "kiln/error.h"
#include "specialize/any_text.h"

namespace kiln {
namespace {

bool is_dropped(const Token& token) {
  return token.is("__restrict__") || token.is("__restrict") || token.is("restrict") || token.is("struct") ||
         token.is("__grid_constant__");
}

/// Tokens of a type as one text, however it is written; an array is a pointer.
std::string type_text(const std::vector<Token>& tokens, TokenSpan span) {
  std::string text;
  bool word = false;
  for (std::size_t i = span.begin; i < span.end; ++i) {
    if (is_dropped(tokens[i])) continue;
    if (tokens[i].is("[")) {
      text += " *";
      i = std::min(tokens[i].close, span.end);
      continue;
    }
    const bool is_word = tokens[i].identifier() || tokens[i].kind == Token::Kind::kNumber;
    const bool star = tokens[i].is("*") && !text.empty() && text.back() != '*';
    text += ((word && is_word) || star ? " " : "") + std::string(tokens[i].text);
    word = is_word;
  }
  return text;
}

/// "float *" of "float *x = nullptr" and of "float *".
std::string type_of_parameter(const std::vector<Token>& tokens, TokenSpan span) {
  for (std::size_t i = span.begin; i < span.end; ++i) {
    if (tokens[i].is("=")) span.end = i;
  }
  std::size_t name = span.end;
  while (name > span.begin && tokens[name - 1].is("]")) {  // "float x[]"
    while (name > span.begin && !tokens[name - 1].is("[")) --name;
    --name;
  }
  static const std::set<std::string_view> types = {"int",  "float",    "double", "char",   "bool", "short",
                                                   "long", "unsigned", "signed", "size_t", "half"};
  const bool named = name > span.begin + 1 && tokens[name - 1].identifier() &&
                     !types.contains(tokens[name - 1].text) && !is_dropped(tokens[name - 1]) &&
                     !tokens[name - 2].is("::") && !tokens[name - 2].is("const");
  std::string type = type_text(tokens, {span.begin, named ? name - 1 : name});
  if (name < span.end) type += " *";
  return type;
}

/// "ns::update(float *, int)<4>" as its parts.
struct Choice {
  std::string scope, name, types, arguments;
};

Choice parse_choice(const std::string& expression) {
  Choice choice;
  const std::size_t open = expression.find('('), close = expression.find(')');
  const std::size_t scope = expression.rfind("::", open);
  const std::size_t begin = scope == std::string::npos ? 0 : scope + 2;
  choice.scope = expression.substr(0, begin);
  choice.name = expression.substr(begin, open - begin);
  choice.arguments = expression.substr(close + 1);
  const std::string inside = expression.substr(open + 1, close - open - 1);
  const TokenizedText tokens = tokenize(inside);
  std::vector<std::string> types;
  for (const TokenSpan& part : parts_of(tokens.tokens, {0, tokens.tokens.size()}, true))
    types.push_back(type_of_parameter(tokens.tokens, part));
  choice.types = join(types, ", ");
  return choice;
}

std::string own_name(const Choice& choice) {
  std::string name = choice.name + "_";
  for (const char c : choice.types) {
    if (continues_identifier(c)) name += c;
    if (c == '*') name += "_p";
    if (c == ',') name += "_";
  }
  return name;
}

void find_functions(const std::vector<Declaration>& declarations, std::string_view name,
                    std::vector<const Declaration*>& found) {
  for (const Declaration& declaration : declarations) {
    if (declaration.kind == Declaration::Kind::kScope) find_functions(declaration.members, name, found);
    const bool function =
        declaration.kind == Declaration::Kind::kFunction || declaration.kind == Declaration::Kind::kPrototype;
    if (function && !declaration.names.empty() && declaration.names.front() == name)
      found.push_back(&declaration);
  }
}

/// Renames it in one text; `overloads`: what there is instead.
bool rename(std::string& text, const Choice& choice, std::set<std::string>& overloads) {
  const std::string before = text;
  const TokenizedText tokens = tokenize(before);
  const std::vector<Declaration> declarations = read_declarations(tokens);
  std::vector<const Declaration*> functions;
  find_functions(declarations, choice.name, functions);
  std::vector<TextEdit> edits;
  for (const Declaration* function : functions) {
    const std::string types = parameter_types(tokens, *function);
    overloads.insert(choice.name + "(" + types + ")");
    if (types != choice.types) continue;
    const Token& name = tokens.tokens[function->parameters.begin - 2];
    if (name.is(choice.name)) edits.push_back({name.offset, name.text.size(), own_name(choice)});
  }
  if (edits.empty()) return false;
  text = apply_edits(before, std::move(edits));
  return true;
}

bool has_function(const std::string& text, const std::string& name) {
  const TokenizedText tokens = tokenize(text);
  const std::vector<Declaration> declarations = read_declarations(tokens);
  std::vector<const Declaration*> functions;
  find_functions(declarations, name, functions);
  return !functions.empty();
}

}  // namespace

std::string parameter_types(const TokenizedText& text, const Declaration& function) {
  std::vector<std::string> types;
  for (const TokenSpan& part : parts_of(text.tokens, function.parameters, true))
    types.push_back(type_of_parameter(text.tokens, part));
  return join(types, ", ");
}

std::string name_overload(Specialization& specialization, const std::string& expression) {
  const std::size_t open = expression.find('(');
  if (open == std::string::npos || expression.find('<') < open) return expression;
  const Choice choice = parse_choice(expression);
  const std::string name = own_name(choice);
  std::set<std::string> overloads;
  bool found = rename(specialization.source_text, choice, overloads);
  for (IncludedHeader& header : specialization.headers)
    found = rename(header.text, choice, overloads) || found;
  found =
      found || any_text(specialization, [&](const std::string& text) { return has_function(text, name); });
  if (!found) {
    throw bad_input(
        specialization.source_name + ": no kernel '" + choice.name + "(" + choice.types + ")'" +
        (overloads.empty()
             ? ""
             : "; there is " + join(std::vector<std::string>(overloads.begin(), overloads.end()), ", ")));
  }
  return choice.scope + name + choice.arguments;
}

}  // namespace kiln
