#include "specialize/expression_types.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "base/text.h"
#include "config/scalar_type.h"
#include "specialize/class_members.h"
#include "specialize/template_arguments.h"

namespace kiln {
namespace {

constexpr int kDeepestArgument = 4;

std::string type_of_number(const std::string& text) {
  const bool real = text.find_first_of(".eE") != std::string::npos && !text.starts_with("0x");
  if (real) return text.back() == 'f' || text.back() == 'F' ? "float" : "double";
  return text.back() == 'f' && !text.starts_with("0x") ? "float" : "int";
}

}  // namespace

std::string ExpressionTypes::type_of(const std::string& expression, std::size_t scope, int depth) const {
  const TokenizedText source = tokenize(expression);
  const std::vector<Token>& tokens = source.tokens;
  if (tokens.empty() || depth > kDeepestArgument) return "";
  if (tokens[0].kind == Token::Kind::kNumber && tokens.size() == 1) return type_of_number(expression);
  if (tokens[0].is("(") && tokens[0].close + 1 < tokens.size() && tokens[0].close > 1) {  // (float*)x
    std::string type;
    for (std::size_t i = 1; i < tokens[0].close; ++i)
      type += (type.empty() || tokens[i].is("*") ? "" : " ") + std::string(tokens[i].text);
    return pointers_in(type) > 0 || parse_scalar_type(bare_type(type)) ? type : "";
  }
  if (tokens[0].is("&") && tokens.size() > 1) {  // &x, and &x[i]
    const std::string of = type_of(text_of(tokens, {1, tokens.size()}), scope, depth + 1);
    return of.empty() ? "" : of + " *";
  }
  if (tokens[0].is("*") && tokens.size() > 1) {
    const std::string of = type_of(text_of(tokens, {1, tokens.size()}), scope, depth + 1);
    const std::size_t star = of.rfind('*');
    return star == std::string::npos ? "" : of.substr(0, star) + of.substr(star + 1);
  }
  if (tokens[0].is("-") && tokens.size() > 1)
    return type_of(text_of(tokens, {1, tokens.size()}), scope, depth + 1);
  if (tokens[0].is("true") || tokens[0].is("false")) return "bool";
  if (tokens[0].is("this")) {
    const std::string around = class_around(scope);
    return around.empty() ? "" : type_behind(around + " *", tokens, 1);
  }
  if (!tokens[0].identifier()) return "";
  const std::size_t last = tokens.size() - 1;
  const bool cast =
      tokens[0].is("static_cast") || tokens[0].is("reinterpret_cast") || tokens[0].is("const_cast");
  if (cast && tokens.size() > 3 && tokens[1].is("<"))
    return text_of(tokens, {2, behind_angles(tokens, 1, tokens.size()) - 1});
  if (tokens[last].is(")") && tokens.size() > 3) {
    std::string pointer = pointer_of_container(tokens, scope, depth);
    if (!pointer.empty()) return pointer;
  }
  if (std::string made = made_type(tokens, scope); !made.empty()) return made;
  if (std::string returned = result_of_template(tokens); !returned.empty()) return returned;
  if (tokens.size() > 1 && tokens[1].is("(")) {  // of a function, or of a member of the class around
    const std::string name(tokens[0].text);
    std::string result;
    for (std::size_t at = scope; at != TextScope::kNone && result.empty(); at = program_.scopes[at].outer) {
      const TextScope& around = program_.scopes[at];
      result = result_of_member(around.member_of.name.empty() ? around.name : around.member_of.name, name);
    }
    for (const TextScope& one : program_.scopes) {
      const bool plain = one.name == name && one.template_parameters.empty() && one.outer == TextScope::kNone;
      if (plain && result.empty()) result = bare_type(one.result) == "auto" ? "" : one.result;
    }
    return result.empty() ? "" : type_behind(result, tokens, tokens[1].close + 1);
  }
  std::string type = of_variable(std::string(tokens[0].text), scope);
  if (bare_type(type) == "auto")
    type = type_of(initialiser(std::string(tokens[0].text), scope), scope, depth + 1);
  return type_behind(type, tokens, 1);
}

std::string ExpressionTypes::type_behind(std::string type, const std::vector<Token>& tokens,
                                         std::size_t i) const {
  for (; i < tokens.size(); ++i) {
    if (!tokens[i].is(".") && !tokens[i].is("->")) break;
    if (tokens[i].is("->") && pointers_in(type) == 0) {  // of std::shared_ptr and its kin
      const TemplateId id = template_id(type);
      if (id.name.ends_with("_ptr") && !id.arguments.empty()) type = id.arguments[0] + " *";
    }
    if (++i >= tokens.size()) return "";
    const std::string name(tokens[i].text);
    const bool called = i + 1 < tokens.size() && tokens[i + 1].is("(");
    type = called ? result_of_member(type, name) : member(type, name);
    if (called) i = tokens[i + 1].close;
    if (type.empty() || i >= tokens.size()) return "";
  }
  if (i < tokens.size() && tokens[i].is("[") && tokens[i].close + 1 == tokens.size()) {
    const std::size_t star = type.rfind('*');
    return star == std::string::npos ? "" : type.substr(0, star) + type.substr(star + 1);
  }
  const bool offset = i < tokens.size() && (tokens[i].is("+") || tokens[i].is("-"));
  return i == tokens.size() || offset ? type : "";
}

std::string ExpressionTypes::result_of_template(const std::vector<Token>& tokens) const {
  std::size_t name = 0;
  while (name + 3 < tokens.size() && tokens[name].identifier() && tokens[name + 1].is("::")) name += 2;
  if (name + 3 >= tokens.size() || !tokens[name].identifier() || !tokens[name + 1].is("<")) return "";
  const std::size_t open = behind_angles(tokens, name + 1, tokens.size());
  if (open >= tokens.size() || !tokens[open].is("(")) return "";
  const std::vector<TokenSpan> given = parts_of(tokens, {name + 2, open - 1}, true);
  for (const TextScope& one : program_.scopes) {
    const bool fits = one.name == tokens[name].text && one.outer == TextScope::kNone && !one.lambda &&
                      one.template_parameters.size() >= given.size() && !one.specialises;
    if (!fits || one.result.empty() || bare_type(one.result) == "auto") continue;
    std::map<std::string, std::string> values;
    for (std::size_t i = 0; i < given.size(); ++i)
      values[one.template_parameters[i].name] = text_of(tokens, given[i]);
    return type_behind(substituted(one.result, values), tokens, tokens[open].close + 1);
  }
  return "";
}

std::string ExpressionTypes::made_type(const std::vector<Token>& tokens, std::size_t scope) const {
  std::size_t name = 0;
  while (name + 2 < tokens.size() && tokens[name].identifier() && tokens[name + 1].is("::")) name += 2;
  if (name + 2 >= tokens.size() || !tokens[name].identifier()) return "";
  const std::size_t behind =
      tokens[name + 1].is("<") ? behind_angles(tokens, name + 1, tokens.size()) : name + 1;
  const bool made = behind < tokens.size() && (tokens[behind].is("(") || tokens[behind].is("{")) &&
                    tokens[behind].close + 1 == tokens.size();
  if (!made) return "";
  std::string type = text_of(tokens, {0, behind});
  const std::string last(tokens[name].text);
  bool known = program_.classes.contains(last) || program_.types.contains(last) || parse_scalar_type(last) ||
               is_library_function_object(type) || !value_of_constant_type(type).empty();
  for (std::size_t at = scope; at != TextScope::kNone && !known; at = program_.scopes[at].outer) {
    const auto& parameters = program_.scopes[at].template_parameters;
    known = std::any_of(parameters.begin(), parameters.end(),
                        [&](const TextParameter& one) { return one.name == last; });
  }
  return known ? type : "";
}

std::string ExpressionTypes::initialiser(const std::string& name, std::size_t scope) const {
  for (std::size_t at = scope; at != TextScope::kNone; at = program_.scopes[at].outer) {
    const auto& known = program_.scopes[at].definitions;
    const auto found = std::find_if(known.rbegin(), known.rend(),
                                    [&](const TextDefinition& one) { return !one.type && one.name == name; });
    if (found != known.rend()) return found->text;
  }
  return "";
}

std::string ExpressionTypes::pointer_of_container(const std::vector<Token>& tokens, std::size_t scope,
                                                  int depth) const {
  const std::size_t last = tokens.size() - 1;
  std::size_t open = 0;
  while (open < last && !(tokens[open].is("(") && tokens[open].close == last)) ++open;
  if (open == 0 || open >= last) return "";
  if (tokens[open - 1].is("raw_pointer_cast"))
    return type_of(text_of(tokens, {open + 1, last}), scope, depth + 1);
  if (open + 1 != last) return "";  // of calls without arguments
  std::size_t name = open;
  std::string given;
  if (tokens[open - 1].is(">")) {
    while (name > 0 && !tokens[name].is("<")) --name;
    given = text_of(tokens, {name + 1, open - 1});
  }
  if (name < 3) return "";
  static const std::set<std::string_view> accessors = {
      "data",  "data_ptr",         "mutable_data",   "get",  "ptr",
      "begin", "mutable_data_ptr", "const_data_ptr", "dptr", "data_handle"};
  const bool of_object = tokens[name - 2].is(".") || tokens[name - 2].is("->");
  if (!accessors.contains(tokens[name - 1].text) || !of_object) return "";
  if (!given.empty()) return given + " *";
  const std::string type = type_of(text_of(tokens, {0, name - 2}), scope, depth + 1);
  const TemplateId id = template_id(type);
  if (program_.classes.contains(id.name)) {
    const std::string result = result_of_member(type, std::string(tokens[name - 1].text));
    if (pointers_in(result) > 0) return result;
  }
  return !id.arguments.empty() ? id.arguments[0] + " *" : pointers_in(type) > 0 ? type : "";
}

std::string ExpressionTypes::of_variable(const std::string& name, std::size_t scope) const {
  for (std::size_t at = scope; at != TextScope::kNone; at = program_.scopes[at].outer) {
    const TextScope& around = program_.scopes[at];
    const auto found = around.variables.find(name);
    if (found != around.variables.end()) return found->second;
    const auto record = program_.records.find(around.member_of.name);  // of a member outside of its class
    if (record == program_.records.end()) continue;
    for (const TextParameter& one : record->second) {
      if (one.name == name) return one.type;
    }
  }
  const auto found = program_.variables.find(name);
  return found == program_.variables.end() ? "" : found->second;
}

std::string ExpressionTypes::class_around(std::size_t scope) const {
  for (std::size_t at = scope; at != TextScope::kNone; at = program_.scopes[at].outer) {
    const TextScope& around = program_.scopes[at];
    std::vector<std::string> arguments = around.member_of.arguments;
    std::string name = around.member_of.name;
    if (name.empty() && !around.lambda && program_.classes.contains(around.name)) {
      name = around.name;
      for (const TextParameter& one : around.template_parameters) arguments.push_back(one.name);
    }
    if (!name.empty()) return arguments.empty() ? name : name + "<" + join(arguments, ", ") + ">";
  }
  return "";
}

std::string ExpressionTypes::member(const std::string& type, const std::string& name) const {
  const auto members = members_of_type(program_, bare_type(type));
  if (members) {
    for (const TextParameter& one : *members) {
      if (one.name == name) return one.type;
    }
  }
  const auto record = program_.records.find(template_id(type).name);
  if (record == program_.records.end()) return "";
  for (const TextParameter& one : record->second) {
    if (one.name == name) return one.type;
  }
  return "";
}

std::string ExpressionTypes::result_of_member(const std::string& type, const std::string& name,
                                              int depth) const {
  const TemplateId id = template_id(resolved_type(program_, type.substr(0, type.find_first_of("*&"))));
  const std::string own = id.name.substr(id.name.rfind(' ') + 1);
  const auto classes = program_.classes.find(own);
  if (classes == program_.classes.end()) return "";
  const TextClass& one = classes->second.front();
  std::map<std::string, std::string> values;  // of the class's template
  for (std::size_t i = 0; i < one.template_parameters.size() && i < id.arguments.size(); ++i)
    values[one.template_parameters[i].name] = id.arguments[i];
  for (const TextScope& scope : program_.scopes) {
    const bool inside = scope.outer != TextScope::kNone && program_.scopes[scope.outer].name == own;
    if (scope.name != name || scope.result.empty() || (!inside && scope.member_of.name != own)) continue;
    if (bare_type(scope.result) == "auto") return "";
    std::map<std::string, std::string> names = values;  // as the member calls them
    for (std::size_t i = 0; i < scope.member_of.arguments.size() && i < id.arguments.size(); ++i)
      names[scope.member_of.arguments[i]] = id.arguments[i];
    return substituted(substituted(scope.result, one.types), names);
  }
  for (const std::string& base : one.bases) {
    if (template_id(base).name == own || depth == kDeepestClass) continue;
    if (std::string result = result_of_member(substituted(base, values), name, depth + 1); !result.empty())
      return result;
  }
  return "";
}

std::string value_of_constant_type(const std::string& type) {
  const TemplateId id = template_id(type);
  const std::string name = id.name.substr(id.name.rfind(' ') + 1);
  if (name == "true_type") return "true";
  if (name == "false_type") return "false";
  if (name == "integral_constant" && id.arguments.size() == 2) return id.arguments[1];
  if (name == "bool_constant" && id.arguments.size() == 1) return id.arguments[0];
  return "";
}

}  // namespace kiln
