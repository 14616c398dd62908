#include "compile/outline.h"

#include <algorithm>

#include "base/text.h"
#include "specialize/attributes.h"

namespace kiln {
namespace {

/// Limit of nested namespaces and classes.
constexpr int kDeepestScope = 256;

class Outliner {
 public:
  explicit Outliner(std::string_view text) { result_.source = tokenize(text); }

  Outline run() {
    parse_scope(tokens().size(), "");
    return std::move(result_);
  }

 private:
  [[nodiscard]] const std::vector<Token>& tokens() const { return result_.source.tokens; }
  [[nodiscard]] bool at(std::size_t i, std::string_view text) const {
    return i < tokens().size() && tokens()[i].is(text);
  }

  /// Text inside braces, such as the members of a class, does not count.
  [[nodiscard]] bool contains(TokenRange range, std::string_view text) const {
    for (std::size_t i = range.begin; i < range.end; ++i) {
      if (at(i, "{")) i = matching_close(tokens(), i);
      if (i >= range.end) return false;
      if (tokens()[i].is(text)) return true;
    }
    return false;
  }

  /// Declarations up to `end`, at namespace or class scope. `scope` is "" or ends in "::".
  void parse_scope(std::size_t end, const std::string& scope) {
    std::size_t begin = at_;
    std::size_t judged = at_;  // the tokens in front of it, from `begin` on, open nothing
    while (at_ < end) {
      const Token& token = tokens()[at_];
      if (token.is("(") || token.is("[")) {
        at_ = std::min(matching_close(tokens(), at_) + 1, end);
      } else if (token.is(";")) {
        declaration({begin, at_ + 1}, scope);
        begin = ++at_;
      } else if (token.is("{")) {
        const std::size_t close = std::min(matching_close(tokens(), at_), end);
        const bool again = judged == at_ && begin < at_;
        const bool done = !again && braces({std::max(begin, judged), at_}, close, scope);
        judged = close + 1;
        if (done) begin = close + 1;
        at_ = std::min(close + 1, end);
      } else {
        ++at_;
        if (token.is("}") || (token.is(":") && access_label(begin))) begin = at_;
      }
    }
  }

  [[nodiscard]] bool access_label(std::size_t begin) const {
    return at_ == begin + 2 && (at(begin, "public") || at(begin, "private") || at(begin, "protected"));
  }

  /// Handles the brace at `head.end`. Returns false if the declaration continues after it (an initializer).
  bool braces(TokenRange head, std::size_t close, const std::string& scope) {
    const TokenRange body{head.end + 1, close};
    if (head.begin == head.end) {  // a second brace of a constructor with braced initializers
      if (!result_.definitions.empty()) result_.definitions.back().body.end = close;
      return true;
    }
    const std::size_t first = skip_template_head(head);
    for (std::size_t i = first; i < head.end; ++i) {  // perhaps behind macros
      if (!at(i, "namespace")) continue;
      nested(body, scope + namespace_name({i, head.end}));
      return true;
    }
    if (at(first, "extern") && first + 2 == head.end) {
      nested(body, scope);
      return true;
    }
    if (is_class_head({first, head.end})) {
      class_definition(head, first, body, scope);
      return false;  // "} variable;" may follow
    }
    if (contains_assignment({first, head.end})) {  // an initializer, perhaps a lambda's body
      result_.definitions.push_back({variable_name({first, head.end}), head, body, false, false});
      return false;
    }
    const std::string_view name = function_name({first, head.end});
    if (name.empty()) return false;
    result_.definitions.push_back({name, head, body, contains(head, "__global__"), false});
    block_scope(body);
    return true;
  }

  void nested(TokenRange body, const std::string& scope) {
    if (depth_ == kDeepestScope) return;
    ++depth_;
    at_ = body.begin;
    parse_scope(body.end, scope);
    --depth_;
  }

  [[nodiscard]] std::size_t skip_template_head(TokenRange head) const {
    std::size_t i = head.begin;
    while (at(i, "template") && at(i + 1, "<")) {
      int depth = 0;
      for (++i; i < head.end; ++i) {
        if (at(i, "(")) i = matching_close(tokens(), i);
        if (at(i, "<")) ++depth;
        if (at(i, ">") && --depth == 0) break;
      }
      ++i;
    }
    return std::min(i, head.end);
  }

  /// "a::b::" of `namespace [[deprecated]] API a::inline b {`.
  [[nodiscard]] std::string namespace_name(TokenRange head) const {
    std::string name;
    bool qualified = false;
    for (std::size_t i = head.begin; i < head.end; ++i) {
      const Token& token = tokens()[i];
      if (at(i, "(") || at(i, "[")) {
        i = matching_close(tokens(), i);
      } else if (at(i, "::")) {
        qualified = true;
      } else if (token.identifier() && !token.is("namespace") && !token.is("inline") &&
                 !token.is("__attribute__")) {
        name = (qualified ? name : "") + std::string(token.text) + "::";
        qualified = false;
      }
    }
    return name;
  }

  [[nodiscard]] bool is_class_head(TokenRange head) const {
    for (std::size_t i = head.begin; i < head.end; ++i) {
      if (at(i, "class") || at(i, "struct") || at(i, "union") || at(i, "enum")) {
        return !at(head.end - 1, ")") && !at(head.end - 1, "const") && !at(head.end - 1, "noexcept") &&
               !contains_assignment({i, head.end});
      }
      if (at(i, "(")) i = matching_close(tokens(), i);
    }
    return false;
  }

  [[nodiscard]] bool contains_assignment(TokenRange head) const {
    for (std::size_t i = head.begin; i < head.end; ++i) {
      if (at(i, "(") || at(i, "[") || at(i, "{")) i = matching_close(tokens(), i);
      if (i < head.end && at(i, "=") && !at(i - 1, "operator")) return true;
    }
    return false;
  }

  void class_definition(TokenRange head, std::size_t first, TokenRange body, const std::string& scope) {
    if (contains({first, head.end}, "enum")) return;
    std::string_view name;
    for (std::size_t i = first; i < head.end && !at(i, ":"); ++i) {
      if (at(i, "(") || at(i, "[")) i = matching_close(tokens(), i);
      const Token& token = tokens()[std::min(i, tokens().size() - 1)];
      if (at(i, "<")) break;
      if (token.identifier() && !is_attribute(token.text) && !token.is("final")) name = token.text;
    }
    result_.definitions.push_back({name, head, body, false, true});
    nested(body, scope + std::string(name) + "::");
  }

  /// The identifier before the first parenthesis that is a parameter list.
  [[nodiscard]] std::string_view function_name(TokenRange head) const {
    for (std::size_t i = head.begin; i < head.end; ++i) {
      if (at(i, "operator")) return tokens()[i].text;
      if (at(i, "[")) i = matching_close(tokens(), i);
      if (!at(i, "(")) continue;
      if (i > head.begin && tokens()[i - 1].identifier() && !is_attribute(tokens()[i - 1].text)) {
        return tokens()[i - 1].text;
      }
      if (i > head.begin && at(i - 1, ">")) return specialized_name(head, i - 1);
      i = matching_close(tokens(), i);
    }
    return {};
  }

  /// The name before the template arguments that end at `close`: "template <> void f<int>(...)".
  [[nodiscard]] std::string_view specialized_name(TokenRange head, std::size_t close) const {
    int depth = 0;
    for (std::size_t i = close; i > head.begin; --i) {
      if (at(i, ">")) ++depth;
      if (at(i, "<") && --depth == 0)
        return tokens()[i - 1].identifier() ? tokens()[i - 1].text : std::string_view{};
    }
    return {};
  }

  void declaration(TokenRange range, const std::string& scope) {
    if (at(range.begin, "template") && !at(range.begin + 1, "<")) {
      for (std::size_t i = range.begin; i < range.end; ++i) {
        if (at(i, "__global__")) result_.instantiated_kernels.push_back(i);
      }
      return;
    }
    if (contains(range, "__shared__")) {
      shared_statement(range, scope, true);
      return;
    }
    // "template <int N = kMost> struct Row { ... };" is no variable.
    if (contains_assignment({skip_template_head(range), range.end})) {
      result_.definitions.push_back({variable_name(range), range, range, false, false});
    }
    const bool writable = contains(range, "__device__") || contains(range, "__managed__");
    const bool device = writable || contains(range, "__constant__");
    // Branches of #if follow each other here: "__device__ #endif typedef struct {...} pair;" is no variable.
    if (!device || contains(range, "extern") || contains(range, "using") || contains(range, "typedef") ||
        contains(range, "operator") || contains(range, "virtual"))
      return;
    if (writable && !contains(range, "__constant__"))
      changing_variables({skip_template_head(range), range.end});
    if (at(range.begin, "template")) return;
    const std::string_view name = variable_name(range);
    const bool unnamed_type = name == "struct" || name == "class" || name == "union" || name == "enum";
    if (name.empty() || unnamed_type || defines_class(range)) return;
    const std::size_t end = tokens()[range.end - 1].end();
    result_.variables.push_back({scope + scope_in_front_of(name, range) + std::string(name), end});
    for (std::size_t i = range.begin; i < range.end; ++i) {  // "__constant__ long nx, ny;"
      if (at(i, "(") || at(i, "[") || at(i, "{")) i = std::min(matching_close(tokens(), i), range.end);
      if (at(i, "<")) i = behind_angles(tokens(), i, range.end) - 1;
      if (!at(i, ",")) continue;
      const std::string_view later = variable_name({i + 1, range.end});
      if (!later.empty()) result_.variables.push_back({scope + std::string(later), end});
    }
  }

  /// Each name that a declaration declares as a variable; empty for a function or a constant.
  void changing_variables(TokenRange range) {
    const bool constant = contains(range, "const") || contains(range, "constexpr");
    if (constant && !contains(range, "*")) return;
    int angles = 0;  // of template arguments
    for (std::size_t i = range.begin; i + 1 < range.end; ++i) {
      const Token& token = tokens()[i];
      if (token.is("<")) ++angles;
      if (token.is(">")) --angles;
      if (token.is("(")) {
        if (i == range.begin || (!is_attribute(tokens()[i - 1].text) && !is_alignment_macro(tokens(), i - 1)))
          return;
        i = matching_close(tokens(), i);
      }
      if (angles != 0 || !token.identifier()) continue;
      const bool set_up = at(i + 1, "(") && i + 2 < range.end && tokens()[i + 2].kind == Token::Kind::kNumber;
      if (!set_up && !at(i + 1, ";") && !at(i + 1, ",") && !at(i + 1, "=") && !at(i + 1, "[") &&
          !at(i + 1, "{"))
        continue;
      result_.changing.push_back(token.text);
      while (i + 1 < range.end && !at(i, ",")) {
        const bool opens = at(i, "(") || at(i, "[") || at(i, "{");
        i = opens ? matching_close(tokens(), i) + 1 : i + 1;
      }
    }
  }

  /// Empty if the declaration declares a function.
  [[nodiscard]] std::string_view variable_name(TokenRange range) const {
    std::string_view name;
    for (std::size_t i = range.begin; i < range.end; ++i) {
      const Token& token = tokens()[i];
      if (token.is("[") || token.is("=") || token.is("{") || token.is(";") || token.is(",")) return name;
      if (token.is("<")) {  // of std::array<float, 4>
        i = behind_angles(tokens(), i, range.end) - 1;
      } else if (is_alignment_macro(tokens(), i)) {
        i += 3;
      } else if (token.is("(")) {
        if (i == range.begin || !is_attribute(tokens()[i - 1].text)) return {};
        i = matching_close(tokens(), i);
      } else if (token.identifier() && !is_attribute(token.text)) {
        name = token.text;
      }
    }
    return name;
  }

  /// `__device__ class Vector {...};`, without a variable.
  [[nodiscard]] bool defines_class(TokenRange range) const {
    bool key = false;
    for (std::size_t i = range.begin; i < range.end && !at(i, "=") && !at(i, "("); ++i) {
      key = key || at(i, "class") || at(i, "struct") || at(i, "union") || at(i, "enum");
      if (key && at(i, "{")) return at(matching_close(tokens(), i) + 1, ";");
    }
    return false;
  }

  /// "ns::in::" of `__constant__ float ns::in::weights[4];`, the definition of an `extern` variable.
  [[nodiscard]] std::string scope_in_front_of(std::string_view name, TokenRange range) const {
    std::size_t at_name = range.begin;
    while (at_name < range.end && tokens()[at_name].text.data() != name.data()) ++at_name;
    std::string scope;
    for (std::size_t i = at_name; i >= range.begin + 2 && at(i - 1, "::") && tokens()[i - 2].identifier();
         i -= 2)
      scope.insert(0, std::string(tokens()[i - 2].text) + "::");
    return scope;
  }

  void shared_statement(TokenRange statement, const std::string& scope, bool at_namespace_scope) {
    if (!contains(statement, "extern") || !contains(statement, "[")) return;
    const std::string_view name = variable_name(statement);
    if (name.empty()) return;
    result_.dynamic_shared.push_back({scope + std::string(name), name, statement, at_namespace_scope});
  }

  void block_scope(TokenRange body) {
    std::size_t begin = body.begin;
    for (std::size_t i = body.begin; i < body.end; ++i) {
      if (at(i, "{") || at(i, "}")) begin = i + 1;
      if (!at(i, ";")) continue;
      if (contains({begin, i}, "__shared__")) shared_statement({begin, i + 1}, "", false);
      begin = i + 1;
    }
  }

  Outline result_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

std::size_t matching_close(const std::vector<Token>& tokens, std::size_t open) {
  return open < tokens.size() ? tokens[open].close : tokens.size();
}

Outline outline(std::string_view text) {
  return Outliner(text).run();
}

std::vector<std::string> find_kernels(std::string_view text) {
  const Outline outlined = outline(text);
  std::vector<std::string> names;
  for (const DefinitionOutline& definition : outlined.definitions) {
    const std::string name(definition.name);
    if (definition.kernel && std::find(names.begin(), names.end(), name) == names.end())
      names.push_back(name);
  }
  return names;
}

std::string kernel_name(const std::string& name_expression) {
  const std::string head(trim(std::string_view(name_expression).substr(0, name_expression.find('<'))));
  const std::size_t scope = head.rfind("::");
  return scope == std::string::npos ? head : head.substr(scope + 2);
}

}  // namespace kiln
