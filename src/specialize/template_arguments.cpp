#include "specialize/template_arguments.h"

#include <algorithm>
#include <set>
#include <vector>

#include "base/text.h"
#include "config/scalar_type.h"
#include "specialize/constant_value.h"

namespace kiln {
namespace {

constexpr int kDeepestTemplate = 6;  // templates that call each other

class Resolver {
 public:
  explicit Resolver(const ProgramText& program) : program_(program) {}

  /// The argument for the `wanted` parameter of a template, given what a call passes.
  [[nodiscard]] std::string argument(const std::vector<TextParameter>& template_parameters,
                                     const std::vector<TextParameter>& parameters,
                                     const std::vector<std::string>& template_arguments,
                                     const std::vector<std::string>& arguments, std::size_t scope,
                                     const std::string& wanted, int depth) const {
    if (depth == kDeepestTemplate) return "";
    for (std::size_t i = 0; i < template_parameters.size(); ++i) {
      if (template_parameters[i].name != wanted) continue;
      if (i < template_arguments.size()) return resolved(template_arguments[i], scope, depth);
      for (std::size_t j = 0; j < parameters.size() && j < arguments.size(); ++j) {
        const std::string deduced = matched(parameters[j].type, type_of(arguments[j], scope, depth), wanted);
        if (deduced.empty()) continue;
        std::string known = resolved(deduced, scope, depth);
        if (!known.empty()) return known;
      }
    }
    return "";
  }

 private:
  /// `text` without names of the templates around it; empty where one of them is not known.
  [[nodiscard]] std::string resolved(const std::string& text, std::size_t scope, int depth) const {
    std::string result;
    for (const Token& token : tokenize(text).tokens) {
      std::string word(token.text);
      if (token.identifier()) {
        for (std::size_t at = scope; at != TextScope::kNone; at = program_.scopes[at].outer) {
          const TextScope& around = program_.scopes[at];
          if (const auto alias = around.types.find(word); alias != around.types.end()) {
            word = depth < kDeepestTemplate ? resolved(alias->second, scope, depth + 1) : "";
            break;
          }
          if (const auto value = program_.constants.find(word);
              around.variables.contains(word) && value != program_.constants.end() &&
              depth < kDeepestTemplate && names_template_parameter(around, value->second)) {
            word = resolved(value->second, scope, depth + 1);
            if (!word.empty()) word.insert(0, "(").append(")");
            break;
          }
          if (!has_template_parameter(around, word)) continue;
          word = passed(at, word, depth + 1);
          break;
        }
        if (word.empty()) return "";
      }
      append_token(result, word);
    }
    return result;
  }

  static bool names_template_parameter(const TextScope& scope, const std::string& text) {
    const std::vector<Token> tokens = tokenize(text).tokens;
    return std::any_of(tokens.begin(), tokens.end(), [&](const Token& token) {
      return has_template_parameter(scope, std::string(token.text));
    });
  }

  static bool has_template_parameter(const TextScope& scope, const std::string& name) {
    return std::any_of(scope.template_parameters.begin(), scope.template_parameters.end(),
                       [&](const TextParameter& one) { return one.name == name; });
  }

  /// What the first call of a template from which it follows passes for its parameter.
  [[nodiscard]] std::string passed(std::size_t scope, const std::string& name, int depth) const {
    const TextScope& called = program_.scopes[scope];
    const auto fits = [&](const TextCall& call) {  // and not another function of the name
      const bool own = call.scope != TextScope::kNone && program_.scopes[call.scope].name == called.name;
      return call.name == called.name && !own;
    };
    const auto as_many = [&](const TextCall& call) {
      return call.arguments.size() == called.parameters.size();
    };
    const bool several =
        std::count_if(program_.scopes.begin(), program_.scopes.end(), [&](const TextScope& one) {
          return one.name == called.name && !one.template_parameters.empty();
        }) > 1;
    const bool only_as_many =
        several && std::any_of(program_.calls.begin(), program_.calls.end(),
                               [&](const TextCall& call) { return fits(call) && as_many(call); });
    for (const TextCall& call : program_.calls) {
      if (!fits(call) || (only_as_many && !as_many(call))) continue;
      std::string found = argument(called.template_parameters, called.parameters, call.template_arguments,
                                   call.arguments, call.scope, name, depth);
      if (!found.empty() && found != name) return found;
    }
    for (const TextParameter& parameter : called.template_parameters) {
      if (parameter.name == name) return parameter.default_value;
    }
    return "";
  }

  /// The type of an expression: a literal, a cast, a variable with or without an offset, a member of one.
  [[nodiscard]] std::string type_of(const std::string& expression, std::size_t scope, int depth) const {
    const std::vector<Token> tokens = tokenize(expression).tokens;
    if (tokens.empty()) return "";
    if (tokens[0].kind == Token::Kind::kNumber && tokens.size() == 1) return type_of_number(expression);
    if (tokens[0].is("(") && tokens[0].close + 1 < tokens.size() && tokens[0].close > 1) {  // (float*)x
      std::string type;
      for (std::size_t i = 1; i < tokens[0].close; ++i)
        type += (type.empty() || tokens[i].is("*") ? "" : " ") + std::string(tokens[i].text);
      return pointers_in(type) > 0 || parse_scalar_type(bare_type(type)) ? type : "";
    }
    if (!tokens[0].identifier()) return "";
    if (tokens.size() > 2 &&
        program_.classes.contains(std::string(tokens[0].text))) {  // Put(1.0), Add<float>{}
      const std::size_t behind = tokens[1].is("<") ? behind_angles(tokens, 1, tokens.size()) : 1;
      const bool made = behind < tokens.size() && (tokens[behind].is("(") || tokens[behind].is("{")) &&
                        tokens[behind].close + 1 == tokens.size();
      if (made) return text_of(tokens, {0, behind});
    }
    std::string type = variable(std::string(tokens[0].text), scope);
    std::size_t i = 1;
    for (; i < tokens.size(); ++i) {
      const bool arrow = i + 2 < tokens.size() && tokens[i].is("-") && tokens[i + 1].is(">");
      if (!tokens[i].is(".") && !arrow) break;
      i += arrow ? 2 : 1;
      if (i >= tokens.size()) return "";
      type = member(type, std::string(tokens[i].text));
    }
    if (i < tokens.size() && tokens[i].is("[") && tokens[i].close + 1 == tokens.size() &&
        depth < kDeepestTemplate) {
      const std::size_t star = type.rfind('*');
      return star == std::string::npos ? "" : type.substr(0, star) + type.substr(star + 1);
    }
    const bool offset = i < tokens.size() && (tokens[i].is("+") || tokens[i].is("-"));
    return i == tokens.size() || offset ? type : "";
  }

  static std::string type_of_number(const std::string& text) {
    const bool real = text.find_first_of(".eE") != std::string::npos && !text.starts_with("0x");
    if (real) return text.back() == 'f' || text.back() == 'F' ? "float" : "double";
    return text.back() == 'f' && !text.starts_with("0x") ? "float" : "int";
  }

  [[nodiscard]] std::string variable(const std::string& name, std::size_t scope) const {
    for (std::size_t at = scope; at != TextScope::kNone; at = program_.scopes[at].outer) {
      const auto found = program_.scopes[at].variables.find(name);
      if (found != program_.scopes[at].variables.end()) return found->second;
    }
    const auto found = program_.variables.find(name);
    return found == program_.variables.end() ? "" : found->second;
  }

  [[nodiscard]] std::string member(const std::string& type, const std::string& name) const {
    const auto record = program_.records.find(template_id(type).name);
    if (record == program_.records.end()) return "";
    for (const TextParameter& one : record->second) {
      if (one.name == name) return one.type;
    }
    return "";
  }

  /// The type for which `parameter` is `given`: "float" where "const T *" is "float *".
  [[nodiscard]] static std::string matched(const std::string& parameter, const std::string& given,
                                           const std::string& wanted) {
    if (given.empty()) return "";
    const std::string bare = bare_type(parameter);
    if (bare == wanted) {
      const std::ptrdiff_t more = pointers_in(given) - pointers_in(parameter);
      return more < 0 ? "" : bare_type(given) + std::string(static_cast<std::size_t>(more), '*');
    }
    const TemplateId left = template_id(parameter), right = template_id(given);
    if (left.name != right.name) return "";
    for (std::size_t i = 0; i < left.arguments.size() && i < right.arguments.size(); ++i) {
      if (left.arguments[i] == wanted) return right.arguments[i];
    }
    return "";
  }

  const ProgramText& program_;
};

/// Whether a template argument has no name that seems to be one of a function's own.
bool is_known(const ProgramText& program, const std::string& text, std::size_t scope) {
  static const std::set<std::string> words = {
      "unsigned", "signed",  "long",    "short",   "char",     "int",      "float",    "double",   "bool",
      "true",     "false",   "const",   "void",    "sizeof",   "std",      "half",     "size_t",   "int8_t",
      "int16_t",  "int32_t", "int64_t", "uint8_t", "uint16_t", "uint32_t", "uint64_t", "ptrdiff_t"};
  const std::vector<Token> tokens = tokenize(text).tokens;
  return std::all_of(tokens.begin(), tokens.end(), [&](const Token& token) {
    const std::string word(token.text);
    if (!token.identifier() || words.contains(word) || parse_element_type(word)) return true;
    for (std::size_t at = scope; at != TextScope::kNone; at = program.scopes[at].outer) {
      if (program.scopes[at].variables.contains(word)) return program.constants.contains(word);
    }
    return !word.ends_with("_t") || program.types.contains(word) || program.records.contains(word) ||
           program.constants.contains(word) ||
           std::any_of(program.scopes.begin(), program.scopes.end(),
                       [&](const TextScope& one) { return one.name == word; });
  });
}

}  // namespace

std::ptrdiff_t pointers_in(const std::string& type) {
  std::ptrdiff_t pointers = 0;
  int depth = 0;
  for (const char c : type) {
    depth += c == '<' ? 1 : c == '>' ? -1 : 0;
    if (depth == 0 && (c == '*' || c == '[')) ++pointers;
  }
  return pointers;
}

TemplateId template_id(const std::string& type) {
  const std::string bare = bare_type(type);
  TemplateId id;
  const std::size_t open = bare.find('<');
  if (open == std::string::npos || bare.back() != '>') return {bare, {}};
  id.name = std::string(trim(bare.substr(0, open)));
  id.arguments = split_at_commas(bare.substr(open + 1, bare.size() - open - 2), true);
  return id;
}

std::string bare_type(const std::string& type) {
  static const std::set<std::string> dropped = {
      "const",  "volatile", "__restrict__",      "__restrict",        "restrict",
      "struct", "enum",     "typename",          "__grid_constant__", "register",
      "std",    "::",       "__device_builtin__"};
  std::vector<std::string> words;
  for (const Token& token : tokenize(type).tokens) {
    if (token.is("*") || token.is("&") || token.is("&&") || dropped.contains(std::string(token.text)))
      continue;
    if (token.is("[")) break;
    words.emplace_back(token.text);
  }
  return join(words, " ");
}

std::string template_argument_of(const ProgramText& program, const TextKernel& kernel,
                                 const TextLaunch& launch, const std::string& parameter) {
  std::string found =
      Resolver(program).argument(kernel.template_parameters, kernel.parameters, launch.template_arguments,
                                 launch.arguments, launch.scope, parameter, 0);
  return is_known(program, found, launch.scope) ? found : "";
}

}  // namespace kiln
