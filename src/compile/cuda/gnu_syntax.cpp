#include "compile/cuda/gnu_syntax.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <vector>

#include "specialize/declarations.h"
#include "specialize/tokens.h"

namespace kiln {
namespace {

using Names = std::set<std::string, std::less<>>;

/// Whether an expression is of numbers, `sizeof` and `constants`.
bool is_constant(const std::vector<Token>& tokens, TokenSpan span, const Names& constants) {
  static constexpr std::string_view kSigns = "+-*/%()<>";
  for (std::size_t i = span.begin; i < span.end; ++i) {
    if (tokens[i].is("sizeof")) {
      if (!tokens[i + 1].is("(") || tokens[i + 1].close >= span.end) return false;
      i = tokens[i + 1].close;
    } else if (tokens[i].identifier() ? !constants.contains(tokens[i].text)
                                      : tokens[i].kind != Token::Kind::kNumber &&
                                            kSigns.find(tokens[i].text) == std::string_view::npos) {
      return false;
    }
  }
  return !span.empty();
}

class Rewriter {
 public:
  Rewriter(const std::string& text, const Names& constants)
      : text_(text), constants_of_sizes_(constants), source_(tokenize(text)) {}

  std::string run() {
    rewrite(source_.tokens, 0);
    if (text_.find("const") != std::string::npos) rewrite_constants(read_declarations(source_));
    for (const Directive& directive : source_.directives) {
      const std::vector<Token>& words = directive.tokens;
      if (words.size() < 3 || !words[0].is("define")) continue;
      const bool function_like = words[2].is("(") && words[2].offset == words[1].end();
      rewrite(words, function_like ? words[2].close + 1 : 2);
    }
    join_lines();
    return edits_.empty() ? text_ : apply_edits(text_, std::move(edits_));
  }

 private:
  /// `begin`: of a macro's replacement.
  void rewrite(const std::vector<Token>& tokens, std::size_t begin) {
    for (std::size_t i = begin; i + 1 < tokens.size(); ++i) {
      if (tokens[i].kind == Token::Kind::kString && tokens[i + 1].offset == tokens[i].end() &&
          tokens[i + 1].text.starts_with("__"))
        edits_.push_back({tokens[i].end(), 0, " "});  // extern "C"__global__
      if (tokens[i].is("[") && tokens[i].close + 1 < tokens.size()) drop_marks_of_lambda(tokens, i);
      const bool allocates = tokens[i].is("alloca") || tokens[i].is("__builtin_alloca");
      if (allocates && begin == 0 && tokens[i + 1].is("(")) keep_memory_of_constant_size(i);
      if (tokens[i].is("__typeof__") || tokens[i].is("__typeof") || tokens[i].is("typeof")) {
        if (tokens[i + 1].is("(")) replace(tokens[i], "decltype");
      } else if (tokens[i].is("(") && tokens[i].close < tokens.size()) {
        if (is_statement_expression(tokens, i, begin)) {
          rewrite_statements(tokens, i);
        } else if (is_compound_literal(tokens, i, begin)) {
          replace(tokens[i], "");
          replace(tokens[tokens[i].close], "");
        }
      }
    }
  }

  /// `[=] __device__(int i) { ... }`: a lambda of device code is for the device.
  void drop_marks_of_lambda(const std::vector<Token>& tokens, std::size_t open) {
    if (tokens[open + 1].is("[") || (open > 0 && tokens[open - 1].is("["))) return;  // an attribute
    for (std::size_t i = tokens[open].close + 1; i < tokens.size(); ++i) {
      if (!tokens[i].is("__device__") && !tokens[i].is("__host__")) return;
      replace(tokens[i], "");
    }
  }

  /// `float* t = (float*)alloca(64 * sizeof(float));`, the call at `call`: where the size is a constant, the
  /// memory is an array, as in nvcc. The driver reserves an array, and little for other memory.
  void keep_memory_of_constant_size(std::size_t call) {
    const std::vector<Token>& tokens = source_.tokens;
    const std::size_t close = tokens[call + 1].close, begin = declaration_of_pointer(call);
    if (close >= tokens.size() || begin == call) return;
    if (!is_constant(tokens, {call + 2, close}, constants_of_sizes_)) return;
    const std::string size = text_of(tokens, {call + 2, close});
    const std::string array = "kiln_memory_" + std::to_string(call);
    edits_.push_back({tokens[begin].offset, 0, "alignas(16) unsigned char " + array + "[" + size + "]; "});
    edits_.push_back({tokens[call].offset, tokens[close].end() - tokens[call].offset,
                      "static_cast<void*>(" + array + ")"});
  }

  /// Where the statement around `at` begins, if it declares a pointer with a value; else `at`.
  [[nodiscard]] std::size_t declaration_of_pointer(std::size_t at) const {
    const std::vector<Token>& tokens = source_.tokens;
    std::size_t begin = at, equals = at;
    while (begin > 0 && !tokens[begin - 1].is(";") && !tokens[begin - 1].is("{") &&
           !tokens[begin - 1].is("}")) {
      --begin;
      if (tokens[begin].is("=")) equals = begin;
    }
    for (std::size_t i = begin; i < equals; ++i) {
      if (!tokens[i].identifier() && !tokens[i].is("*") && !tokens[i].is("::")) return at;
    }
    const bool pointer = equals > begin + 1 && equals < at && tokens[equals - 1].identifier() &&
                         (tokens[equals - 2].is("*") || tokens[equals - 2].is("auto"));
    return pointer && begin > 0 ? begin : at;
  }

  /// Constants of float and double at namespace scope, which nvcc gives to device code as numbers.
  void rewrite_constants(const std::vector<Declaration>& declarations) {
    for (const Declaration& declaration : declarations) {
      if (declaration.kind == Declaration::Kind::kScope) rewrite_constants(declaration.members);
      if (declaration.kind == Declaration::Kind::kVariable) rewrite_constant(declaration.whole);
    }
  }

  /// `static const float a = 2.5f * b;`
  void rewrite_constant(TokenSpan whole) {
    const std::vector<Token>& tokens = source_.tokens;
    std::size_t i = whole.begin, written = whole.end;
    bool real = false, number = false, known = false;
    for (; i + 1 < whole.end && !tokens[i + 1].is("="); ++i) {
      const Token& token = tokens[i];
      const bool is_real = token.is("float") || token.is("double");
      if (token.is("const")) written = i;
      known = known || token.is("constexpr");
      real = real || is_real;
      number = number || is_real || token.is("int") || token.is("unsigned") || token.is("long") ||
               token.is("size_t");
      if (token.kind != Token::Kind::kIdentifier || token.text.starts_with("__") || token.is("extern"))
        return;
    }
    if (i + 3 >= whole.end || !number || (written == whole.end && !known)) return;
    for (std::size_t at = i + 2; at + 1 < whole.end; ++at) {
      const Token& token = tokens[at];
      const bool sign =
          token.is("+") || token.is("-") || token.is("*") || token.is("/") || token.is("(") || token.is(")");
      const bool name =
          token.identifier() && (constants_.contains(token.text) || token.text.starts_with("M_"));
      if (!sign && !name && token.kind != Token::Kind::kNumber) return;
    }
    constants_.insert(tokens[i].text);
    if (real && !known) replace(tokens[written], "constexpr");
  }

  /// NVRTC wants a line end right behind the backslash that continues a line; nvcc's preprocessor allows
  /// blanks.
  void join_lines() {
    for (std::size_t at = text_.find('\\'); at != std::string::npos; at = text_.find('\\', at + 1)) {
      const std::size_t length = continuation_length(std::string_view(text_).substr(at));
      if (length > 2) edits_.push_back({at + 1, length - 2, ""});
    }
  }

  void replace(const Token& token, std::string with) {
    edits_.push_back({token.offset, token.text.size(), std::move(with)});
  }

  /// "({ a; b; })", which is no argument of a call.
  static bool is_statement_expression(const std::vector<Token>& tokens, std::size_t open, std::size_t begin) {
    const std::size_t brace = open + 1;
    if (!tokens[brace].is("{") || tokens[brace].close + 1 != tokens[open].close) return false;
    const bool called = open > begin && ((tokens[open - 1].identifier() && !tokens[open - 1].is("return")) ||
                                         tokens[open - 1].is(">") || tokens[open - 1].is(")"));
    return !called && std::any_of(tokens.begin() + static_cast<std::ptrdiff_t>(brace),
                                  tokens.begin() + static_cast<std::ptrdiff_t>(tokens[brace].close),
                                  [](const Token& token) { return token.is(";"); });
  }

  /// "({ a; b; c; })" as "([&]{ a; b; return c; }())".
  void rewrite_statements(const std::vector<Token>& tokens, std::size_t open) {
    const std::size_t brace = open + 1, end = tokens[brace].close;
    std::size_t last = brace + 1;  // begin of the last statement
    for (std::size_t i = brace + 1; i + 1 < end; ++i) {
      if (tokens[i].is("(") || tokens[i].is("[") || tokens[i].is("{")) {
        i = std::min(tokens[i].close, end);
        if (i + 1 < end && tokens[i].is("}")) last = i + 1;
      } else if (tokens[i].is(";")) {
        last = i + 1;
      }
    }
    if (last >= end) return;
    replace(tokens[brace], "[&]{");
    edits_.push_back({tokens[last].offset, 0, "return "});
    replace(tokens[end], "}()");
  }

  static bool is_word_of_type(const Token& token) {
    for (const char* word : {"unsigned", "signed", "long", "short", "const", "struct"}) {
      if (token.is(word)) return true;
    }
    return false;
  }

  /// "(float2){" behind an operator, a bracket or `return`.
  static bool is_compound_literal(const std::vector<Token>& tokens, std::size_t open, std::size_t begin) {
    const std::size_t close = tokens[open].close;
    if (close == open + 1 || close + 1 >= tokens.size() || !tokens[close + 1].is("{")) return false;
    for (std::size_t i = open + 1; i < close; ++i) {
      const bool of_type = tokens[i].identifier() || tokens[i].is("::") || tokens[i].is("<") ||
                           tokens[i].is(">") || tokens[i].is(",") || tokens[i].kind == Token::Kind::kNumber;
      const bool two_words = i > open + 1 && tokens[i].identifier() && tokens[i - 1].identifier();
      const bool of_several = two_words && (is_word_of_type(tokens[i - 1]) || is_word_of_type(tokens[i]));
      if (!of_type || (two_words && !of_several)) return false;  // "(float2 a)" are parameters
    }
    if (open == begin) return begin > 0;  // all of a macro
    const Token& before = tokens[open - 1];
    if (before.is("return")) return true;
    if (open > begin + 1 && tokens[open - 2].is("operator")) return false;
    const bool is_operator = before.is("=") || before.is("(") || before.is(",") || before.is("{") ||
                             before.is("+") || before.is("-") || before.is("*") || before.is("/") ||
                             before.is("?") || before.is(":");
    return is_operator;
  }

  const std::string& text_;
  const Names& constants_of_sizes_;
  TokenizedText source_;
  std::vector<TextEdit> edits_;
  std::set<std::string_view> constants_;  // at namespace scope, so far
};

}  // namespace

std::string without_gnu_syntax(const std::string& text, const Names& constants) {
  return Rewriter(text, constants).run();
}

Names constants_for_sizes(const std::vector<std::string_view>& texts) {
  Names names, others;
  if (std::none_of(texts.begin(), texts.end(),
                   [](std::string_view text) { return text.find("alloca") != std::string_view::npos; }))
    return names;
  std::vector<TokenizedText> sources;
  for (const std::string_view text : texts) sources.push_back(tokenize(text));
  for (const TokenizedText& source : sources) {
    const std::vector<Token>& tokens = source.tokens;
    for (std::size_t i = 2; i + 1 < tokens.size(); ++i) {
      const bool value = i + 2 < tokens.size() && tokens[i + 1].is("=");
      const bool number =
          value && (tokens[i - 2].is("constexpr") ||
                    (tokens[i - 2].is("const") && tokens[i + 2].kind == Token::Kind::kNumber));
      if (number && tokens[i].identifier()) names.emplace(tokens[i].text);
      if (!tokens[i - 2].is("template") || !tokens[i - 1].is("<")) continue;
      for (const TokenSpan& part :
           parts_of(tokens, {i, behind_angles(tokens, i - 1, tokens.size()) - 1}, true)) {
        const bool type = part.empty() || tokens[part.begin].is("typename") || tokens[part.begin].is("class");
        std::size_t last = part.begin;
        while (last + 1 < part.end && !tokens[last + 1].is("=")) ++last;
        if (!type && last > part.begin && tokens[last].identifier()) names.emplace(tokens[last].text);
      }
    }
  }
  constexpr int kDeepestMacro = 4;  // macros of macros
  for (int round = 0; round < kDeepestMacro; ++round) {
    for (const TokenizedText& source : sources) {
      for (const Directive& directive : source.directives) {
        const std::vector<Token>& words = directive.tokens;
        if (words.size() < 3 || !words[0].is("define")) continue;
        if (is_constant(words, {2, words.size()}, names))
          names.emplace(words[1].text);
        else
          others.emplace(words[1].text);
      }
    }
    for (const std::string& name : others) names.erase(name);
    others.clear();
  }
  return names;
}

}  // namespace kiln
