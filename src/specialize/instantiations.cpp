#include "specialize/instantiations.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "base/text.h"
#include "config/scalar_type.h"
#include "specialize/class_members.h"
#include "specialize/constant_value.h"
#include "specialize/expression_types.h"
#include "specialize/template_arguments.h"

namespace kiln {
namespace {

using Strings = std::vector<std::string>;
using Environments = std::vector<TemplateValues>;

constexpr int kDeepestText = 16;  // definitions that name each other
constexpr int kDeepestType = 4;
constexpr std::size_t kMostOpen = 64;       // templates that lead to each other
constexpr std::size_t kMostCalls = 20'000;  // calls whose arguments are looked at

void add_new(Environments& all, TemplateValues values) {
  if (all.size() < kMostInstantiations && std::find(all.begin(), all.end(), values) == all.end())
    all.push_back(std::move(values));
}

/// A template, as a call of it or a launch sees it.
struct Template {
  const std::vector<TextParameter>& template_parameters;
  const std::vector<TextParameter>& parameters;
};

/// Where a name stands.
struct Place {
  std::size_t scope = TextScope::kNone;
  std::size_t token = 0;
};

bool is_pack(const TextParameter& parameter) {
  return parameter.type.find("...") != std::string::npos;
}

bool names_parameter(const TextScope& scope, const std::string& name) {
  return std::any_of(scope.template_parameters.begin(), scope.template_parameters.end(),
                     [&](const TextParameter& one) { return one.name == name; });
}

bool names(const std::string& text, const std::string& name) {
  const TokenizedText source = tokenize(text);
  return std::any_of(source.tokens.begin(), source.tokens.end(),
                     [&](const Token& token) { return token.is(name); });
}

bool is_mark_of_type(const Token& token) {
  static const std::set<std::string_view> words = {"const",  "volatile", "__restrict__",      "__restrict",
                                                   "struct", "enum",     "typename",          "restrict",
                                                   "class",  "register", "__grid_constant__", "mutable"};
  return words.contains(token.text);
}

/// "ops::Add<float>" of "const ops::Add<float> &": without qualifiers, pointers and extents.
std::string plain_type(const std::string& type) {
  std::string plain;
  int depth = 0;
  const TokenizedText source = tokenize(type);
  for (const Token& token : source.tokens) {
    depth += token.is("<") ? 1 : token.is(">") ? -1 : 0;
    if (depth == 0 && token.is("[")) break;
    const bool dropped = token.is("*") || token.is("&") || token.is("&&") || is_mark_of_type(token);
    if (depth > 0 || !dropped) append_token(plain, token.text);
  }
  return plain;
}

/// "float *" of "float* out" and of "float*".
std::string type_of_parameter(const std::string& text) {
  const TokenizedText source = tokenize(text);
  const std::vector<Token>& tokens = source.tokens;
  std::size_t end = tokens.size();
  const auto is_qualifier = [](const Token& token) {
    return is_mark_of_type(token) || token.is("unsigned") || token.is("signed");
  };
  const bool named = end > 1 && tokens[end - 1].identifier() && !tokens[end - 2].is("::") &&
                     !is_qualifier(tokens[end - 1]) && !(is_qualifier(tokens[0]) && end == 2) &&
                     !parse_scalar_type(std::string(tokens[end - 1].text));
  if (named) --end;
  return text_of(tokens, {0, end});
}

/// "f" of `f`, `std::forward<F>(f)`, `std::move(f)`, `std::ref(f)` and `(f)`; else the text.
std::string passed_name(const std::string& argument) {
  const TokenizedText source = tokenize(argument);
  const std::vector<Token>& tokens = source.tokens;
  const std::size_t count = tokens.size();
  const bool wrapped = count > 2 && tokens[count - 1].is(")") && tokens[count - 3].is("(");
  return wrapped ? std::string(tokens[count - 2].text) : argument;
}

/// Whether a class of the program has a constant of that name, which is not visible outside of the class.
bool is_constant_of_class(const ProgramText& program, const std::string& name) {
  return std::any_of(program.classes.begin(), program.classes.end(), [&](const auto& classes) {
    return std::any_of(classes.second.begin(), classes.second.end(),
                       [&](const TextClass& one) { return one.constants.contains(name); });
  });
}

/// Whether a template argument has no name that seems to be one of a function's own.
bool is_known(const ProgramText& program, const std::string& text, std::size_t scope) {
  static const std::set<std::string> words = {
      "unsigned", "signed",  "long",    "short",   "char",     "int",      "float",    "double",   "bool",
      "true",     "false",   "const",   "void",    "sizeof",   "std",      "half",     "size_t",   "int8_t",
      "int16_t",  "int32_t", "int64_t", "uint8_t", "uint16_t", "uint32_t", "uint64_t", "ptrdiff_t"};
  const TokenizedText source = tokenize(text);
  const std::vector<Token>& tokens = source.tokens;
  return std::all_of(tokens.begin(), tokens.end(), [&](const Token& token) {
    const std::string word(token.text);
    const bool member = &token != tokens.data() && (&token - 1)->is("::");
    if (!token.identifier() || member || words.contains(word) || parse_element_type(word)) return true;
    for (std::size_t at = scope; at != TextScope::kNone; at = program.scopes[at].outer) {
      if (program.scopes[at].variables.contains(word)) return program.constants.contains(word);
    }
    if (is_constant_of_class(program, word)) return program.constants.contains(word);
    const bool of_library = word.starts_with("curand") || word.starts_with("hiprand") ||
                            word.starts_with("cuda") || word.starts_with("hip");
    return !word.ends_with("_t") || of_library || program.types.contains(word) ||
           program.records.contains(word) || program.constants.contains(word) ||
           std::any_of(program.scopes.begin(), program.scopes.end(),
                       [&](const TextScope& one) { return one.name == word; });
  });
}

}  // namespace

class Instantiations::Search {
 public:
  explicit Search(const ProgramText& program) : program_(program), types_(program) {}

  [[nodiscard]] Environments of_kernel(const TextKernel& kernel) {
    Environments found;
    const Template parts = {kernel.template_parameters, kernel.parameters};
    const auto add = [&](const TextCall& call) {
      for (const TemplateValues& around : environments(call.scope))
        add_new(found, bound(parts, call, around, {}));
    };
    const std::string name = kernel.name.substr(kernel.name.rfind(':') + 1);
    for (const TextLaunch& launch : program_.launches) {
      if (launch.kernel == name)
        add({name, launch.template_arguments, launch.arguments, false, launch.scope, launch.token});
    }
    for (const TextCall& call : program_.calls) {
      if (call.name == name) add(call);
    }
    return found;
  }

  [[nodiscard]] Strings of_class(const std::string& name) {
    Strings found;
    const auto classes = program_.classes.find(name);
    if (classes == program_.classes.end()) return found;
    const TextClass& one = classes->second.front();
    for (const TextCall& call : program_.calls) {
      if (call.name != name) continue;
      for (const TemplateValues& around : environments(call.scope)) {
        const TemplateValues values = bound({one.template_parameters, {}}, call, around, {});
        if (values.size() < one.template_parameters.size()) continue;
        Strings arguments;
        for (const TextParameter& parameter : one.template_parameters)
          arguments.push_back(values.at(parameter.name));
        std::string text = name + "<" + join(arguments, ",") + ">";
        if (std::find(found.begin(), found.end(), text) == found.end()) found.push_back(std::move(text));
      }
    }
    return found;
  }

 private:
  // -------------------------------------------------------------------------------------- templates

  /// What the names of the templates around a place in the program stand for, once for each way that leads
  /// there; those in which all is known, if there is one.
  [[nodiscard]] const Environments& environments(std::size_t scope) {
    static const Environments plain = {TemplateValues()}, none;
    if (scope == TextScope::kNone) return plain;
    if (const auto known = known_.find(scope); known != known_.end()) return known->second;
    if (open_.size() == kMostOpen || !open_.insert(scope).second) return none;  // it leads to itself
    Environments found = find_environments(scope);
    open_.erase(scope);
    const std::size_t all = program_.scopes[scope].template_parameters.size();
    const auto is_complete = [&](const TemplateValues& one) { return one.size() >= all; };
    if (std::any_of(found.begin(), found.end(), is_complete))
      std::erase_if(found, [&](const TemplateValues& one) { return !is_complete(one); });
    return known_[scope] = std::move(found);
  }

  [[nodiscard]] Environments find_environments(std::size_t scope) {
    const TextScope& one = program_.scopes[scope];
    Environments outer = environments(one.outer);
    std::vector<TextParameter> own = one.template_parameters;
    if (!one.member_of.arguments.empty()) {
      const Strings& of_class = one.member_of.arguments;
      std::erase_if(own, [&](const TextParameter& parameter) {
        return std::find(of_class.begin(), of_class.end(), parameter.name) != of_class.end();
      });
      outer = environments_of_class(one.member_of);
    }
    if (own.empty()) return outer;
    if (outer.empty()) outer.emplace_back();
    for (TemplateValues& values : outer) {
      for (const TextParameter& parameter : own) values.erase(parameter.name);
    }
    Environments found;
    const auto add = [&](const TextCall& call, bool closes_over) {
      const Environments callers = environments(call.scope);
      for (const TemplateValues& caller : callers) {
        if (closes_over) {
          add_new(found, bound({own, one.parameters}, call, caller, caller));
          continue;
        }
        for (const TemplateValues& around : outer)
          add_new(found, bound({own, one.parameters}, call, caller, around));
      }
    };
    for (const TextCall* call : calls_of(scope)) add(*call, one.lambda && is_inside(call->scope, one.outer));
    if (!found.empty()) return found;
    for (const TemplateValues& around : outer) add_new(found, with_defaults(own, around, {scope, 0}));
    return found;
  }

  /// Of a member that is defined outside of its class, for the names that it gives to the class's parameters.
  [[nodiscard]] Environments environments_of_class(const TemplateId& member_of) {
    std::vector<TextParameter> parameters;
    for (const std::string& name : member_of.arguments) parameters.push_back({"typename", name, "", 0});
    const auto classes = program_.classes.find(member_of.name);
    if (classes != program_.classes.end()) {
      for (const TextClass& one : classes->second) {
        for (std::size_t i = 0;
             i < parameters.size() && i < one.template_parameters.size() && one.specialises.empty(); ++i)
          parameters[i].default_value = one.template_parameters[i].default_value;
      }
    }
    Environments found;
    for (const TextCall& call : program_.calls) {
      if (call.name != member_of.name || call.template_arguments.empty()) continue;
      if (call.scope != TextScope::kNone && program_.scopes[call.scope].member_of.name == call.name) continue;
      const Environments callers = environments(call.scope);
      for (const TemplateValues& caller : callers) add_new(found, bound({parameters, {}}, call, caller, {}));
    }
    return found;
  }

  /// The calls that lead to a function, a class or a lambda.
  [[nodiscard]] std::vector<const TextCall*> calls_of(std::size_t scope) {
    const TextScope& called = program_.scopes[scope];
    std::vector<const TextCall*> calls;
    if (called.lambda) {
      add_calls_of_lambda(scope, calls);
      return calls;
    }
    const auto fits = [&](const TextCall& call) {  // and not another function of the name
      const TextScope* around = call.scope == TextScope::kNone ? nullptr : &program_.scopes[call.scope];
      const bool own = around != nullptr && around->name == called.name &&
                       around->parameters.size() == called.parameters.size();
      return call.name == called.name && !own &&
             (call.template_arguments.size() <= called.template_parameters.size() ||
              std::any_of(called.template_parameters.begin(), called.template_parameters.end(), is_pack));
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
      if (fits(call) && (!only_as_many || as_many(call)) && !calls_specialisation(called, call))
        calls.push_back(&call);
    }
    return calls;
  }

  /// A lambda is called by the name of its variable, or by the parameters of templates to which it is passed.
  void add_calls_of_lambda(std::size_t scope, std::vector<const TextCall*>& calls) const {
    const TextScope& lambda = program_.scopes[scope];
    std::vector<std::pair<std::string, std::size_t>> passed;  // to a function, as which argument
    const auto pass_on = [&](const std::string& name, std::size_t inside) {
      for (const TextCall& call : program_.calls) {
        if (!is_inside(call.scope, inside)) continue;
        for (std::size_t i = 0; i < call.arguments.size(); ++i) {
          const std::pair<std::string, std::size_t> to(call.name, i);
          const bool known = std::find(passed.begin(), passed.end(), to) != passed.end();
          if (!known && passed_name(call.arguments[i]) == name) passed.push_back(to);
        }
      }
    };
    if (!lambda.passed_to.empty()) passed.emplace_back(lambda.passed_to, lambda.passed_as);
    if (!lambda.name.empty()) {
      for (const TextCall& call : program_.calls) {
        if (call.name == lambda.name && is_inside(call.scope, lambda.outer) && call.scope != scope)
          calls.push_back(&call);
      }
      pass_on(lambda.name, lambda.outer);
    }
    for (std::size_t i = 0; i < passed.size(); ++i) {
      for (std::size_t to = 0; to < program_.scopes.size(); ++to) {
        const TextScope& function = program_.scopes[to];
        if (function.name != passed[i].first || passed[i].second >= function.parameters.size()) continue;
        const std::string name = function.parameters[passed[i].second].name;
        if (name.empty()) continue;
        for (const TextCall& call : program_.calls) {
          if (call.name == name && is_inside(call.scope, to)) calls.push_back(&call);
        }
        pass_on(name, to);
      }
    }
  }

  [[nodiscard]] bool is_inside(std::size_t scope, std::size_t outer) const {
    while (scope != outer && scope != TextScope::kNone) scope = program_.scopes[scope].outer;
    return scope == outer;
  }

  /// Whether a call of a template leads to `template <> void f<float>(float*)`, whose launches are others.
  [[nodiscard]] bool calls_specialisation(const TextScope& called, const TextCall& call) {
    const auto specialises = [&](const TextScope& one) {
      return one.specialises && one.name == called.name && one.parameters.size() == called.parameters.size();
    };
    if (std::none_of(program_.scopes.begin(), program_.scopes.end(), specialises)) return false;
    const Environments& callers = environments(call.scope);
    const TemplateValues values = bound({called.template_parameters, called.parameters}, call,
                                        callers.empty() ? TemplateValues() : callers.front(), {});
    Strings given;
    for (const TextParameter& parameter : called.template_parameters) {
      const auto value = values.find(parameter.name);
      given.push_back(value == values.end() ? "" : value->second);
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

  /// `values` and what a call passes for the parameters of a template: written, deduced or by default.
  /// `caller`: what the names around the call stand for.
  [[nodiscard]] TemplateValues bound(const Template& called, const TextCall& call,
                                     const TemplateValues& caller, TemplateValues values) {
    const Place place = {call.scope, call.token};
    if (calls_ == kMostCalls) return values;
    ++calls_;
    for (std::size_t i = 0; i < called.template_parameters.size(); ++i) {
      const TextParameter& parameter = called.template_parameters[i];
      values.erase(parameter.name);
      if (parameter.name.empty() || is_pack(parameter)) continue;
      std::optional<std::string> value;
      bool deducible = false;
      if (i < call.template_arguments.size()) {
        value = resolved(call.template_arguments[i], place, caller, 0);
      } else {
        for (std::size_t j = 0; j < called.parameters.size() && j < call.arguments.size() && !value; ++j) {
          if (!names(called.parameters[j].type, parameter.name)) continue;
          deducible = true;
          value = deduced(called.parameters[j].type, call.arguments[j], parameter.name, call, caller);
        }
        if (!value && !deducible && !parameter.default_value.empty())
          value = resolved(substituted(parameter.default_value, values), {}, values, 0);
      }
      if (value && *value == parameter.name) {  // a constant of this name, or nothing
        const auto number = constant_value(*value, program_.constants);
        value = number ? std::optional(std::to_string(*number)) : std::nullopt;
      }
      const bool known = value && !value->empty();
      if (known && is_known(program_, *value, call.scope)) values[parameter.name] = *value;
    }
    return values;
  }

  [[nodiscard]] std::optional<std::string> deduced(const std::string& type, const std::string& argument,
                                                   const std::string& wanted, const TextCall& call,
                                                   const TemplateValues& caller) {
    std::string given = call.instantiates ? type_of_parameter(argument) : types_.of(argument, call.scope);
    if (given.empty()) return std::nullopt;
    const Place place = {call.scope, call.token};
    if (std::string found = matched(type, given, wanted); !found.empty())
      return resolved(found, place, caller, 0);
    const auto known = resolved(given, place, caller, 0);  // "Table<float>" behind an alias
    if (!known || *known == given) return std::nullopt;
    std::string found = matched(type, resolved_type(program_, *known), wanted);
    return found.empty() ? std::nullopt : std::optional(found);
  }

  /// The type for which `parameter` is `given`: "float" where "const T *" is "float *".
  [[nodiscard]] static std::string matched(const std::string& parameter, const std::string& given,
                                           const std::string& wanted, int depth = 0) {
    if (given.empty() || depth > kDeepestType) return "";
    const std::string bare = bare_type(parameter);
    if (bare == wanted) {
      const std::ptrdiff_t more = pointers_in(given) - pointers_in(parameter);
      return more < 0 ? "" : plain_type(given) + std::string(static_cast<std::size_t>(more), '*');
    }
    const auto last_word = [](const std::string& name) { return name.substr(name.rfind(' ') + 1); };
    const TemplateId left = template_id(parameter), right = template_id(given);
    if (left.arguments.empty() || last_word(left.name) != last_word(right.name)) return "";
    for (std::size_t i = 0; i < left.arguments.size() && i < right.arguments.size(); ++i) {
      if (left.arguments[i] == wanted) return right.arguments[i];
      if (std::string found = matched(left.arguments[i], right.arguments[i], wanted, depth + 1);
          !found.empty())
        return found;
    }
    return "";
  }

  [[nodiscard]] TemplateValues with_defaults(const std::vector<TextParameter>& parameters,
                                             TemplateValues values, Place place) {
    for (const TextParameter& parameter : parameters) {
      if (parameter.default_value.empty()) continue;
      if (const auto value = resolved(parameter.default_value, place, values, 0))
        values[parameter.name] = *value;
    }
    return values;
  }

  // -------------------------------------------------------------------------------------- names

  struct NameValue {
    std::string text;
    bool of_variable = false;  ///< the number of an object whose type is a constant
  };

  /// `text` with what its names of templates, local types and local constants stand for; absent where one of
  /// them is not known.
  [[nodiscard]] std::optional<std::string> resolved(const std::string& text, Place place,
                                                    const TemplateValues& values, int depth) {
    if (depth > kDeepestText) return std::nullopt;
    const TokenizedText source = tokenize(text);
    const std::vector<Token>& tokens = source.tokens;
    std::string result;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      const Token& token = tokens[i];
      const bool member =
          i > 0 && (tokens[i - 1].is("::") || tokens[i - 1].is(".") || tokens[i - 1].is("->"));
      if (token.is("decltype") && i + 1 < tokens.size() && tokens[i + 1].is("(") &&
          tokens[i + 1].close < tokens.size()) {
        const std::string type = types_.of(text_of(tokens, {i + 2, tokens[i + 1].close}), place.scope);
        const auto known = type.empty() ? std::nullopt : resolved(type, place, values, depth + 1);
        if (!known) return std::nullopt;
        append_token(result, plain_type(*known));
        i = tokens[i + 1].close;
        continue;
      }
      if (!token.identifier() || member) {
        append_token(result, token.text);
        continue;
      }
      const std::string name(token.text);
      const bool has_arguments = i + 1 < tokens.size() && tokens[i + 1].is("<");
      const auto around = has_arguments ? std::nullopt : class_around(name, place.scope);
      const auto value =
          around ? with_arguments(name, *around, values) : value_of(name, place, values, depth);
      if (!value) return std::nullopt;
      append_token(result, value->text);
      if (!value->of_variable) continue;  // else `n.value`, `n()` and `n{}` are the number, too
      const auto at = [&](std::size_t k, std::string_view word) {
        return k < tokens.size() && tokens[k].is(word);
      };
      if (at(i + 1, ".") && at(i + 2, "value")) i += 2;
      if ((at(i + 1, "(") && at(i + 2, ")")) || (at(i + 1, "{") && at(i + 2, "}"))) i += 2;
    }
    return simplified(result);
  }

  /// "4" of "std::integral_constant<int, 4>::value"; the type of "typename Pack<half>::Type"; the side that
  /// std::conditional chooses.
  [[nodiscard]] std::string simplified(std::string text) const {
    for (int i = 0; i < kDeepestText && text.find("std::") != std::string::npos; ++i) {
      std::string simpler = with_trait_replaced(text);
      if (simpler == text) break;
      text = std::move(simpler);
    }
    const bool value = text.ends_with("::value");
    for (const std::string_view end : {"::value", "{}", "()"}) {
      if (!text.ends_with(end)) continue;
      std::string number = value_of_constant_type(text.substr(0, text.size() - end.size()));
      if (!number.empty()) return number;
    }
    if (!value && (text.starts_with("typename") || text.find(">::") != std::string::npos))
      return resolved_type(program_, text);
    return text;
  }

  /// With what the first std::is_same or std::conditional stands for whose arguments decide it.
  [[nodiscard]] std::string with_trait_replaced(const std::string& text) const {
    const TokenizedText source = tokenize(text);
    const std::vector<Token>& tokens = source.tokens;
    const auto at = [&](std::size_t i, std::string_view word) {
      return i < tokens.size() && tokens[i].is(word);
    };
    for (std::size_t i = 2; i + 1 < tokens.size(); ++i) {
      if (!at(i + 1, "<") || !at(i - 1, "::") || !at(i - 2, "std")) continue;
      const bool same = at(i, "is_same") || at(i, "is_same_v");
      const bool chooses = at(i, "conditional") || at(i, "conditional_t");
      if (!same && !chooses) continue;
      std::size_t end = behind_angles(tokens, i + 1, tokens.size());
      Strings arguments;
      for (const TokenSpan& part : parts_of(tokens, {i + 2, end - 1}, true))
        arguments.push_back(text_of(tokens, part));
      std::string result;
      if (same && arguments.size() == 2) {
        const auto plain = [&](const std::string& type) { return simplified(type); };
        result = plain(arguments[0]) == plain(arguments[1]) ? "true" : "false";
      } else if (chooses && arguments.size() == 3) {
        const std::string& condition = arguments[0];
        const auto number = constant_value(condition, program_.constants);
        if (condition == "true" || (number && *number != 0)) result = arguments[1];
        if (condition == "false" || (number && *number == 0)) result = arguments[2];
      }
      if (result.empty()) continue;
      if (at(end, "::") && (at(end + 1, "value") || at(end + 1, "type"))) end += 2;
      const std::size_t begin = i >= 3 && at(i - 3, "typename") ? i - 3 : i - 2;
      const std::size_t first = tokens[begin].offset;
      return apply_edits(text, {{first, tokens[end - 1].end() - first, result}});
    }
    return text;
  }

  /// The parameters of the class template of that name around a place, by the names that they have there;
  /// absent: there is none.
  [[nodiscard]] std::optional<Strings> class_around(const std::string& name, std::size_t scope) const {
    if (!program_.classes.contains(name)) return std::nullopt;
    for (std::size_t at = scope; at != TextScope::kNone; at = program_.scopes[at].outer) {
      const TextScope& one = program_.scopes[at];
      if (one.member_of.name == name && !one.member_of.arguments.empty()) return one.member_of.arguments;
      if (one.name != name || one.template_parameters.empty() || !one.result.empty()) continue;
      Strings parameters;
      for (const TextParameter& parameter : one.template_parameters) parameters.push_back(parameter.name);
      return parameters;
    }
    return std::nullopt;
  }

  /// "Table<float,4>" of "Table", as the class names itself.
  [[nodiscard]] static std::optional<NameValue> with_arguments(const std::string& name,
                                                               const Strings& parameters,
                                                               const TemplateValues& values) {
    Strings arguments;
    for (const std::string& parameter : parameters) {
      const auto value = values.find(parameter);
      if (value == values.end()) return std::nullopt;
      arguments.push_back(value->second);
    }
    return NameValue{name + "<" + join(arguments, ",") + ">", false};
  }

  /// What a name stands for: a local type or constant, a parameter of a template; else the name.
  [[nodiscard]] std::optional<NameValue> value_of(const std::string& name, Place place,
                                                  const TemplateValues& values, int depth) {
    const auto plain = [](std::optional<std::string> text) {
      return text ? std::optional(NameValue{std::move(*text), false}) : std::nullopt;
    };
    for (std::size_t at = place.scope; at != TextScope::kNone; at = program_.scopes[at].outer) {
      const TextScope& around = program_.scopes[at];
      std::optional<TextDefinition> known = definition(around, name, place.token);
      if (!known) known = definition_of_class(around, name);
      if (known) {
        if (known->type || depends_on_template(known->text, at))
          return plain(value_of_definition(*known, at, values, depth));
        const auto number = constant_value(known->text, program_.constants);
        if (number) return NameValue{std::to_string(*number), false};
        if (tokenize(known->text).tokens.size() == 1) return NameValue{known->text, false};
        return plain(program_.constants.contains(name) ? std::optional(name) : std::nullopt);
      }
      if (names_parameter(around, name)) {
        const auto value = values.find(name);
        return value == values.end() ? std::nullopt : std::optional(NameValue{value->second, false});
      }
      if (const auto variable = around.variables.find(name); variable != around.variables.end()) {
        const auto number = number_of_type(variable->second, {at, place.token}, values, depth);
        return number ? NameValue{*number, true} : NameValue{name, false};
      }
    }
    return NameValue{name, false};
  }

  [[nodiscard]] static std::optional<TextDefinition> definition(const TextScope& scope,
                                                                const std::string& name, std::size_t token) {
    std::optional<TextDefinition> last;
    for (const TextDefinition& one : scope.definitions) {
      if (one.name == name && one.begin < token && token < one.end) last = one;
    }
    return last;
  }

  [[nodiscard]] std::optional<std::string> value_of_definition(const TextDefinition& known, std::size_t scope,
                                                               const TemplateValues& values, int depth) {
    auto text = resolved(known.text, {scope, known.begin}, values, depth + 1);
    const bool several = text && tokenize(*text).tokens.size() > 1;
    if (several && !known.type) text->insert(0, "(").append(")");
    return text;
  }

  /// Whether a constant is another one for other arguments of a template; all others keep their names.
  [[nodiscard]] bool depends_on_template(const std::string& text, std::size_t scope) const {
    const TokenizedText source = tokenize(text);
    return std::any_of(source.tokens.begin(), source.tokens.end(), [&](const Token& token) {
      const std::string word(token.text);
      for (std::size_t at = scope; token.identifier() && at != TextScope::kNone;
           at = program_.scopes[at].outer) {
        const TextScope& around = program_.scopes[at];
        if (names_parameter(around, word)) return true;
        const bool defined = definition_of_class(around, word) ||
                             std::any_of(around.definitions.begin(), around.definitions.end(),
                                         [&](const TextDefinition& one) { return one.name == word; });
        if (defined || names_parameter(around, auto_type(word))) return true;
      }
      return false;
    });
  }

  /// The number of a variable of a type such as std::integral_constant<int, 4>.
  [[nodiscard]] std::optional<std::string> number_of_type(const std::string& type, Place place,
                                                          const TemplateValues& values, int depth) {
    const auto known = resolved(type, place, values, depth + 1);
    std::string number = known ? value_of_constant_type(resolved_type(program_, plain_type(*known))) : "";
    return number.empty() ? std::nullopt : std::optional(number);
  }

  /// What a name of a type or a constant of the class around stands for, also for a member that is defined
  /// outside of it.
  [[nodiscard]] std::optional<TextDefinition> definition_of_class(const TextScope& scope,
                                                                  const std::string& name) const {
    const std::string& own = scope.member_of.name.empty() ? scope.name : scope.member_of.name;
    const auto classes = program_.classes.find(own);
    if (classes == program_.classes.end()) return std::nullopt;
    for (const TextClass& one : classes->second) {
      const auto alias = one.types.find(name);
      const auto constant = one.constants.find(name);
      const bool type = alias != one.types.end();
      if ((!type && constant == one.constants.end()) || !one.specialises.empty()) continue;
      TemplateValues values;  // of its template's parameters, as the member calls them
      for (std::size_t i = 0; i < one.template_parameters.size(); ++i) {
        if (i < scope.member_of.arguments.size())
          values.emplace(one.template_parameters[i].name, scope.member_of.arguments[i]);
      }
      return TextDefinition{name, substituted(type ? alias->second : constant->second, values), type, 0, 0};
    }
    return std::nullopt;
  }

  const ProgramText& program_;
  ExpressionTypes types_;
  std::map<std::size_t, Environments> known_;
  std::set<std::size_t> open_;  // whose environments are looked for
  std::size_t calls_ = 0;       // of at most kMostCalls
};

Instantiations::Instantiations(const ProgramText& program) : search_(std::make_unique<Search>(program)) {}
Instantiations::~Instantiations() = default;

std::vector<TemplateValues> Instantiations::of_kernel(const TextKernel& kernel) {
  return search_->of_kernel(kernel);
}

std::vector<std::string> Instantiations::of_class(const std::string& name) {
  return search_->of_class(name);
}

}  // namespace kiln
