#include "specialize/host_lambdas.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "base/whole_word.h"
#include "specialize/class_reader.h"
#include "specialize/declarations.h"
#include "specialize/template_arguments.h"
#include "specialize/tokens.h"
#include "specialize/variable_types.h"

namespace kiln {
namespace {

using Kind = Declaration::Kind;

constexpr std::string_view kPrefix = "kiln_lambda_";

class LambdaReader {
 public:
  /// `numbers`: lines and numbers of lambdas, or empty.
  LambdaReader(const std::string& text, std::multimap<int, std::size_t> numbers)
      : text_(text), source_(tokenize(text)), numbers_(std::move(numbers)) {
    for (const Directive& directive : source_.directives) {
      const std::vector<Token>& words = directive.tokens;
      if (words.size() < 3 || !words[0].is("define")) continue;
      macros_.insert(words[1].text);
      const bool marks = std::any_of(words.begin() + 2, words.end(),
                                     [](const Token& word) { return word.is("__device__"); });
      if (marks) markers_.insert(words[1].text);
    }
  }

  HostLambdas run() {
    for (const Declaration& declaration : read_declarations(source_)) read(declaration, {});
    for (auto& [offset, classes] : classes_) {
      if (!classes.empty()) edits_.push_back({offset, 0, std::move(classes)});
    }
    result_.text = edits_.empty() ? text_ : apply_edits(text_, std::move(edits_));
    return std::move(result_);
  }

 private:
  /// The tokens of a lambda, by what stands around them.
  struct Lambda {
    std::size_t begin = 0;  ///< its bracket
    TokenSpan captures, parameters, result, body;
    bool changes = false;  ///< `mutable`
  };

  [[nodiscard]] const std::vector<Token>& tokens() const { return source_.tokens; }
  [[nodiscard]] bool at(std::size_t i, std::string_view text) const {
    return i < tokens().size() && tokens()[i].is(text);
  }
  [[nodiscard]] bool marks_device(std::size_t i) const {
    return at(i, "__device__") || markers_.contains(tokens()[i].text);
  }

  /// The classes around a member function.
  struct Around {
    const Declaration* outermost = nullptr;
    bool is_template = false;
    std::set<std::string_view> members;
  };

  void read(const Declaration& declaration, const Around& around) {
    if (declaration.kind == Kind::kFunction && !declaration.body.empty()) read_function(declaration, around);
    if (declaration.kind != Kind::kScope && declaration.kind != Kind::kClass) return;
    Around inside = around;
    if (declaration.kind == Kind::kClass) {
      if (inside.outermost == nullptr) inside.outermost = &declaration;
      inside.is_template = inside.is_template || !declaration.template_head.empty();
      for (const Declaration& member : declaration.members)
        inside.members.insert(member.names.begin(), member.names.end());
    }
    for (const Declaration& member : declaration.members) read(member, inside);
  }

  void read_function(const Declaration& function, const Around& around) {
    for (std::size_t i = function.whole.begin; i < function.parameters.begin; ++i) {
      if (marks_device(i) || at(i, "__global__")) return;
    }
    std::string classes;
    for (std::size_t i = function.body.begin; i < function.body.end; ++i) {
      const auto lambda = at(i, "[") ? lambda_at(i, function.body.end) : std::nullopt;
      if (!lambda) continue;
      HostLambda& made = result_.lambdas.emplace_back();
      made.line = tokens()[i].line;
      made.name = std::string(kPrefix) + std::to_string(number_at(made.line));
      if (around.is_template) made.why_not = "stands in a member function of a template";
      if (made.why_not.empty()) classes += class_of(*lambda, function, around, made);
      i = lambda->body.end;
    }
    const Declaration& outermost = around.outermost != nullptr ? *around.outermost : function;
    classes_[tokens()[outermost.whole.begin].offset] += classes;
  }

  std::size_t number_at(int line) {
    const auto known = numbers_.lower_bound(line);
    if (known == numbers_.end() || known->first != line) return result_.lambdas.size();
    const std::size_t number = known->second;
    numbers_.erase(known);
    return number;
  }

  /// `[captures] __device__ (parameters) mutable -> type { body }`.
  [[nodiscard]] std::optional<Lambda> lambda_at(std::size_t open, std::size_t end) const {
    Lambda lambda;
    lambda.begin = open;
    const std::size_t close = tokens()[open].close;
    if (open > 0 && (tokens()[open - 1].identifier() || at(open - 1, ")") || at(open - 1, "]")) &&
        !at(open - 1, "return"))
      return std::nullopt;  // a subscript
    if (close >= end) return std::nullopt;
    lambda.captures = {open + 1, close};
    std::size_t i = close + 1;
    bool device = false;
    for (; i < end && tokens()[i].identifier(); ++i) device = device || marks_device(i);
    if (!device) return std::nullopt;
    if (at(i, "(")) {
      lambda.parameters = {i + 1, tokens()[i].close};
      i = tokens()[i].close + 1;
    }
    for (; i < end && !at(i, "{") && !at(i, ";"); ++i) {
      if (at(i, "mutable")) lambda.changes = true;
      if (!at(i, "->")) continue;
      lambda.result.begin = i + 1;
      while (i < end && !at(i, "{")) ++i;
      lambda.result.end = i;
      break;
    }
    if (!at(i, "{") || tokens()[i].close >= end) return std::nullopt;
    lambda.body = {i + 1, tokens()[i].close};
    return lambda;
  }

  /// The class as text, and its object in the lambda's place; or why there is none.
  std::string class_of(const Lambda& lambda, const Declaration& function, const Around& around,
                       HostLambda& made) {
    const std::size_t begin = tokens()[lambda.begin].offset, end = tokens()[lambda.body.end].end();
    const bool directives = std::any_of(
        source_.directives.begin(), source_.directives.end(),
        [&](const Directive& directive) { return begin < directive.offset && directive.offset < end; });
    if (directives) made.why_not = "has lines of the preprocessor";
    std::map<std::string, std::string> variables = variables_at(lambda.begin, function);
    std::map<std::string, std::string> values;  // of `[x = data.data()]`
    add_expressions(lambda, variables, values);
    std::vector<std::string> captured = captures_of(lambda, variables, around.members, made.why_not);
    std::string members, given, arguments;
    std::set<std::string> written;
    // A constant may be made of others.
    for (std::size_t i = 0; i < captured.size() && made.why_not.empty(); ++i) {
      const std::string name = captured[i];
      if (!written.insert(name).second) continue;
      std::string type = variables.at(name);
      if (has_word(type, "auto")) {
        made.why_not = "captures '" + name + "', which is declared as `auto`";
        break;
      }
      if (const auto value = constant_of(name, type, lambda.begin, function)) {
        members += "static constexpr " + without_word(without_word(type, "const"), "constexpr") + " " + name +
                   " = " + *value + "; ";
        continue;
      }
      std::erase(type, '&');
      members += without_word(type, "static") + " " + name + "; ";
      const auto value = values.find(name);
      given += (given.empty() ? "" : ", ") + (value == values.end() ? name : value->second);
    }
    if (!made.why_not.empty()) return "";
    const std::string head = text_of(tokens(), function.template_head);
    for (const TokenSpan& part : parts_of(tokens(), function.template_head, true)) {
      const std::string parameter = parameter_of(tokens(), part).name;
      if (parameter.empty() || text_of(tokens(), part).find("...") != std::string::npos) {
        made.why_not = "stands in a template that has a parameter without a name, or a pack";
        return "";
      }
      arguments += (arguments.empty() ? "" : ", ") + parameter;
    }
    members.insert(0, aliases_of(lambda, members, function));
    const std::string type = made.name + (arguments.empty() ? "" : "<" + arguments + ">");
    edits_.push_back({begin, end - begin, type + "{" + given + "}"});
    const std::size_t word = lambda.begin - 3;  // `auto f = [...`
    if (lambda.begin >= 3 && at(lambda.begin - 1, "=") && at(word, "auto"))
      edits_.push_back({tokens()[word].offset, tokens()[word].text.size(), type});
    return (head.empty() ? "" : "template <" + head + "> ") + "struct " + made.name + " { " + members +
           "__device__ " + (lambda.result.empty() ? "auto" : text_of(tokens(), lambda.result)) +
           " operator()(" + text_of(tokens(), lambda.parameters) + ")" + (lambda.changes ? "" : " const") +
           " { " + text_of(tokens(), lambda.body) + " } }; ";
  }

  /// The function's own `typedef float T;` and `using T = float;` that the lambda or its members name.
  [[nodiscard]] std::string aliases_of(const Lambda& lambda, const std::string& members,
                                       const Declaration& function) const {
    std::string used = members + text_of(tokens(), {lambda.parameters.begin, lambda.parameters.end}) + " " +
                       text_of(tokens(), lambda.result) + " " + text_of(tokens(), lambda.body);
    std::string aliases;
    for (std::size_t i = lambda.begin; i-- > function.body.begin;) {
      const bool statement = at(i - 1, ";") || at(i - 1, "{") || at(i - 1, "}");
      if (!statement || !(at(i, "typedef") || (at(i, "using") && at(i + 2, "=")))) continue;
      std::size_t end = i;
      while (end < lambda.begin && !at(end, ";")) ++end;
      const std::string_view name = tokens()[at(i, "using") ? i + 1 : end - 1].text;
      if (!has_word(used, name)) continue;
      const std::string alias = text_of(tokens(), {i, end}) + "; ";
      used += alias;
      aliases.insert(0, alias);
    }
    return aliases;
  }

  static std::string without_word(const std::string& type, std::string_view word) {
    std::string result;
    for (const Token& token : tokenize(type).tokens) {
      if (!token.is(word)) append_token(result, token.text);
    }
    return result;
  }

  /// Captures with an expression are variables of the lambda, with the type of the expression.
  void add_expressions(const Lambda& lambda, std::map<std::string, std::string>& variables,
                       std::map<std::string, std::string>& values) const {
    for (const TokenSpan& part : parts_of(tokens(), lambda.captures, false)) {
      if (part.end < part.begin + 3 || !tokens()[part.begin].identifier() || !at(part.begin + 1, "="))
        continue;
      const TokenSpan expression = {part.begin + 2, part.end};
      std::string type = type_of(expression, variables);
      if (type.empty()) continue;
      const std::string name(tokens()[part.begin].text);
      values[name] = text_of(tokens(), expression);
      variables[name] = std::move(type);
    }
  }

  /// Of a variable, of `x.data()` and `raw_pointer_cast(x.data())` where x is a container, and of a cast.
  [[nodiscard]] std::string type_of(TokenSpan span,
                                    const std::map<std::string, std::string>& variables) const {
    if (at(span.end - 1, ")") && at(span.begin, "static_cast") && at(span.begin + 1, "<"))
      return text_of(tokens(), {span.begin + 2, behind_angles(tokens(), span.begin + 1, span.end) - 1});
    for (std::size_t i = span.begin; i < span.end; ++i) {
      if (at(i, "raw_pointer_cast") && at(i + 1, "(") && tokens()[i + 1].close + 1 == span.end)
        span = {i + 2, span.end - 1};
    }
    const auto variable = variables.find(std::string(tokens()[span.begin].text));
    if (variable == variables.end()) return "";
    if (span.end == span.begin + 1) return without_word(variable->second, "const");
    const bool data = span.end == span.begin + 5 && at(span.begin + 1, ".") &&
                      (at(span.begin + 2, "data") || at(span.begin + 2, "get")) && at(span.begin + 3, "(");
    const TemplateId id = template_id(variable->second);
    return data && !id.arguments.empty() ? id.arguments[0] + " *" : "";
  }

  /// What the lambda holds: the names of variables of the function in it.
  [[nodiscard]] std::vector<std::string> captures_of(const Lambda& lambda,
                                                     const std::map<std::string, std::string>& variables,
                                                     const std::set<std::string_view>& members,
                                                     std::string& why_not) const {
    for (const TokenSpan& part : parts_of(tokens(), lambda.captures, false)) {
      const std::string text = text_of(tokens(), part);
      if (text == "=") continue;
      if (text == "this" || text == "*this") {
        why_not = "captures `this`";
      } else if (text.starts_with("&")) {
        why_not = "captures by reference";
      } else if (at(part.begin + 1, "=") && part.end > part.begin + 2) {
        if (!variables.contains(std::string(tokens()[part.begin].text)))
          why_not = "captures '" + text + "', whose type the text does not show";
      } else if (part.end - part.begin > 1 || !variables.contains(text)) {
        why_not = "captures '" + text + "', which is no variable of the function";
      }
      if (!why_not.empty()) return {};
    }
    std::map<std::string, std::string> own;
    for (const TokenSpan& part : parts_of(tokens(), lambda.parameters, true))
      own[parameter_of(tokens(), part).name] = "";
    VariableTypes(tokens(), own).add_body(lambda.body);
    std::vector<std::string> names;
    for (std::size_t i = lambda.body.begin; i < lambda.body.end; ++i) {
      const std::string name(tokens()[i].text);
      const bool other = at(i - 1, ".") || at(i - 1, "->") || at(i - 1, "::");
      if (!tokens()[i].identifier() || other || own.contains(name)) continue;
      if (!variables.contains(name)) {
        if (members.contains(name)) why_not = "uses '" + name + "' of its object";
        continue;
      }
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
    return names;
  }

  /// The types of the variables that the function has at a token; an inner one hides an outer one.
  [[nodiscard]] std::map<std::string, std::string> variables_at(std::size_t index,
                                                                const Declaration& function) const {
    std::vector<std::size_t> blocks = {function.body.begin};  // behind each brace that is open there
    for (std::size_t i = function.body.begin; i < index; ++i) {
      if (at(i, "{") && tokens()[i].close > index) blocks.push_back(i + 1);
    }
    std::map<std::string, std::string> variables;
    const VariableTypes types(tokens(), variables);
    std::size_t end = index;
    for (auto block = blocks.rbegin(); block != blocks.rend(); ++block) {
      std::vector<TokenSpan> pieces = {{*block, *block}};  // without the blocks that are closed there
      for (std::size_t i = *block; i < end; ++i) {
        if (at(i, "{") && tokens()[i].close < end) {
          i = tokens()[i].close;
          pieces.push_back({i + 1, i + 1});
        } else {
          pieces.back().end = i + 1;
        }
      }
      for (auto piece = pieces.rbegin(); piece != pieces.rend(); ++piece) types.add(*piece);
      end = *block;
    }
    for (const TokenSpan& part : parts_of(tokens(), function.parameters, true)) {
      TextParameter parameter = parameter_of(tokens(), part);
      if (!parameter.name.empty()) variables.emplace(std::move(parameter.name), std::move(parameter.type));
    }
    return variables;
  }

  /// The value of `const int n = 4 * TILE;`, of numbers and macros, which may be the extent of an array.
  [[nodiscard]] std::optional<std::string> constant_of(const std::string& name, const std::string& type,
                                                       std::size_t before,
                                                       const Declaration& function) const {
    if (!(has_word(type, "const") || has_word(type, "constexpr")) || type.find('*') != std::string::npos)
      return std::nullopt;
    for (std::size_t i = before; i-- > function.body.begin;) {
      if (!at(i, name) || !at(i + 1, "=")) continue;
      std::size_t end = i + 2;
      for (; end < before && !at(end, ";") && !at(end, ","); ++end) {
        if (tokens()[end].identifier() && !macros_.contains(tokens()[end].text)) return std::nullopt;
        if (at(end, "{")) return std::nullopt;
      }
      return text_of(tokens(), {i + 2, end});
    }
    return std::nullopt;
  }

  const std::string& text_;
  TokenizedText source_;
  std::set<std::string_view> macros_, markers_;
  std::multimap<int, std::size_t> numbers_;
  HostLambdas result_;
  std::vector<TextEdit> edits_;
  std::map<std::size_t, std::string> classes_;  ///< by the place in front of which they stand
};

/// The names of classes of lambdas in an entry.
std::vector<std::string> lambdas_in(const std::string& text) {
  std::vector<std::string> names;
  const TokenizedText source = tokenize(text);
  for (const Token& token : source.tokens) {
    if (token.identifier() && token.text.starts_with(kPrefix)) names.emplace_back(token.text);
  }
  return names;
}

SourceLocation place_of(const Specialization& specialization, const std::string& name) {
  for (const WrittenWords& words : specialization.written) {
    if (has_word(words.text, name)) return words.where;
  }
  return {specialization.source_path, 0, 0};
}

}  // namespace

HostLambdas with_classes_of_lambdas(const std::string& text, const std::string& whole) {
  if (text.find("__device__") == std::string::npos) return {text, {}};
  std::multimap<int, std::size_t> numbers;
  if (!whole.empty() && whole != text) {
    const std::vector<HostLambda> all = LambdaReader(whole, {}).run().lambdas;
    for (std::size_t i = 0; i < all.size(); ++i) numbers.emplace(all[i].line, i + 1);
  }
  return LambdaReader(text, std::move(numbers)).run();
}

void write_out_lambdas(Specialization& specialization) {
  std::vector<std::string> names;
  for (const EntryPoint& entry : specialization.entries) {
    for (std::string& name : lambdas_in(entry.name_expression)) names.push_back(std::move(name));
  }
  if (names.empty()) return;
  HostLambdas made = with_classes_of_lambdas(specialization.source_text);
  for (const std::string& name : names) {
    const auto found = std::find_if(made.lambdas.begin(), made.lambdas.end(),
                                    [&](const HostLambda& lambda) { return lambda.name == name; });
    const std::string& file = specialization.source_name;
    if (found == made.lambdas.end()) {
      std::vector<std::string> known;
      for (const HostLambda& lambda : made.lambdas) known.push_back(lambda.name);
      throw bad_input("no lambda '" + name + "' in " + file + suggestion(name, known) +
                          " (its lambdas with `__device__` in functions of the host: " +
                          (known.empty() ? "none" : join(known, ", ")) + ")",
                      place_of(specialization, name));
    }
    if (!found->why_not.empty()) {
      throw bad_input("'" + name + "', the lambda in line " + std::to_string(found->line) + " of " + file +
                          ", " + found->why_not + ", so it cannot be an argument of a kernel",
                      place_of(specialization, name));
    }
  }
  specialization.source_text = std::move(made.text);
}

}  // namespace kiln
