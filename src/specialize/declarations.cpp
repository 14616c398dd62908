#include "specialize/declarations.h"

#include <algorithm>
#include <set>

#include "specialize/attributes.h"
#include "workload/cpp_words.h"

namespace kiln {
namespace {

using Kind = Declaration::Kind;

/// Scopes in each other that are looked into.
constexpr int kDeepestScope = 64;
/// In the head of one declaration, each of which is judged from the declaration's start.
constexpr int kMostBraces = 64;

bool is_class_key(const Token& token) {
  return token.is("class") || token.is("struct") || token.is("union") || token.is("enum");
}

class Reader {
 public:
  Reader(const TokenizedText& text, const std::set<std::string_view>& specifier_macros,
         const std::set<std::string_view>& scope_macros)
      : tokens_(text.tokens), specifier_macros_(specifier_macros), structural_macros_(scope_macros) {
    for (const Directive& directive : text.directives) learn_macro(directive);
  }

  std::vector<Declaration> run() { return read_scope({0, tokens_.size()}, ""); }

 private:
  [[nodiscard]] bool at(std::size_t i, std::string_view text) const {
    return i < tokens_.size() && tokens_[i].is(text);
  }
  [[nodiscard]] std::size_t close_of(std::size_t i) const { return tokens_[i].close; }

  /// Learns macros that open or close brackets, or end a declaration: they are separate declarations.
  void learn_macro(const Directive& directive) {
    const std::vector<Token>& words = directive.tokens;
    if (words.size() < 2 || !words[0].is("define")) return;
    const bool function_like = words.size() > 2 && words[2].is("(") && words[2].offset == words[1].end();
    if (function_like) function_macros_.insert(words[1].text);
    const bool structures = std::any_of(words.begin() + 2, words.end(), [](const Token& token) {
      return token.is("{") || token.is("}") || token.is(";");
    });
    if (structures) structural_macros_.insert(words[1].text);
  }

  std::vector<Declaration> read_scope(TokenSpan scope, std::string_view class_name) {
    std::vector<Declaration> found;
    for (std::size_t i = scope.begin; i < scope.end;) {
      Declaration declaration = read(i, scope.end, class_name);
      i = std::max(declaration.whole.end, i + 1);
      found.push_back(std::move(declaration));
    }
    return found;
  }

  [[nodiscard]] static Declaration other(std::size_t begin, std::size_t end) {
    Declaration declaration;
    declaration.whole = {begin, end};
    return declaration;
  }

  /// The declaration that begins at `begin`.
  Declaration read(std::size_t begin, std::size_t end, std::string_view class_name) {
    if (at(begin, ";") || at(begin, "}")) return other(begin, begin + 1);
    if ((at(begin, "public") || at(begin, "private") || at(begin, "protected")) && at(begin + 1, ":"))
      return other(begin, begin + 2);
    if (const std::size_t behind = macro_use(begin, end); behind > begin) return other(begin, behind);

    Declaration declaration;
    const std::size_t first = skip_template_heads(begin, end, declaration);
    declaration.whole = {begin, end};
    bool assigned = false;     // behind a "=": braces are an initializer's
    bool initializes = false;  // behind the ":" of a constructor
    int initializers = 0;
    for (std::size_t i = first; i < end;) {
      const Token& token = tokens_[i];
      if (token.is("(") || token.is("[")) {
        if (close_of(i) >= end) return other(begin, end);
        i = close_of(i) + 1;
      } else if (token.is("operator")) {
        i = behind_operator(i, end);
      } else if (token.is("=")) {
        assigned = true;
        ++i;
      } else if (token.is(":")) {
        initializes = true;
        ++i;
      } else if (token.is(";")) {
        declaration.whole.end = i + 1;
        return statement(std::move(declaration), first);
      } else if (token.is("}")) {
        return other(begin, i);
      } else if (token.is("{")) {
        if (close_of(i) >= end || ++initializers > kMostBraces) return other(begin, end);
        const bool member_initializer =
            initializes && i > first && (tokens_[i - 1].identifier() || tokens_[i - 1].is(">"));
        if (!assigned && opens_scope(first, i)) return scope(std::move(declaration), first, i);
        if (!assigned && is_class_head(first, i)) {
          declaration.body = {i + 1, close_of(i)};
          return class_definition(std::move(declaration), first, i, end);
        }
        const bool has_parameters = !assigned && set_function({first, i}, declaration);
        if (has_parameters && !(member_initializer && !ends_head(i - 1))) {
          declaration.body = {i + 1, close_of(i)};
          declaration.whole.end = close_of(i) + 1;
          declaration.kind = Kind::kFunction;
          if (declaration.names.empty() && !class_name.empty()) declaration.names.push_back(class_name);
          return declaration;
        }
        i = close_of(i) + 1;
      } else {
        ++i;
      }
    }
    return other(begin, end);
  }

  /// "const" and the like between a parameter list and the body.
  [[nodiscard]] bool ends_head(std::size_t i) const {
    return at(i, "const") || at(i, "noexcept") || at(i, "override") || at(i, "final") || at(i, "volatile");
  }

  /// Behind a use of a macro that stands for itself: `DECLARE(x)` without ";", `NAMESPACE_BEGIN`, a word in
  /// front of `template`; else `begin`.
  [[nodiscard]] std::size_t macro_use(std::size_t begin, std::size_t end) const {
    const Token& name = tokens_[begin];
    if (!name.identifier() || is_attribute(name.text)) return begin;
    const bool of_template = name.is("extern") || name.is("friend") || name.is("export");
    if (at(begin + 1, "template") && begin + 1 < end && !of_template)
      return begin + 1;  // no specifier may be
    if (at(begin + 1, "namespace") && begin + 1 < end && !of_template && !name.is("inline") &&
        !name.is("using") && !name.is("namespace"))
      return begin + 1;
    if (specifier_macros_.contains(name.text)) return begin;
    const bool arguments = at(begin + 1, "(") && close_of(begin + 1) < end;
    const std::size_t behind = arguments ? close_of(begin + 1) + 1 : begin + 1;
    if (structural_macros_.contains(name.text)) {
      if (!function_macros_.contains(name.text)) return begin + 1;
      if (arguments) return at(behind, ";") && behind < end ? behind + 1 : behind;
    }
    if (!arguments || behind >= end) return begin;
    if (at(behind, "namespace")) return behind;
    const Token& next = tokens_[behind];
    const bool starts_anew = next.identifier() && next.line > tokens_[behind - 1].line && !ends_head(behind);
    return starts_anew ? behind : begin;
  }

  std::size_t skip_template_heads(std::size_t i, std::size_t end, Declaration& declaration) const {
    while (at(i, "template") && at(i + 1, "<") && i < end) {
      const std::size_t behind = behind_angles(tokens_, i + 1, end);
      declaration.template_head = {i + 2, behind - 1};
      i = behind;
      if (at(i, "requires")) i = skip_constraint(i + 1, end);
    }
    return std::min(i, end);
  }

  /// Behind `A<T> && (B || requires (T x) { x.f(); })`.
  [[nodiscard]] std::size_t skip_constraint(std::size_t i, std::size_t end) const {
    while (i < end) {
      if (at(i, "requires")) {
        ++i;
        if (at(i, "(")) i = close_of(i) + 1;
        if (at(i, "{")) i = close_of(i) + 1;
      } else if (at(i, "(")) {
        i = close_of(i) + 1;
      } else {
        i = behind_name(i, end);
      }
      const bool more = at(i, "&&") || at(i, "||");
      if (!more) return i;
      ++i;
    }
    return end;
  }

  /// Behind `a::B<C>::value`.
  [[nodiscard]] std::size_t behind_name(std::size_t i, std::size_t end) const {
    if (at(i, "::")) ++i;
    while (i < end && tokens_[i].identifier()) {
      ++i;
      if (at(i, "<")) i = behind_angles(tokens_, i, end);
      if (!at(i, "::")) break;
      ++i;
    }
    return i;
  }

  /// Behind the name of an operator function, in front of its parameters.
  [[nodiscard]] std::size_t behind_operator(std::size_t i, std::size_t end) const {
    ++i;
    if (at(i, "(") && at(i + 1, ")")) return i + 2;
    while (i < end && !at(i, "(") && !at(i, ";") && !at(i, "{")) ++i;
    return i;
  }

  [[nodiscard]] bool opens_scope(std::size_t first, std::size_t brace) const {
    if (at(first, "namespace") || (at(first, "inline") && at(first + 1, "namespace"))) return true;
    return at(first, "extern") && first + 2 == brace && tokens_[first + 1].kind == Token::Kind::kString;
  }

  Declaration scope(Declaration declaration, std::size_t first, std::size_t brace) {
    declaration.kind = Kind::kScope;
    declaration.whole.end = close_of(brace) + 1;
    declaration.body = {brace + 1, close_of(brace)};
    if (!at(first, "extern") && tokens_[brace - 1].identifier() && !at(brace - 1, "namespace"))
      declaration.names.push_back(tokens_[brace - 1].text);
    if (++depth_ <= kDeepestScope) declaration.members = read_scope(declaration.body, "");
    --depth_;
    return declaration;
  }

  /// Whether the brace behind `head` opens a class or an enumeration.
  [[nodiscard]] bool is_class_head(std::size_t first, std::size_t brace) const {
    std::size_t i = first;
    while (i < brace && !is_class_key(tokens_[i])) {
      if (at(i, "(") || at(i, "[")) i = close_of(i);
      ++i;
    }
    if (i >= brace) return false;
    const bool aligned = i + 2 < brace && tokens_[i + 1].identifier() && at(i + 2, "(");
    if (aligned && close_of(i + 2) + 1 < brace && tokens_[close_of(i + 2) + 1].identifier())
      i = close_of(i + 2);  // struct ALIGNED(16) A {
    for (++i; i < brace; ++i) {
      if (at(i, "(") || at(i, "[")) {
        i = close_of(i);
      } else if (at(i, ":")) {
        return true;
      } else if (at(i, "<")) {
        i = behind_angles(tokens_, i, brace) - 1;
      } else if (tokens_[i].identifier() && i + 1 < brace && at(i + 1, "(") &&
                 !is_attribute(tokens_[i].text)) {
        return false;  // struct A f(...) {
      }
      if (at(i, "*") || at(i, "&") || at(i, "operator")) return false;
    }
    return true;
  }

  Declaration class_definition(Declaration declaration, std::size_t first, std::size_t brace,
                               std::size_t end) {
    std::string_view name;
    bool is_enum = false;
    for (std::size_t i = first; i < brace && !at(i, ":"); ++i) {
      if (at(i, "(") || at(i, "[")) i = close_of(i);
      if (at(i, "<")) break;
      is_enum = is_enum || at(i, "enum");
      const Token& token = tokens_[i];
      const bool word = token.identifier() && !is_class_key(token) && !is_attribute(token.text);
      if (word && !token.is("typedef") && !token.is("final") && !token.is("static") && !token.is("const"))
        name = token.text;
    }
    if (!name.empty()) declaration.names.push_back(name);
    const std::size_t close = close_of(brace);
    std::size_t i = close + 1;
    for (; i < end && !at(i, ";"); ++i) {  // "} variable;", of a typedef: "} Name, *Pointer;"
      if (at(i, "(") || at(i, "[") || at(i, "{")) {
        if (close_of(i) >= end) return other(declaration.whole.begin, end);
        i = close_of(i);
      } else if (tokens_[i].identifier()) {
        declaration.names.push_back(tokens_[i].text);
      }
    }
    declaration.whole.end = std::min(i + 1, end);
    declaration.kind = is_enum ? Kind::kEnum : Kind::kClass;
    if (is_enum) {
      for (i = brace + 1; i < close; ++i) {
        if (tokens_[i].identifier() && (at(i - 1, "{") || at(i - 1, ",")))
          declaration.names.push_back(tokens_[i].text);
      }
    } else if (++depth_ <= kDeepestScope) {
      declaration.members = read_scope(declaration.body, name);
      --depth_;
    } else {
      --depth_;
    }
    return declaration;
  }

  /// Finds a parameter list and the name in front of it; false where there is none.
  bool set_function(TokenSpan head, Declaration& declaration) const {
    for (std::size_t i = head.begin; i < head.end; ++i) {
      if (at(i, "operator")) {
        const std::size_t open = behind_operator(i, head.end);
        if (!at(open, "(")) return false;
        declaration.names.push_back(tokens_[i].text);
        declaration.parameters = {open + 1, close_of(open)};
        return true;
      }
      if (at(i, "[")) i = close_of(i);
      if (at(i, "{")) return false;                                       // "int n{f(2)}"
      if (at(i, "<") && i > head.begin && tokens_[i - 1].identifier()) {  // std::function<A(int)> f
        const std::size_t behind = behind_angles(tokens_, i, head.end);
        if (at(behind - 1, ">")) i = behind - 1;
      }
      if (!at(i, "(")) continue;
      if (i > head.begin && tokens_[i - 1].identifier() && !is_attribute(tokens_[i - 1].text)) {
        if (is_macro_before_name(close_of(i), head.end) || is_macro_on_its_line(i, head.end) ||
            (i == head.begin + 1 && is_macro_before_type(close_of(i), head.end))) {
          i = close_of(i);
          continue;
        }
        declaration.names.push_back(tokens_[i - 1].text);
        declaration.parameters = {i + 1, close_of(i)};
        return true;
      }
      if (i > head.begin && at(i - 1, ">")) {
        const std::string_view name = name_before_angles(head, i - 1);
        if (name.empty()) return false;
        declaration.names.push_back(name);
        declaration.parameters = {i + 1, close_of(i)};
        return true;
      }
      i = close_of(i);
    }
    return false;
  }

  static bool is_behind_parameters(std::string_view word) {
    static const std::set<std::string_view> words = {"const",    "volatile", "noexcept", "throw",
                                                     "requires", "override", "final"};
    return words.contains(word) || is_attribute(word);
  }

  /// Whether the name and the parameters stand behind the ")" at `close`, as in "void BOUNDS(128) f(int x)".
  [[nodiscard]] bool is_macro_before_name(std::size_t close, std::size_t end) const {
    if (close + 2 >= end || !tokens_[close + 1].identifier() || !at(close + 2, "(")) return false;
    return !is_behind_parameters(tokens_[close + 1].text);
  }

  /// Whether the parentheses at `open` end a line, and what follows has a parameter list of its own, as in
  /// "BEGIN\nREGISTER(A)\n__global__ void f(int x)".
  [[nodiscard]] bool is_macro_on_its_line(std::size_t open, std::size_t end) const {
    const std::size_t close = close_of(open);
    if (close + 2 >= end || !tokens_[close + 1].identifier() || is_behind_parameters(tokens_[close + 1].text))
      return false;
    if (tokens_[close + 1].line == tokens_[close].line) return false;
    for (std::size_t i = close + 2; i < end; ++i) {
      if (at(i, ":") || at(i, ",")) return false;  // initialisers of a constructor
      if (at(i, "(")) return tokens_[i - 1].identifier() && !is_attribute(tokens_[i - 1].text);
    }
    return false;
  }

  /// Whether a type, the name and the parameters stand behind the ")" at `close`: "INLINE(1) T* f(int x)".
  [[nodiscard]] bool is_macro_before_type(std::size_t close, std::size_t end) const {
    std::size_t i = close + 1;
    for (; i < end && !at(i, "("); ++i) {
      if (at(i, "<")) i = behind_angles(tokens_, i, end) - 1;
      if (!tokens_[i].identifier() && !at(i, "::") && !at(i, "*") && !at(i, "&") && !at(i, ">")) return false;
    }
    if (i >= end || i <= close + 2 || !tokens_[i - 1].identifier()) return false;
    return !is_behind_parameters(tokens_[close + 1].text) && !is_behind_parameters(tokens_[i - 1].text);
  }

  /// "f" of "f<int>", whose ">" is at `close`.
  [[nodiscard]] std::string_view name_before_angles(TokenSpan head, std::size_t close) const {
    int depth = 0;
    for (std::size_t i = close; i > head.begin; --i) {
      if (at(i, ">")) ++depth;
      if (at(i, "<") && --depth == 0)
        return tokens_[i - 1].identifier() ? tokens_[i - 1].text : std::string_view{};
    }
    return {};
  }

  /// A declaration that ends with ";".
  Declaration statement(Declaration declaration, std::size_t first) const {
    while (is_alignment_macro(tokens_, first)) first += 4;  // "ALIGNED(16) __constant__ float w[4];"
    const TokenSpan span{first, declaration.whole.end - 1};
    const bool plain_template = at(declaration.whole.begin, "template") &&
                                declaration.template_head.empty() && first == declaration.whole.begin;
    if (plain_template || (at(first, "extern") && at(first + 1, "template"))) {
      declaration.kind = Kind::kInstantiation;
      add_last_names(span, declaration);
    } else if (at(first, "using") && at(first + 1, "namespace")) {
      declaration.kind = Kind::kUsing;
    } else if (at(first, "using") || at(first, "namespace")) {
      declaration.kind = Kind::kAlias;
      if (at(first + 2, "=") || at(first + 2, "[")) {
        declaration.names.push_back(tokens_[first + 1].text);
      } else if (span.end > first && tokens_[span.end - 1].identifier()) {
        declaration.names.push_back(tokens_[span.end - 1].text);
      }
    } else if (at(first, "typedef")) {
      declaration.kind = Kind::kAlias;
      add_declarators(span, declaration);
    } else if (is_forward_class(span) && (span.end == span.begin + 2 || is_class_key(tokens_[first + 1]))) {
      declaration.kind = Kind::kForward;
      declaration.names.push_back(tokens_[span.end - 1].text);
    } else if (at(first, "friend") && is_forward_class({span.begin + 1, span.end})) {
      declaration.kind = Kind::kForward;
    } else if (at(first, "static_assert") || at(first, "_Static_assert") || at(first, "asm") ||
               at(first, "__asm__") || at(first, "friend") || is_forward_class(span)) {
      declaration.kind = Kind::kOther;
    } else if (!has_assignment(span) && set_function(span, declaration)) {
      declaration.kind = is_initialized(span.begin, declaration) ? Kind::kVariable : Kind::kPrototype;
      if (first + 1 < span.end && at(first + 1, "(")) declaration.kind = Kind::kOther;  // MACRO(x);
    } else {
      declaration.kind = Kind::kVariable;
      add_declarators(span, declaration);
      if (declaration.names.empty()) declaration.kind = Kind::kOther;
    }
    return declaration;
  }

  /// Whether the parentheses hold a value, not parameters: "constexpr int n(2 * m);", "int n(4);".
  [[nodiscard]] bool is_initialized(std::size_t first, const Declaration& declaration) const {
    const TokenSpan span = declaration.parameters;
    if (span.empty()) return false;
    bool is_constant = false;
    for (std::size_t i = first; i < span.begin; ++i) is_constant = is_constant || at(i, "constexpr");
    const Token& token = tokens_[span.begin];
    return is_constant || (token.kind != Token::Kind::kIdentifier && !token.is("::") && !token.is("."));
  }

  /// "struct A;", "class EXPORT B;" and "template <class T> class B;"; not "struct Options options;".
  [[nodiscard]] bool is_forward_class(TokenSpan span) const {
    if (span.end - span.begin > 3 || !is_class_key(tokens_[span.begin]) ||
        !tokens_[span.end - 1].identifier())
      return false;
    const std::string_view second = tokens_[span.begin + 1].text;
    return span.end - span.begin < 3 || is_class_key(tokens_[span.begin + 1]) ||
           std::none_of(second.begin(), second.end(), [](char c) { return c >= 'a' && c <= 'z'; });
  }

  [[nodiscard]] bool has_assignment(TokenSpan span) const {
    bool is_virtual = false;
    for (std::size_t i = span.begin; i < span.end; ++i) {
      if (at(i, "(") || at(i, "[") || at(i, "{")) i = close_of(i);
      is_virtual = is_virtual || at(i, "virtual") || at(i, "override");
      const bool says_how = i + 2 == span.end &&
                            (at(i + 1, "default") || at(i + 1, "delete") || (is_virtual && at(i + 1, "0")));
      if (i < span.end && at(i, "=") && !at(i - 1, "operator") && !says_how) return true;
    }
    return false;
  }

  /// All identifiers outside of brackets: of "template class Foo<int>", "Foo".
  void add_last_names(TokenSpan span, Declaration& declaration) const {
    for (std::size_t i = span.begin; i < span.end; ++i) {
      if (at(i, "(") || at(i, "[")) {
        i = close_of(i);
      } else if (at(i, "<")) {
        i = behind_angles(tokens_, i, span.end) - 1;
      } else if (tokens_[i].identifier()) {
        const bool names = at(i + 1, "<") || at(i + 1, "(") || i + 1 == span.end;
        if (names) declaration.names.push_back(tokens_[i].text);
      }
    }
  }

  /// Names that are followed by what may follow a declarator; those in parentheses behind a "*", too.
  void add_declarators(TokenSpan span, Declaration& declaration) const {
    for (std::size_t i = span.begin; i < span.end; ++i) {
      if (at(i, "(")) {
        for (std::size_t inner = i + 1; inner < close_of(i); ++inner) {
          if (tokens_[inner].identifier() && (at(inner - 1, "*") || at(inner - 1, "&")))
            declaration.names.push_back(tokens_[inner].text);
        }
        i = close_of(i);
      } else if (at(i, "[") || at(i, "{")) {
        i = close_of(i);
      } else if (at(i, "<")) {
        i = behind_angles(tokens_, i, span.end) - 1;
      } else if (at(i, "=")) {  // to the next declarator
        while (i + 1 < span.end && !at(i + 1, ",")) {
          ++i;
          if (at(i, "(") || at(i, "[") || at(i, "{")) i = close_of(i);
        }
      } else if (tokens_[i].identifier() && at(i + 1, "<")) {  // of "const int kMost<float> = 4;"
        const std::size_t behind = behind_angles(tokens_, i + 1, span.end);
        if (behind == span.end || at(behind, "=") || at(behind, "{"))
          declaration.names.push_back(tokens_[i].text);
      } else if (tokens_[i].identifier()) {
        const bool ends = i + 1 == span.end || at(i + 1, "=") || at(i + 1, ",") || at(i + 1, "[") ||
                          at(i + 1, "{") || at(i + 1, "(") || at(i + 1, ":");
        if (ends && !is_attribute(tokens_[i].text) && !is_cpp_word(std::string(tokens_[i].text)))
          declaration.names.push_back(tokens_[i].text);
      }
    }
  }

  const std::vector<Token>& tokens_;
  const std::set<std::string_view>& specifier_macros_;
  std::set<std::string_view> structural_macros_, function_macros_;
  int depth_ = 0;
};

}  // namespace

std::vector<Declaration> read_declarations(const TokenizedText& text,
                                           const std::set<std::string_view>& specifier_macros,
                                           const std::set<std::string_view>& scope_macros) {
  return Reader(text, specifier_macros, scope_macros).run();
}

bool is_value(const std::vector<Token>& tokens, const Declaration& member) {
  static const std::set<std::string_view> specifiers = {
      "static",  "constexpr", "const",  "inline",   "bool",     "char",     "short",   "int",
      "long",    "float",     "double", "unsigned", "signed",   "size_t",   "int8_t",  "int16_t",
      "int32_t", "int64_t",   "std",    "uint8_t",  "uint16_t", "uint32_t", "uint64_t"};
  if (member.kind == Kind::kEnum) return true;
  if (member.kind != Kind::kVariable || member.names.size() != 1) return false;
  bool constant = false, is_static = false, value = false;
  for (std::size_t i = member.whole.begin; i < member.whole.end; ++i) {
    const Token& token = tokens[i];
    if (token.is("(") || token.is("{") || token.is("[") || token.is("*") || token.is("&")) {
      if (!value || !token.is("*")) return false;
    }
    is_static = is_static || token.is("static");
    constant = constant || token.is("const") || token.is("constexpr");
    value = value || token.is("=");
    const bool own = token.is(member.names.front());
    if (!value && token.identifier() && !own && !specifiers.contains(token.text)) return false;
  }
  return is_static && constant && value;
}

}  // namespace kiln
