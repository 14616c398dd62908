#include "specialize/overloads.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "base/whole_word.h"
#include "kiln/error.h"
#include "specialize/any_text.h"
#include "specialize/class_members.h"
#include "specialize/class_reader.h"

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

/// Where the name stands, also in front of the arguments of a specialisation; 0: there is another one.
std::size_t place_of_name(const std::vector<Token>& tokens, const Declaration& function,
                          std::string_view name) {
  std::size_t at = function.parameters.begin - 2;
  if (tokens[at].is(">")) {
    for (int depth = 0; at > function.whole.begin; --at) {
      if (tokens[at].is(">")) ++depth;
      if (tokens[at].is("<") && --depth == 0) break;
    }
    at = std::max<std::size_t>(at, 1) - 1;
  }
  return tokens[at].is(name) ? at : 0;
}

/// The template that a choice means: names of its parameters, and the types of its function's.
struct ChosenTemplate {
  std::vector<std::string> parameters, types;
};

/// What was found of the overload that a choice means.
struct FoundOverload {
  bool function = false;
  bool specialisation = false;            ///< of a template whose own types are others
  std::vector<ChosenTemplate> templates;  ///< one for each declaration
  std::set<std::string> overloads;        ///< what there is
};

std::vector<std::string> types_of(const TokenizedText& text, const Declaration& function) {
  std::vector<std::string> types;
  for (const TokenSpan& part : parts_of(text.tokens, function.parameters, true))
    types.push_back(type_of_parameter(text.tokens, part));
  return types;
}

bool is_specialisation(const TokenizedText& text, const Declaration& function) {
  return text.tokens[function.parameters.begin - 2].is(">");
}

/// Whether `template <> void k<float>(const float*)` is one of `template <class T> void k(const T*)`. What
/// its arguments do not give is deduced.
bool specialises(const TokenizedText& text, const Declaration& function, std::size_t name,
                 const ChosenTemplate& of) {
  std::map<std::string, std::string> values;
  std::size_t next = 0;
  for (const TokenSpan& part : parts_of(text.tokens, {name + 2, function.parameters.begin - 2}, true)) {
    if (next < of.parameters.size()) values[of.parameters[next++]] = type_text(text.tokens, part);
  }
  const std::vector<std::string> types = types_of(text, function);
  if (types.size() != of.types.size()) return false;
  for (std::size_t i = 0; i < types.size(); ++i) {
    const bool deduced =
        std::any_of(of.parameters.begin() + static_cast<std::ptrdiff_t>(next), of.parameters.end(),
                    [&](const std::string& parameter) { return has_word(of.types[i], parameter); });
    const std::string written = substituted(of.types[i], values);
    const TokenizedText type = tokenize(written);
    if (!deduced && type_text(type.tokens, {0, type.tokens.size()}) != types[i]) return false;
  }
  return true;
}

void find_overload(const std::string& text, const Choice& choice, FoundOverload& found) {
  const TokenizedText tokens = tokenize(text);
  const std::vector<Declaration> declarations = read_declarations(tokens);
  std::vector<const Declaration*> functions;
  find_functions(declarations, choice.name, functions);
  for (const Declaration* function : functions) {
    const std::string types = parameter_types(tokens, *function);
    found.overloads.insert(choice.name + "(" + types + ")");
    if (types != choice.types) continue;
    if (is_specialisation(tokens, *function)) {
      found.specialisation = true;
      continue;
    }
    found.function = true;
    if (!tokens.tokens[function->whole.begin].is("template")) continue;
    ChosenTemplate& chosen = found.templates.emplace_back();
    chosen.types = types_of(tokens, *function);
    for (const TokenSpan& part : parts_of(tokens.tokens, function->template_head, true))
      chosen.parameters.push_back(parameter_of(tokens.tokens, part).name);
  }
}

/// Renames it in one text, with the specialisations of a template.
void rename(std::string& text, const Choice& choice, const FoundOverload& found) {
  const std::string before = text;
  const TokenizedText tokens = tokenize(before);
  const std::vector<Declaration> declarations = read_declarations(tokens);
  std::vector<const Declaration*> functions;
  find_functions(declarations, choice.name, functions);
  std::vector<TextEdit> edits;
  for (const Declaration* function : functions) {
    const std::size_t at = place_of_name(tokens.tokens, *function, choice.name);
    const bool meant = is_specialisation(tokens, *function)
                           ? at > 0 && std::any_of(found.templates.begin(), found.templates.end(),
                                                   [&](const ChosenTemplate& one) {
                                                     return specialises(tokens, *function, at, one);
                                                   })
                           : parameter_types(tokens, *function) == choice.types;
    if (meant && at > 0) edits.push_back({tokens.tokens[at].offset, choice.name.size(), own_name(choice)});
  }
  if (!edits.empty()) text = apply_edits(before, std::move(edits));
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
  return join(types_of(text, function), ", ");
}

std::string name_overload(Specialization& specialization, const std::string& expression) {
  const std::size_t open = expression.find('(');
  if (open == std::string::npos || expression.find('<') < open) return expression;
  const Choice choice = parse_choice(expression);
  const std::string name = own_name(choice);
  FoundOverload found;
  find_overload(specialization.source_text, choice, found);
  for (const IncludedHeader& header : specialization.headers) find_overload(header.text, choice, found);
  if (found.function) {
    rename(specialization.source_text, choice, found);
    for (IncludedHeader& header : specialization.headers) rename(header.text, choice, found);
  }
  const auto has_name = [&](const std::string& text) { return has_function(text, name); };
  if (found.function || any_text(specialization, has_name)) return choice.scope + name + choice.arguments;
  // The arguments of the template choose it.
  if (found.specialisation) return choice.scope + choice.name + choice.arguments;
  const std::vector<std::string> overloads(found.overloads.begin(), found.overloads.end());
  throw bad_input(specialization.source_name + ": no kernel '" + choice.name + "(" + choice.types + ")'" +
                  (overloads.empty() ? "" : "; there is " + join(overloads, ", ")));
}

}  // namespace kiln
