#include "compile/cpu/split/statements.h"

#include <algorithm>
#include <array>
#include <optional>

#include "compile/cpu/local_types.h"

namespace kiln::fission {
namespace {

using Kind = Statement::Kind;

/// Real texts are not nested deeper.
constexpr int kDeepestStatement = 200;

constexpr std::array<std::string_view, 26> kTypeWords = {
    "const", "constexpr", "volatile", "static", "register", "auto",   "unsigned",     "signed",    "int",
    "long",  "short",     "char",     "float",  "double",   "bool",   "void",         "struct",    "union",
    "enum",  "class",     "typename", "inline", "mutable",  "extern", "thread_local", "__shared__"};
/// Casts are among them: `reinterpret_cast<int4*>(&x)[0] = y` declares no array.
constexpr std::array<std::string_view, 19> kNoTypes = {
    "return",     "delete",       "throw",       "new",
    "sizeof",     "goto",         "case",        "else",
    "this",       "operator",     "co_yield",    "co_await",
    "co_return",  "default",      "static_cast", "reinterpret_cast",
    "const_cast", "dynamic_cast", "bit_cast"};

class Parser {
 public:
  /// Without `waits` the code is only looked at.
  Parser(const std::vector<Token>& tokens, TokenRange body, const std::function<bool(std::size_t)>& waits)
      : tokens_(tokens), waits_(waits), at_(body.begin), end_(body.end) {}

  std::unique_ptr<Statement> body() {
    auto block = start(Kind::kBlock);
    while (at_ < end_) add(*block, statement());
    return finish(std::move(block));
  }

 private:
  [[nodiscard]] bool is(std::size_t i, std::string_view text) const {
    return i < end_ && tokens_[i].is(text);
  }
  [[nodiscard]] std::unique_ptr<Statement> start(Kind kind) const {
    auto result = std::make_unique<Statement>();
    result->kind = kind;
    result->range.begin = at_;
    return result;
  }
  std::unique_ptr<Statement> finish(std::unique_ptr<Statement> statement) const {
    statement->range.end = at_;
    return statement;
  }
  [[noreturn]] void fail(const std::string& what) const { throw Trouble{what, std::min(at_, end_ - 1)}; }

  /// "int a = x, b[4];" becomes a statement for each name: a variable with one value for all work-items may
  /// stand apart from the rest.
  static void add(Statement& block, std::unique_ptr<Statement> statement) {
    if (statement->kind != Kind::kDeclaration || statement->declarators.size() < 2) {
      block.children.push_back(std::move(statement));
      return;
    }
    for (const Declarator& declarator : statement->declarators) {
      auto part = std::make_unique<Statement>();
      part->kind = statement->kind;
      part->range = declarator.range;
      part->specifiers = statement->specifiers;
      part->constant = statement->constant;
      part->declarators.push_back(declarator);
      block.children.push_back(std::move(part));
    }
  }

  void expect(std::string_view text) {
    if (!is(at_, text)) fail("a form of statement that Kiln does not know");
    ++at_;
  }

  /// The range between the brackets at `at_`; moves past them.
  TokenRange bracketed() {
    if (!is(at_, "(")) fail("a form of statement that Kiln does not know");
    const std::size_t close = matching_close(tokens_, at_);
    if (close >= end_) fail("brackets that do not match");
    const TokenRange inside{at_ + 1, close};
    at_ = close + 1;
    return inside;
  }

  /// The next ";" outside of brackets.
  [[nodiscard]] std::size_t semicolon(std::size_t i, std::size_t end) const {
    while (i < end && !tokens_[i].is(";")) {
      const bool opens = tokens_[i].is("(") || tokens_[i].is("[") || tokens_[i].is("{");
      i = opens ? matching_close(tokens_, i) + 1 : i + 1;
    }
    return std::min(i, end);
  }

  std::unique_ptr<Statement> statement() {
    if (++depth_ > kDeepestStatement) fail("statements nested too deeply");
    auto result = any_statement();
    --depth_;
    return result;
  }

  std::unique_ptr<Statement> any_statement() {
    if (is(at_, "{")) return block();
    if (is(at_, ";")) {
      auto empty = start(Kind::kEmpty);
      ++at_;
      return finish(std::move(empty));
    }
    if (is(at_, "if")) return if_statement();
    if (is(at_, "for")) return for_statement();
    if (is(at_, "while")) return while_statement();
    if (is(at_, "do")) return do_statement();
    if (is(at_, "switch")) return switch_statement();
    if (is(at_, "break") || is(at_, "continue")) {
      auto result = start(is(at_, "break") ? Kind::kBreak : Kind::kContinue);
      ++at_;
      expect(";");
      return finish(std::move(result));
    }
    if (is(at_, "return")) {
      auto result = start(Kind::kReturn);
      ++at_;
      result->condition = {at_, semicolon(at_, end_)};
      at_ = result->condition.end;
      expect(";");
      return finish(std::move(result));
    }
    if (is(at_, "goto") || (tokens_[at_].identifier() && is(at_ + 1, ":") && !is(at_ + 2, ":"))) fail("goto");
    if ((is(at_, "asm") || is(at_, "__asm__")) && waits_) fail("asm");
    if (is(at_, "try")) fail("try");
    return simple();
  }

  void pass_braces() {
    if (!is(at_, "{")) fail("a form of statement that Kiln does not know");
    at_ = matching_close(tokens_, at_);
    if (at_ >= end_) fail("brackets that do not match");
    ++at_;
  }

  std::unique_ptr<Statement> switch_statement() {
    auto result = start(Kind::kOpaque);
    ++at_;
    result->condition = bracketed();
    const std::size_t open = at_;
    pass_braces();
    const std::size_t after = at_;
    bool waits = !waits_;
    for (std::size_t i = open; i < after; ++i) waits = waits || waits_(i);
    if (waits && !declares(result->condition)) {
      at_ = open + 1;
      if (sections(*result, after - 1)) {
        result->kind = Kind::kSwitch;
      } else {
        result->children.clear();
        result->labels.clear();
      }
      at_ = after;
    }
    return finish(std::move(result));
  }

  /// The cases of a switch up to `close`; false if one falls through to the next or `break` stands in a part
  /// of one.
  bool sections(Statement& result, std::size_t close) {
    while (at_ < close) {
      std::vector<TokenRange> labels;
      while (is(at_, "case") || is(at_, "default")) {
        const std::size_t first = is(at_, "default") ? at_ + 1 : ++at_;
        while (at_ < close && !is(at_, ":")) {
          if (is(at_, "?")) return false;
          at_ = is(at_, "(") ? matching_close(tokens_, at_) + 1 : at_ + 1;
        }
        labels.push_back({std::min(first, at_), at_});
        ++at_;
      }
      if (labels.empty()) return false;
      auto section = start(Kind::kBlock);
      while (at_ < close && !is(at_, "case") && !is(at_, "default")) add(*section, statement());
      section = finish(std::move(section));
      const bool last = at_ >= close;
      if (waits_ && ((!drop_break(*section) && !last) || breaks(*section))) return false;
      result.children.push_back(std::move(section));
      result.labels.push_back(std::move(labels));
    }
    return true;
  }

  /// Removes the "break" that ends a list; false if no jump ends it.
  static bool drop_break(Statement& list) {
    if (list.children.empty()) return false;
    Statement& last = *list.children.back();
    if (last.kind == Kind::kBlock) return drop_break(last);
    if (last.kind == Kind::kBreak)
      list.children.pop_back();
    else
      return last.kind == Kind::kReturn || last.kind == Kind::kContinue;
    return true;
  }

  static bool breaks(const Statement& statement) {
    if (statement.kind == Kind::kBreak) return true;
    return !statement.loop() && statement.kind != Kind::kSwitch &&
           std::any_of(statement.children.begin(), statement.children.end(),
                       [](const auto& child) { return breaks(*child); });
  }

  std::unique_ptr<Statement> block() {
    auto result = start(Kind::kBlock);
    const std::size_t close = matching_close(tokens_, at_);
    if (close >= end_) fail("brackets that do not match");
    ++at_;
    while (at_ < close) add(*result, statement());
    ++at_;
    return finish(std::move(result));
  }

  std::unique_ptr<Statement> if_statement() {
    auto result = start(Kind::kIf);
    ++at_;
    if (is(at_, "constexpr")) {
      result->constant = true;
      ++at_;
    }
    result->condition = bracketed();
    if (semicolon(result->condition.begin, result->condition.end) != result->condition.end ||
        declares(result->condition))
      fail("a declaration in a condition");
    result->children.push_back(statement());
    if (is(at_, "else")) {
      ++at_;
      result->children.push_back(statement());
    }
    return finish(std::move(result));
  }

  std::unique_ptr<Statement> for_statement() {
    auto result = start(Kind::kFor);
    ++at_;
    const TokenRange head = bracketed();
    const std::size_t after = at_;
    const std::size_t first = semicolon(head.begin, head.end);
    if (first == head.end) {  // range-based
      result->kind = waits_ ? Kind::kOpaque : Kind::kWhile;
      auto body = statement();
      if (!waits_) result->children.push_back(std::move(body));
      return finish(std::move(result));
    }
    at_ = head.begin;
    result->children.push_back(statement());  // with its ";"
    const std::size_t second = semicolon(first + 1, head.end);
    if (at_ != first + 1 || second == head.end) fail("a form of loop that Kiln does not know");
    result->condition = {first + 1, second};
    result->step = {second + 1, head.end};
    at_ = after;
    result->children.push_back(statement());
    return finish(std::move(result));
  }

  std::unique_ptr<Statement> while_statement() {
    auto result = start(Kind::kWhile);
    ++at_;
    result->condition = bracketed();
    if (declares(result->condition)) fail("a declaration in a condition");
    result->children.push_back(statement());
    return finish(std::move(result));
  }

  std::unique_ptr<Statement> do_statement() {
    auto result = start(Kind::kDo);
    ++at_;
    result->children.push_back(statement());
    expect("while");
    result->condition = bracketed();
    expect(";");
    return finish(std::move(result));
  }

  /// Whether a condition declares a variable, which has to have a value there; "a & b" does not.
  [[nodiscard]] bool declares(TokenRange range) const {
    const std::size_t name = declared_name(range.begin, range.end);
    return name + 1 < range.end && (is(name + 1, "=") || is(name + 1, "{"));
  }

  /// A declaration or an expression.
  std::unique_ptr<Statement> simple() {
    const std::size_t end = semicolon(at_, end_);
    if (end >= end_) fail("a form of statement that Kiln does not know");
    auto result = start(Kind::kExpression);
    const auto type = defined_type(end);
    if (waits_ && type && type->close + 1 < end)  // of a variable, which is each work-item's
      throw Trouble{"a declaration of a variable that defines the variable's type", at_};
    if (waits_ && type && type->name.empty() &&
        is(at_, "union"))  // its members share the memory of each work-item
      throw Trouble{"a union without a name", at_};
    if (is(at_, "using") || is(at_, "typedef") || is(at_, "static_assert") || is(at_, "namespace") || type) {
      result->kind = Kind::kScopeDeclaration;
    } else if (const std::size_t close = shared_type_end(end); close < end) {
      result->kind = Kind::kScopeDeclaration;
      result->is_shared = true;
      result->specifiers = {at_, close + 1};
      for (const TokenRange part : split_commas(tokens_, {close + 1, end}, true))
        result->declarators.push_back(declarator(part));
    } else if (declared_name(at_, end) < end) {
      declaration(*result, end);
    }
    at_ = end + 1;
    return finish(std::move(result));
  }

  /// Of "struct X { ... };"; "const" and its like may come before.
  [[nodiscard]] std::optional<TypeDefinition> defined_type(std::size_t end) const {
    std::size_t i = at_;
    while (is(i, "const") || is(i, "volatile") || is(i, "static") || is(i, "constexpr")) ++i;
    return type_definition(tokens_, i, end);
  }

  /// The "}" of "__shared__ union { ... } name;", or `end`.
  [[nodiscard]] std::size_t shared_type_end(std::size_t end) const {
    bool shared = false, type = false;
    for (std::size_t i = at_; i < end && !is(i, "=") && !is(i, ";"); ++i) {
      shared = shared || is(i, "__shared__");
      type = type || is(i, "struct") || is(i, "union") || is(i, "class");
      if (is(i, "(") || is(i, "[")) i = tokens_[i].close;  // of an attribute
      if (i < end && is(i, "{")) return shared && type && tokens_[i].close + 1 < end ? tokens_[i].close : end;
    }
    return end;
  }

  /// The index after one "name", "ns::name<arguments>::type" or "decltype(...)"; `i` itself if there is none.
  [[nodiscard]] std::size_t after_type_name(std::size_t i, std::size_t end) const {
    const std::size_t begin = i;
    if (is(i, "decltype") || is(i, "alignas") || is(i, "__attribute__"))
      return is(i + 1, "(") ? std::min(matching_close(tokens_, i + 1) + 1, end) : begin;
    if (is(i, "::")) ++i;
    for (;;) {
      if (i >= end || !tokens_[i].identifier() || among(kNoTypes, tokens_[i].text)) return begin;
      ++i;
      if (is(i, "<")) i = after_template_arguments(tokens_, i, end);
      if (!is(i, "::")) return i;
      ++i;
      if (is(i, "template")) ++i;
    }
  }

  [[nodiscard]] bool qualifier(std::size_t i) const {
    return is(i, "*") || is(i, "&") || is(i, "&&") || is(i, "const") || is(i, "volatile") ||
           is(i, "__restrict__") || is(i, "__restrict") || is(i, "restrict");
  }

  /// "(*p)[8]" or "(&r)[8]" at `i`, of a declaration.
  [[nodiscard]] bool points_to_array(std::size_t i, std::size_t end) const {
    return is(i, "(") && (is(i + 1, "*") || is(i + 1, "&")) && i + 4 < end && tokens_[i + 2].identifier() &&
           is(i + 3, ")") && is(i + 4, "[");
  }

  /// "(*f)(int)" at `i`, of a declaration; not the arguments of "f(*p, x)".
  [[nodiscard]] bool points_to_function(std::size_t i, std::size_t end) const {
    if (!is(i, "(") || !is(i + 1, "*")) return false;
    const std::size_t after = matching_close(tokens_, i) + 1;
    return after < end && is(after, "(");
  }

  /// Token of the first name that a declaration at `i` declares; `end` if it is an expression.
  [[nodiscard]] std::size_t declared_name(std::size_t i, std::size_t end) const {
    bool named = false;  // a type has been named
    while (i < end) {
      if (among(kTypeWords, tokens_[i].text)) {
        if (!is(i, "const") && !is(i, "constexpr") && !is(i, "static") && !is(i, "volatile") &&
            !is(i, "typename") && !is(i, "struct") && !is(i, "register") && !is(i, "__shared__") &&
            !is(i, "extern") && !is(i, "thread_local") && !is(i, "mutable") && !is(i, "inline"))
          named = true;
        ++i;
        continue;
      }
      if (is(i, "alignas") || is(i, "__attribute__")) {
        i = after_type_name(i, end);
        continue;
      }
      if (named) break;
      const std::size_t after = after_type_name(i, end);
      if (after == i) return end;
      named = true;
      i = after;
    }
    if (!named) return end;
    while (i < end && qualifier(i)) ++i;
    if (i >= end) return end;
    if (is(i, "[") && (is(i - 1, "auto") || is(i - 1, "&") || is(i - 1, "const"))) return i;  // auto [a, b]
    if (points_to_array(i, end) || points_to_function(i, end)) return i;
    if (!tokens_[i].identifier() || among(kNoTypes, tokens_[i].text)) return end;
    const std::size_t next = i + 1;
    const bool declares = next == end || is(next, "=") || is(next, ",") || is(next, "(") || is(next, "{") ||
                          is(next, "[") || is(next, ":") || is(next, "__attribute__");
    return declares ? i : end;
  }

  void declaration(Statement& result, std::size_t end) {
    result.kind = Kind::kDeclaration;
    std::size_t name = declared_name(at_, end);
    if (!tokens_[name].identifier() && !points_to_array(name, end))
      fail("a declaration of a form that Kiln does not know");
    std::size_t first = name;
    const auto of_declarator = [&](std::size_t i) {
      const bool after_pointer = is(i, "const") && i > at_ && qualifier(i - 1) && !is(i - 1, "const");
      return after_pointer || (qualifier(i) && !is(i, "const") && !is(i, "volatile"));
    };
    while (first > at_ && of_declarator(first - 1)) --first;
    result.specifiers = {at_, first};
    for (std::size_t i = at_; i < first; ++i) {
      if (is(i, "__shared__")) result.is_shared = true;
      if (is(i, "const") || is(i, "constexpr")) result.constant = true;
      if (is(i, "constexpr") || is(i, "static") || is(i, "extern") || is(i, "thread_local"))
        result.kind = Kind::kScopeDeclaration;
    }
    if (result.is_shared) result.kind = Kind::kScopeDeclaration;
    // A pointer to const is itself not constant.
    for (const TokenRange part : split_commas(tokens_, {first, end}, true)) {
      result.declarators.push_back(declarator(part));
      const Declarator& latest = result.declarators.back();
      if (latest.pointer) {
        bool constant = false;
        for (std::size_t i = latest.range.begin; i < latest.at; ++i) constant = constant || is(i, "const");
        if (!constant && result.kind != Kind::kScopeDeclaration) result.constant = false;
      }
    }
  }

  [[nodiscard]] Declarator declarator(TokenRange part) const {
    Declarator result;
    result.range = part;
    std::size_t i = part.begin;
    for (; i < part.end && qualifier(i); ++i) {
      result.pointer = result.pointer || is(i, "*");
      result.reference = result.reference || is(i, "&") || is(i, "&&");
    }
    const bool to_array = points_to_array(i, part.end);
    if (to_array) {
      (is(i + 1, "*") ? result.pointer : result.reference) = true;
      i += 2;
    }
    if (i >= part.end || !tokens_[i].identifier())
      throw Trouble{"a declaration of a form that Kiln does not know", part.begin};
    result.name = tokens_[i].text;
    result.at = i;
    i += to_array ? 2 : 1;
    while (i < part.end && is(i, "[")) {
      result.array = result.array || !to_array;
      i = matching_close(tokens_, i) + 1;
    }
    if (i >= part.end) return result;
    using Start = Declarator::Start;
    result.start = is(i, "=") ? Start::kEquals : is(i, "(") ? Start::kParentheses : Start::kBraces;
    if (result.start == Start::kEquals) {
      result.initializer = {i + 1, part.end};
    } else if ((is(i, "(") || is(i, "{")) && matching_close(tokens_, i) + 1 == part.end) {
      result.initializer = {i + 1, part.end - 1};
    } else {
      throw Trouble{"a declaration of a form that Kiln does not know", i};
    }
    return result;
  }

  const std::vector<Token>& tokens_;
  const std::function<bool(std::size_t)>& waits_;
  std::size_t at_;
  std::size_t end_;
  int depth_ = 0;
};

}  // namespace

ParsedBody parse_body(const std::vector<Token>& tokens, TokenRange body,
                      const std::function<bool(std::size_t)>& waits) {
  ParsedBody result;
  try {
    result.block = Parser(tokens, body, waits).body();
  } catch (const Trouble& trouble) {
    result.trouble = trouble.what;
    result.trouble_at = trouble.at;
  }
  return result;
}

ParsedBody read_body(const std::vector<Token>& tokens, TokenRange body) {
  return parse_body(tokens, body, nullptr);
}

}  // namespace kiln::fission
