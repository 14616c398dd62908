#include "specialize/host_scopes.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "specialize/class_reader.h"
#include "specialize/launches.h"
#include "specialize/template_arguments.h"

namespace kiln {
namespace {

/// The parameters that a body calls: `f(x)`, `std::forward<F>(f)(x)`, `f.template operator()<T>(x)`.
void add_called(const std::vector<Token>& tokens, TokenSpan body, TextScope& scope) {
  for (const TextParameter& parameter : scope.parameters) {
    const std::string type = bare_type(parameter.type);
    const bool of_template =
        std::any_of(scope.template_parameters.begin(), scope.template_parameters.end(),
                    [&](const TextParameter& one) { return one.name == type && !type.empty(); });
    if (!of_template || parameter.name.empty()) continue;
    for (std::size_t i = body.begin; i < body.end; ++i) {
      if (!tokens[i].is(parameter.name) || behind_called(tokens, i) == 0) continue;
      scope.called.push_back(parameter.name);
      break;
    }
  }
}

void add_aliases(const std::vector<Token>& tokens, TokenSpan span, std::vector<TextDefinition>& definitions) {
  const auto at = [&](std::size_t place, std::string_view text) {
    return place < tokens.size() && tokens[place].is(text);
  };
  std::vector<std::size_t> blocks = {span.end};
  for (std::size_t i = span.begin; i + 3 < span.end; ++i) {
    while (i >= blocks.back() && blocks.size() > 1) blocks.pop_back();
    if (at(i, "{") && tokens[i].close < span.end) blocks.push_back(tokens[i].close);
    const bool is_using = at(i, "using") && at(i + 2, "=");
    if (!is_using && !at(i, "typedef")) continue;
    std::size_t end = i;
    while (end < span.end && !at(end, ";")) ++end;
    const std::size_t name = is_using ? i + 1 : end - 1;
    std::string target = text_of(tokens, is_using ? TokenSpan{i + 3, end} : TokenSpan{i + 1, end - 1});
    definitions.push_back({std::string(tokens[name].text), std::move(target), true, i, blocks.back()});
    i = end;
  }
}

/// Of a lambda at `i`: `dispatch(n, [&](auto x) {...})`.
void find_call_around(const std::vector<Token>& tokens, std::size_t i, TextScope& lambda) {
  const auto at = [&](std::size_t place, std::string_view text) {
    return place < tokens.size() && tokens[place].is(text);
  };
  std::size_t commas = 0, depth = 0;
  while (i-- > 0) {
    const Token& token = tokens[i];
    const bool argument = token.is("}") && (at(i + 1, ",") || at(i + 1, ")"));  // another lambda's end
    if (depth == 0 && (token.is(";") || token.is("{") || (token.is("}") && !argument))) return;
    if (token.is(")") || token.is("}") || token.is("]")) ++depth;
    const bool opens = token.is("(") || token.is("{") || token.is("[");
    if (opens && depth > 0) {
      --depth;
    } else if (token.is("(")) {
      std::size_t name = i;  // behind it
      if (name > 0 && at(name - 1, ">")) {
        int angles = 0;
        do {
          --name;
          angles += at(name, ">") ? 1 : at(name, "<") ? -1 : 0;
        } while (name > 0 && angles > 0);
      }
      if (name == 0 || !tokens[name - 1].identifier()) {
        if (name > 0 && (at(name - 1, "(") || at(name - 1, ","))) continue;  // ([&] {...})
        return;
      }
      lambda.passed_to = std::string(tokens[name - 1].text);
      lambda.passed_as = commas;
      return;
    } else if (depth == 0 && token.is(",")) {
      ++commas;
    }
  }
}

}  // namespace

std::string auto_type(const std::string& parameter) {
  return "kiln_auto_" + parameter;
}

void add_parameter_to_scope(TextParameter parameter, TextScope& scope) {
  const TokenizedText type = tokenize(parameter.type);
  std::vector<TextEdit> edits;
  for (const Token& token : type.tokens) {
    if (token.is("auto")) edits.push_back({token.offset, token.text.size(), auto_type(parameter.name)});
  }
  if (!edits.empty() && !parameter.name.empty()) {
    scope.template_parameters.push_back({"typename", auto_type(parameter.name), "", parameter.line});
    parameter.type = apply_edits(parameter.type, std::move(edits));
  }
  if (!parameter.name.empty()) scope.variables[parameter.name] = parameter.type;
  scope.parameters.push_back(std::move(parameter));
}

void add_body_to_scope(const std::vector<Token>& tokens, TokenSpan body, TextScope& scope) {
  add_aliases(tokens, body, scope.definitions);
  add_called(tokens, body, scope);
}

std::vector<GenericLambda> generic_lambdas(const std::vector<Token>& tokens, TokenSpan body) {
  const auto at = [&](std::size_t place, std::string_view text) {
    return place < tokens.size() && tokens[place].is(text);
  };
  std::vector<GenericLambda> lambdas;
  for (std::size_t i = body.begin; i + 2 < body.end; ++i) {
    if (!at(i, "[") || at(i + 1, "[") || i == 0) continue;
    const Token& before = tokens[i - 1];
    const bool subscript = (before.identifier() && !before.is("return")) || before.is(")") ||
                           before.is("]") || before.kind == Token::Kind::kNumber;
    std::size_t open = tokens[i].close + 1;
    if (subscript || open >= body.end) continue;
    TokenSpan head;
    if (at(open, "<")) {
      const std::size_t behind = behind_angles(tokens, open, body.end);
      head = {open + 1, behind - 1};
      open = behind;
    }
    if (!at(open, "(") || tokens[open].close >= body.end) continue;
    std::size_t brace = tokens[open].close + 1;
    while (brace < body.end && !at(brace, "{") && !at(brace, ";") && !at(brace, ",") && !at(brace, ")"))
      ++brace;
    if (!at(brace, "{") || tokens[brace].close >= body.end) continue;
    TextScope scope;
    scope.lambda = true;
    for (const TokenSpan& part : parts_of(tokens, head, true))
      scope.template_parameters.push_back(parameter_of(tokens, part));
    for (const TokenSpan& part : parts_of(tokens, {open + 1, tokens[open].close}, true))
      add_parameter_to_scope(parameter_of(tokens, part), scope);
    if (scope.template_parameters.empty()) continue;
    if (i > 2 && at(i - 1, "=") && tokens[i - 2].identifier()) scope.name = std::string(tokens[i - 2].text);
    find_call_around(tokens, i, scope);
    const TokenSpan inside = {brace + 1, tokens[brace].close};
    add_body_to_scope(tokens, inside, scope);
    lambdas.push_back({std::move(scope), {i, tokens[brace].close + 1}, inside});
    i = tokens[brace].close;
  }
  return lambdas;
}

}  // namespace kiln
