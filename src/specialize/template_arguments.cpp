#include "specialize/template_arguments.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "base/text.h"
#include "config/scalar_type.h"
#include "specialize/class_members.h"

namespace kiln {
namespace {

using Strings = std::vector<std::string>;

constexpr std::size_t kDeepestTemplate = 16;  // templates that call each other
constexpr int kDeepestArgument = 4;

void add_new(Strings& values, std::string value, std::size_t most) {
  const bool known = std::find(values.begin(), values.end(), value) != values.end();
  if (!value.empty() && !known && values.size() < most) values.push_back(std::move(value));
}

class Resolver {
 public:
  /// `most`: how many values are looked for.
  Resolver(const ProgramText& program, std::size_t most) : program_(program), most_(most) {}

  /// A template, as a call of it or a launch sees it.
  struct Template {
    const std::vector<TextParameter>& template_parameters;
    const std::vector<TextParameter>& parameters;
  };

  /// What a call passes for the `wanted` parameter of a template.
  [[nodiscard]] Strings arguments(const Template& called, const TextCall& call, const std::string& wanted) {
    for (std::size_t i = 0; i < called.template_parameters.size(); ++i) {
      if (called.template_parameters[i].name != wanted) continue;
      if (i < call.template_arguments.size()) return resolved(call.template_arguments[i], call.scope);
      for (std::size_t j = 0; j < called.parameters.size() && j < call.arguments.size(); ++j) {
        const std::string given = call.instantiates ? type_of_parameter(call.arguments[j])
                                                    : type_of(call.arguments[j], call.scope, 0);
        const std::string deduced = matched(called.parameters[j].type, given, wanted);
        if (deduced.empty()) continue;
        Strings known = resolved(deduced, call.scope);
        if (!known.empty()) return known;
      }
    }
    return {};
  }

 private:
  /// `text` without names of the templates around it, once for each value of the first one that has several;
  /// empty where one of them is not known.
  [[nodiscard]] Strings resolved(const std::string& text, std::size_t scope) {
    if (open_.size() > kDeepestTemplate) return {};
    const TokenizedText source = tokenize(text);
    Strings results = {""};
    for (std::size_t i = 0; i < source.tokens.size(); ++i) {
      const Token& token = source.tokens[i];
      const bool member = i > 0 && source.tokens[i - 1].is("::");
      Strings words = {std::string(token.text)};
      if (token.identifier() && !member) words = values_of(words.front(), scope);
      if (words.empty()) return {};
      if (words.size() > 1 && results.size() == 1) results.resize(words.size(), results.front());
      for (std::size_t one = 0; one < results.size(); ++one)
        append_token(results[one], words[std::min(one, words.size() - 1)]);
    }
    for (std::string& result : results) {
      if (result.starts_with("typename") || result.find(">::") != std::string::npos)
        result = resolved_type(program_, result);
    }
    return results;
  }

  /// What a name stands for: a local alias, a constant, a parameter of a template; else the name.
  [[nodiscard]] Strings values_of(const std::string& name, std::size_t scope) {
    for (std::size_t at = scope; at != TextScope::kNone; at = program_.scopes[at].outer) {
      const TextScope& around = program_.scopes[at];
      if (const auto alias = around.types.find(name); alias != around.types.end())
        return once(at, name, [&] { return resolved(alias->second, scope); });
      if (const std::string alias = alias_of_class(around, name); !alias.empty())
        return once(at, name, [&] { return resolved(alias, scope); });
      if (const auto value = program_.constants.find(name); around.variables.contains(name) &&
                                                            value != program_.constants.end() &&
                                                            names_template_parameter(around, value->second)) {
        Strings values = once(at, name, [&] { return resolved(value->second, scope); });
        for (std::string& one : values) one.insert(0, "(").append(")");
        return values;
      }
      if (has_template_parameter(around, name)) return once(at, name, [&] { return passed(at, name); });
    }
    return {name};
  }

  /// Of a member that is defined outside of its class: what a name of a type of the class stands for.
  [[nodiscard]] std::string alias_of_class(const TextScope& member, const std::string& name) const {
    const auto classes = program_.classes.find(member.member_of.name);
    if (classes == program_.classes.end()) return "";
    for (const TextClass& one : classes->second) {
      const auto alias = one.types.find(name);
      if (alias == one.types.end() || !one.specialises.empty()) continue;
      std::map<std::string, std::string> names;  // of its template's parameters, as the member calls them
      for (std::size_t i = 0; i < one.template_parameters.size(); ++i) {
        if (i < member.member_of.arguments.size())
          names.emplace(one.template_parameters[i].name, member.member_of.arguments[i]);
      }
      return substituted(alias->second, names);
    }
    return "";
  }

  /// Values of a name that does not lead to itself; each is looked for once.
  template <typename Find>
  Strings once(std::size_t scope, const std::string& name, const Find& find) {
    const std::pair<std::size_t, std::string> key(scope, name);
    if (const auto known = known_.find(key); known != known_.end()) return known->second;
    if (!open_.insert(key).second) return {};
    Strings values = find();
    open_.erase(key);
    known_.emplace(key, values);
    return values;
  }

  static bool names_template_parameter(const TextScope& scope, const std::string& text) {
    const TokenizedText source = tokenize(text);
    return std::any_of(source.tokens.begin(), source.tokens.end(), [&](const Token& token) {
      return has_template_parameter(scope, std::string(token.text));
    });
  }

  static bool has_template_parameter(const TextScope& scope, const std::string& name) {
    return std::any_of(scope.template_parameters.begin(), scope.template_parameters.end(),
                       [&](const TextParameter& one) { return one.name == name; });
  }

  /// What calls and instantiations of a template pass for its parameter.
  [[nodiscard]] Strings passed(std::size_t scope, const std::string& name) {
    const TextScope& called = program_.scopes[scope];
    Strings values;
    if (!called.member_of.arguments.empty()) values = passed_to_class(called, name);
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
    const Template parts = {called.template_parameters, called.parameters};
    for (const TextCall& call : program_.calls) {
      if (values.size() >= most_) break;
      if (!fits(call) || (only_as_many && !as_many(call)) || calls_specialisation(called, call)) continue;
      for (std::string& found : arguments(parts, call, name)) {
        if (found != name) add_new(values, std::move(found), most_);
      }
    }
    if (!values.empty()) return values;
    for (const TextParameter& parameter : called.template_parameters) {
      if (parameter.name == name && !parameter.default_value.empty())
        return resolved(parameter.default_value, scope);
    }
    return {};
  }

  /// What uses of a class pass for the parameter that a member, which is defined outside of it, calls `name`.
  [[nodiscard]] Strings passed_to_class(const TextScope& member, const std::string& name) {
    Strings values;
    const Strings& names = member.member_of.arguments;
    const auto index = static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
    for (const TextCall& call : program_.calls) {
      if (call.name != member.member_of.name || index >= call.template_arguments.size()) continue;
      if (call.scope != TextScope::kNone && program_.scopes[call.scope].member_of.name == call.name) continue;
      for (std::string& found : resolved(call.template_arguments[index], call.scope)) {
        if (found != name) add_new(values, std::move(found), most_);
      }
      if (values.size() >= most_) break;
    }
    return values;
  }

  /// Whether a call of a template leads to `template <> void f<float>(float*)`, whose launches are others.
  [[nodiscard]] bool calls_specialisation(const TextScope& called, const TextCall& call) {
    const auto specialises = [&](const TextScope& one) {
      return one.specialises && one.name == called.name && one.parameters.size() == called.parameters.size();
    };
    if (std::none_of(program_.scopes.begin(), program_.scopes.end(), specialises)) return false;
    std::map<std::string, std::string> values;
    Strings given;
    for (const TextParameter& parameter : called.template_parameters) {
      const Strings found = arguments({called.template_parameters, called.parameters}, call, parameter.name);
      given.push_back(found.empty() ? "" : found.front());
      if (!found.empty()) values[parameter.name] = found.front();
    }
    return std::any_of(program_.scopes.begin(), program_.scopes.end(), [&](const TextScope& one) {
      if (!specialises(one) || values.empty()) return false;
      if (!one.specialised_for.empty() && one.specialised_for != given) return false;
      for (std::size_t i = 0; i < one.parameters.size(); ++i) {
        const std::string type = substituted(called.parameters[i].type, values);
        if (type != substituted(one.parameters[i].type, {})) return false;
      }
      return true;
    });
  }

  /// "float *" of "float* out" and of "float*".
  static std::string type_of_parameter(const std::string& text) {
    const TokenizedText source = tokenize(text);
    const std::vector<Token>& tokens = source.tokens;
    std::size_t end = tokens.size();
    const bool named = end > 1 && tokens[end - 1].identifier() && !tokens[end - 2].is("::") &&
                       !is_qualifier(tokens[end - 1]) && !(is_qualifier(tokens[0]) && end == 2) &&
                       !parse_scalar_type(std::string(tokens[end - 1].text));
    if (named) --end;
    return text_of(tokens, {0, end});
  }

  static bool is_qualifier(const Token& token) {
    return token.is("const") || token.is("volatile") || token.is("unsigned") || token.is("signed") ||
           token.is("struct") || token.is("__restrict__") || token.is("__restrict") || token.is("typename");
  }

  /// The type of an expression: a literal, a cast, a variable with or without an offset, a member of one.
  [[nodiscard]] std::string type_of(const std::string& expression, std::size_t scope, int depth) const {
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
    if (std::string made = made_type(tokens); !made.empty()) return made;
    std::string type = variable(std::string(tokens[0].text), scope);
    std::size_t i = 1;
    for (; i < tokens.size(); ++i) {
      if (!tokens[i].is(".") && !tokens[i].is("->")) break;
      if (++i >= tokens.size()) return "";
      type = member(type, std::string(tokens[i].text));
    }
    if (i < tokens.size() && tokens[i].is("[") && tokens[i].close + 1 == tokens.size()) {
      const std::size_t star = type.rfind('*');
      return star == std::string::npos ? "" : type.substr(0, star) + type.substr(star + 1);
    }
    const bool offset = i < tokens.size() && (tokens[i].is("+") || tokens[i].is("-"));
    return i == tokens.size() || offset ? type : "";
  }

  /// "ops::Add<float>" of `ops::Add<float>()`, and "Put" of `Put{1.0}`: of classes of the program and of
  /// function objects of the libraries.
  [[nodiscard]] std::string made_type(const std::vector<Token>& tokens) const {
    std::size_t name = 0;
    while (name + 2 < tokens.size() && tokens[name].identifier() && tokens[name + 1].is("::")) name += 2;
    if (name + 2 >= tokens.size() || !tokens[name].identifier()) return "";
    const std::size_t behind =
        tokens[name + 1].is("<") ? behind_angles(tokens, name + 1, tokens.size()) : name + 1;
    const bool made = behind < tokens.size() && (tokens[behind].is("(") || tokens[behind].is("{")) &&
                      tokens[behind].close + 1 == tokens.size();
    if (!made) return "";
    std::string type = text_of(tokens, {0, behind});
    const bool known = program_.classes.contains(std::string(tokens[name].text)) ||
                       program_.types.contains(std::string(tokens[name].text));
    return known || is_library_function_object(type) ? type : "";
  }

  /// "float *" of `x.data<float>()`, of `raw_pointer_cast(&x[0])` and `x.data()` where x is a container of
  /// them; empty for all else.
  [[nodiscard]] std::string pointer_of_container(const std::vector<Token>& tokens, std::size_t scope,
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
    return !id.arguments.empty() ? id.arguments[0] + " *" : pointers_in(type) > 0 ? type : "";
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

  /// The type for which `parameter` is `given`: "float" where "const T *" is "float *".
  [[nodiscard]] static std::string matched(const std::string& parameter, const std::string& given,
                                           const std::string& wanted) {
    if (given.empty()) return "";
    const std::string bare = bare_type(parameter);
    if (bare == wanted) {
      const std::ptrdiff_t more = pointers_in(given) - pointers_in(parameter);
      return more < 0 ? "" : plain_type(given) + std::string(static_cast<std::size_t>(more), '*');
    }
    const TemplateId left = template_id(parameter), right = template_id(given);
    if (left.name != right.name) return "";
    for (std::size_t i = 0; i < left.arguments.size() && i < right.arguments.size(); ++i) {
      if (left.arguments[i] == wanted) return right.arguments[i];
    }
    return "";
  }

  /// "ops::Add<float>" of "const ops::Add<float> &": without qualifiers, pointers and extents.
  static std::string plain_type(const std::string& type) {
    std::string plain;
    int depth = 0;
    const TokenizedText source = tokenize(type);
    for (const Token& token : source.tokens) {
      depth += token.is("<") ? 1 : token.is(">") ? -1 : 0;
      if (depth == 0 && token.is("[")) break;
      const bool dropped = token.is("*") || token.is("&") || token.is("&&") || is_dropped(token);
      if (depth > 0 || !dropped) append_token(plain, token.text);
    }
    return plain;
  }

  static bool is_dropped(const Token& token) {
    return token.is("const") || token.is("volatile") || token.is("__restrict__") || token.is("__restrict") ||
           token.is("restrict") || token.is("struct") || token.is("enum") || token.is("typename") ||
           token.is("__grid_constant__") || token.is("register");
  }

  using Key = std::pair<std::size_t, std::string>;

  const ProgramText& program_;
  const std::size_t most_;
  std::map<Key, Strings> known_;
  std::set<Key> open_;  // whose values are looked for
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

Strings known_arguments(const ProgramText& program, const TextKernel& kernel, const TextCall& call,
                        const std::string& parameter, std::size_t most) {
  Strings found =
      Resolver(program, most).arguments({kernel.template_parameters, kernel.parameters}, call, parameter);
  std::erase_if(found, [&](const std::string& one) { return !is_known(program, one, call.scope); });
  return found;
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

bool is_library_function_object(const std::string& type) {
  const std::size_t open = type.find('<');
  const std::string scoped = type.substr(0, open);
  const std::size_t scope = scoped.rfind("::");
  if (scope == std::string::npos) return false;
  static const std::set<std::string> libraries = {"std", "cuda::std", "cuda", "thrust", "cub", "hipcub"};
  static const std::set<std::string> objects = {
      "plus",          "minus",        "multiplies",  "divides",  "modulus",    "negate",      "maximum",
      "minimum",       "less",         "greater",     "equal_to", "less_equal", "identity",    "bit_and",
      "greater_equal", "not_equal_to", "logical_and", "bit_or",   "logical_or", "logical_not", "bit_xor",
      "Sum",           "Max",          "Min",         "Equality", "Inequality", "Difference",  "Division"};
  return libraries.contains(scoped.substr(0, scope)) &&
         objects.contains(std::string(trim(scoped.substr(scope + 2))));
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

std::vector<std::string> template_arguments_of(const ProgramText& program, const TextKernel& kernel,
                                               const TextLaunch& launch, const std::string& parameter,
                                               std::size_t most) {
  const TextCall call = {launch.kernel, launch.template_arguments, launch.arguments, false, launch.scope};
  return known_arguments(program, kernel, call, parameter, most);
}

std::vector<std::string> named_arguments_of(const ProgramText& program, const TextKernel& kernel,
                                            const std::string& parameter, std::size_t most) {
  Strings values;
  for (const TextCall& call : program.calls) {
    if (values.size() >= most) break;
    if (call.name != kernel.name && !kernel.name.ends_with("::" + call.name)) continue;
    for (std::string& one : known_arguments(program, kernel, call, parameter, most))
      add_new(values, std::move(one), most);
  }
  return values;
}

}  // namespace kiln
