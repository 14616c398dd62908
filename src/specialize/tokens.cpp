#include "specialize/tokens.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>

namespace kiln {
namespace {

bool starts_identifier(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$';
}

/// A raw string's delimiter has at most 16 characters.
constexpr std::size_t kLongestRawDelimiter = 16;

// ">" and "<" stay single, because they may close or open template arguments.
constexpr std::array<std::string_view, 21> kLongPunctuation = {
    "...", "::", "->", "++", "--", "+=", "-=", "*=", "/=", "%=", "&=",
    "|=",  "^=", "==", "!=", "<=", ">=", "&&", "||", "##", ".*"};

/// Pairs the brackets of a token list. Each branch of a conditional begins with the brackets that are open at
/// its #if; behind its #endif those count that the first branch leaves open, `#if 0` left out.
class BracketPairing {
 public:
  explicit BracketPairing(std::vector<Token>& tokens)
      : tokens_(tokens), outer_(tokens.size(), tokens.size()) {
    open_ = tokens.size();
  }

  void run(const std::vector<Directive>& directives) {
    auto directive = directives.begin();
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      for (; directive != directives.end() && directive->offset < tokens_[i].offset; ++directive)
        branch(*directive);
      bracket(i);
    }
  }

 private:
  struct Conditional {
    std::size_t open_before;
    std::optional<std::size_t> open_after;  ///< position in the first branch that counts
    bool never;                             ///< the current branch is not compiled
  };

  void bracket(std::size_t i) {
    Token& token = tokens_[i];
    token.close = tokens_.size();
    if (token.is("(") || token.is("[") || token.is("{")) {
      outer_[i] = open_;
      open_ = i;
    } else if (open_ < tokens_.size() && (token.is(")") || token.is("]") || token.is("}"))) {
      if (tokens_[open_].close == tokens_.size()) tokens_[open_].close = i;
      open_ = outer_[open_];
    }
  }

  void branch(const Directive& directive) {
    const std::vector<Token>& words = directive.tokens;
    if (words.empty()) return;
    if (words[0].is("if") || words[0].is("ifdef") || words[0].is("ifndef")) {
      open_conditionals_.push_back({open_, {}, words.size() == 2 && words[1].is("0")});
      if (open_conditionals_.back().never) open_ = tokens_.size();  // its brackets are its own
    } else if (!open_conditionals_.empty()) {
      Conditional& conditional = open_conditionals_.back();
      const bool ends = words[0].is("endif");
      if (!ends && !words[0].is("else") && !words[0].is("elif")) return;
      if (!conditional.open_after && !conditional.never) conditional.open_after = open_;
      conditional.never = false;
      open_ = ends ? conditional.open_after.value_or(conditional.open_before) : conditional.open_before;
      if (ends) open_conditionals_.pop_back();
    }
  }

  std::vector<Token>& tokens_;
  std::vector<std::size_t> outer_;  // for each open bracket: the enclosing one
  std::size_t open_;                // the innermost open bracket; none: the list's size
  std::vector<Conditional> open_conditionals_;
};

void pair_brackets(std::vector<Token>& tokens, const std::vector<Directive>& directives) {
  BracketPairing(tokens).run(directives);
}

class Tokenizer {
 public:
  explicit Tokenizer(std::string_view text) : text_(text) {}

  TokenizedText run() {
    constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
    if (text_.starts_with(kByteOrderMark)) at_ = kByteOrderMark.size();
    while (skip_blanks()) {
      if (at_line_start_ && text_[at_] == '#') {
        open_directive();
        continue;
      }
      at_line_start_ = false;
      const Token token = next_token();
      (in_directive_ ? result_.directives.back().tokens : result_.tokens).push_back(token);
    }
    pair_brackets(result_.tokens, result_.directives);
    for (Directive& directive : result_.directives) pair_brackets(directive.tokens, {});
    return std::move(result_);
  }

 private:
  [[nodiscard]] char peek(std::size_t ahead) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }

  void open_directive() {
    result_.directives.push_back({{}, at_});
    in_directive_ = true;
    at_line_start_ = false;
    ++at_;
  }

  /// Skips blanks, comments and line ends; false at the end of the text.
  bool skip_blanks() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '\n') {
        ++line_;
        ++at_;
        at_line_start_ = true;
        in_directive_ = false;
      } else if (const std::size_t length = continuation_length(text_.substr(at_)); length > 0) {
        at_ += length;
        ++line_;
      } else if (std::isspace(static_cast<unsigned char>(c)) != 0) {
        ++at_;
      } else if (c == '/' && peek(1) == '/') {
        skip_line_comment();
      } else if (c == '/' && peek(1) == '*') {
        advance_to(find_after("*/", at_ + 2));
      } else {
        return true;
      }
    }
    return false;
  }

  void skip_line_comment() {
    while (at_ < text_.size() && text_[at_] != '\n') {
      const std::size_t length = continuation_length(text_.substr(at_));
      if (length > 0) ++line_;
      at_ += std::max<std::size_t>(length, 1);
    }
  }

  [[nodiscard]] std::size_t find_after(std::string_view what, std::size_t from) const {
    const std::size_t found = text_.find(what, from);
    return found == std::string_view::npos ? text_.size() : found + what.size();
  }

  void advance_to(std::size_t end) {
    line_ += static_cast<int>(std::count(text_.begin() + static_cast<std::ptrdiff_t>(at_),
                                         text_.begin() + static_cast<std::ptrdiff_t>(end), '\n'));
    at_ = end;
  }

  Token next_token() {
    Token token;
    token.offset = at_;
    token.line = line_;
    token.kind = classify();
    token.text = text_.substr(token.offset, at_ - token.offset);
    return token;
  }

  /// Moves past one token and returns its kind.
  Token::Kind classify() {
    const char c = text_[at_];
    if (starts_identifier(c)) {
      const std::size_t begin = at_;
      while (at_ < text_.size() && continues_identifier(text_[at_])) ++at_;
      return after_identifier(text_.substr(begin, at_ - begin));
    }
    if (std::isdigit(static_cast<unsigned char>(c)) != 0 ||
        (c == '.' && std::isdigit(static_cast<unsigned char>(peek(1))) != 0)) {
      skip_number();
      return Token::Kind::kNumber;
    }
    if (c == '"' || c == '\'') {
      skip_quoted(c);
      return c == '"' ? Token::Kind::kString : Token::Kind::kCharacter;
    }
    for (const std::string_view punctuation : kLongPunctuation) {
      if (text_.substr(at_, punctuation.size()) == punctuation) {
        at_ += punctuation.size();
        return Token::Kind::kPunctuation;
      }
    }
    ++at_;
    return Token::Kind::kPunctuation;
  }

  /// An identifier may turn out to be the prefix of a literal: u8"...", R"x(...)x", L'a'.
  Token::Kind after_identifier(std::string_view name) {
    const bool raw = name == "R" || name == "LR" || name == "uR" || name == "UR" || name == "u8R";
    const bool prefix = name == "L" || name == "u" || name == "U" || name == "u8";
    if (raw && peek(0) == '"') {
      const std::size_t length = text_.substr(at_, kLongestRawDelimiter + 2).find('(');
      if (length == std::string_view::npos) return Token::Kind::kIdentifier;
      const std::size_t open = at_ + length;
      const std::string close = ")" + std::string(text_.substr(at_ + 1, open - at_ - 1)) + "\"";
      advance_to(find_after(close, open));
      return Token::Kind::kString;
    }
    if (prefix && (peek(0) == '"' || peek(0) == '\'')) {
      const char quote = peek(0);
      skip_quoted(quote);
      return quote == '"' ? Token::Kind::kString : Token::Kind::kCharacter;
    }
    return Token::Kind::kIdentifier;
  }

  void skip_number() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      const char before = text_[at_ - (at_ > 0 ? 1 : 0)];
      const bool sign =
          (c == '+' || c == '-') && (before == 'e' || before == 'E' || before == 'p' || before == 'P');
      const bool separator = c == '\'' && continues_identifier(peek(1));
      if (!continues_identifier(c) && c != '.' && !sign && !separator) return;
      ++at_;
    }
  }

  void skip_quoted(char quote) {
    ++at_;
    while (at_ < text_.size() && text_[at_] != quote && text_[at_] != '\n') {
      at_ += text_[at_] == '\\' && at_ + 1 < text_.size() ? 2 : 1;
    }
    if (at_ < text_.size() && text_[at_] == quote) ++at_;
    at_ = std::min(at_, text_.size());
  }

  std::string_view text_;
  TokenizedText result_;
  std::size_t at_ = 0;
  int line_ = 1;
  bool at_line_start_ = true;
  bool in_directive_ = false;
};

}  // namespace

bool continues_identifier(char c) {
  return starts_identifier(c) || std::isdigit(static_cast<unsigned char>(c)) != 0;
}

std::size_t continuation_length(std::string_view text) {
  if (!text.starts_with('\\')) return 0;
  const std::size_t end = text.find_first_not_of(" \t\v\f\r", 1);
  return end != std::string_view::npos && text[end] == '\n' ? end + 1 : 0;
}

TokenizedText tokenize(std::string_view text) {
  return Tokenizer(text).run();
}

namespace {

/// Whether a text ends with a number, "0x1E".
bool ends_with_number(std::string_view text) {
  std::size_t begin = text.size();
  while (begin > 0 && (continues_identifier(text[begin - 1]) || text[begin - 1] == '.')) --begin;
  return begin < text.size() && std::isdigit(static_cast<unsigned char>(text[begin])) != 0;
}

}  // namespace

void append_token(std::string& text, std::string_view token) {
  if (token.empty()) return;
  const char last = text.empty() ? ' ' : text.back(), first = token.front();
  const bool words =
      (continues_identifier(last) || last == '"' || last == '\'') && continues_identifier(first);
  const bool sign = first == '-' || first == '+';
  const bool exponent = sign && std::string_view("eEpP").find(last) != std::string_view::npos;
  const bool signs =
      (last == first && (sign || first == ':')) || ((exponent || first == '.') && ends_with_number(text));
  const bool comment = last == '/' && (first == '*' || first == '/');
  if (words || signs || comment) text += ' ';
  text += token;
}

std::string text_of(const std::vector<Token>& tokens, TokenSpan span) {
  std::string text;
  for (std::size_t i = span.begin; i < span.end; ++i) append_token(text, tokens[i].text);
  return text;
}

std::vector<TokenSpan> parts_of(const std::vector<Token>& tokens, TokenSpan span, bool angles) {
  std::vector<TokenSpan> parts;
  std::size_t begin = span.begin;
  int depth = 0;
  for (std::size_t i = span.begin; i < span.end; ++i) {
    const Token& token = tokens[i];
    if (token.is("(") || token.is("[") || token.is("{")) {
      i = std::min(token.close, span.end);
    } else if (angles && token.is("<")) {
      ++depth;
    } else if (angles && token.is(">")) {
      --depth;
    } else if (token.is(",") && depth <= 0) {
      parts.push_back({begin, i});
      begin = i + 1;
    }
  }
  if (begin < span.end) parts.push_back({begin, span.end});
  return parts;
}

std::vector<std::string> split_at_commas(std::string_view text, bool angles) {
  const TokenizedText source = tokenize(text);
  std::vector<std::string> parts;
  for (const TokenSpan& part : parts_of(source.tokens, {0, source.tokens.size()}, angles))
    parts.push_back(text_of(source.tokens, part));
  return parts;
}

std::size_t behind_angles(const std::vector<Token>& tokens, std::size_t open, std::size_t end) {
  constexpr int kDeepest = 256;  // signs of comparisons, "a < b < c", never end
  int depth = 0;
  for (std::size_t i = open; i < end; ++i) {
    const Token& token = tokens[i];
    if (token.is("(") || token.is("[") || token.is("{")) {
      if (token.close >= end) return end;
      i = token.close;
    } else if (token.is("<")) {
      if (++depth > kDeepest) return end;
    } else if (token.is(">") && --depth == 0) {
      return i + 1;
    } else if (token.is(";")) {
      return i;
    }
  }
  return end;
}

std::size_t behind_template_arguments(const std::vector<Token>& tokens, std::size_t i, std::size_t end) {
  if (i == 0 || i >= end || !tokens[i].is("<") || !tokens[i - 1].identifier()) return 0;
  for (std::size_t k = i + 1; k < end; ++k) {
    const Token& token = tokens[k];
    if (token.is(";") || token.is("&&") || token.is("||")) return 0;
    if (!token.is(">")) continue;
    const std::size_t behind = behind_angles(tokens, i, end);
    if (behind > end || !tokens[behind - 1].is(">")) return 0;
    const bool ends = behind == end || tokens[behind].is("::") || tokens[behind].is("(") ||
                      tokens[behind].is("{") || tokens[behind].is(";");
    return ends ? behind : 0;
  }
  return 0;
}

std::vector<TokenSpan> parts_of_call(const std::vector<Token>& tokens, TokenSpan span) {
  std::vector<TokenSpan> parts;
  std::size_t begin = span.begin;
  for (std::size_t i = span.begin; i < span.end; ++i) {
    if (const std::size_t behind = behind_template_arguments(tokens, i, span.end); behind != 0) {
      i = behind - 1;
    } else if (tokens[i].is("(") || tokens[i].is("[") || tokens[i].is("{")) {
      i = std::min(tokens[i].close, span.end);
    } else if (tokens[i].is(",")) {
      parts.push_back({begin, i});
      begin = i + 1;
    }
  }
  if (begin < span.end) parts.push_back({begin, span.end});
  return parts;
}

std::string apply_edits(std::string_view text, std::vector<TextEdit> edits) {
  std::stable_sort(edits.begin(), edits.end(),
                   [](const TextEdit& a, const TextEdit& b) { return a.offset < b.offset; });
  std::string result;
  result.reserve(text.size() + 16 * edits.size());
  std::size_t at = 0;
  for (const TextEdit& edit : edits) {
    result += text.substr(at, edit.offset - at);
    result += edit.replacement;
    const std::string_view replaced = text.substr(edit.offset, edit.length);
    const auto lost = std::count(replaced.begin(), replaced.end(), '\n') -
                      std::count(edit.replacement.begin(), edit.replacement.end(), '\n');
    if (lost > 0) result.append(static_cast<std::size_t>(lost), '\n');
    at = edit.offset + edit.length;
  }
  result += text.substr(at);
  return result;
}

}  // namespace kiln
