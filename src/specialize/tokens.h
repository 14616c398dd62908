#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace kiln {

/// A token of C++ source text, as far as Kiln needs to tell them apart.
struct Token {
  enum class Kind { kIdentifier, kNumber, kString, kCharacter, kPunctuation };
  Kind kind = Kind::kPunctuation;
  std::string_view text;   ///< part of the tokenized text, which must outlive it
  std::size_t offset = 0;  ///< in bytes
  int line = 1;
  /// For an opening bracket: index of the token that closes it, in the same list; else the list's size.
  /// Brackets that #else branches open and do not close do not count.
  std::size_t close = 0;

  [[nodiscard]] std::size_t end() const { return offset + text.size(); }
  [[nodiscard]] bool is(std::string_view expected) const { return text == expected; }
  [[nodiscard]] bool identifier() const { return kind == Kind::kIdentifier; }
};

/// A preprocessor line with its continuations: "#" is left out, `tokens[0]` is the directive's name.
struct Directive {
  std::vector<Token> tokens;
  std::size_t offset = 0;  ///< of the "#"
};

/// A half-open range of token indices.
struct TokenSpan {
  std::size_t begin = 0;
  std::size_t end = 0;

  [[nodiscard]] bool empty() const { return begin >= end; }
};

struct TokenizedText {
  std::vector<Token> tokens;  ///< those outside preprocessor lines
  std::vector<Directive> directives;
};

/// Splits `text` without expanding macros or evaluating conditionals; comments vanish. Never fails: text that
/// is not C++ gives tokens that mean nothing, and the compiler will say so.
[[nodiscard]] TokenizedText tokenize(std::string_view text);

/// The bytes of a "\\" that continues a line, with its line end; 0 if `text` begins otherwise. Blanks may
/// stand in front of the line end, as compilers accept it.
[[nodiscard]] std::size_t continuation_length(std::string_view text);

/// Whether it may stand in an identifier or a number.
[[nodiscard]] bool continues_identifier(char c);

/// Adds a token's text. A blank separates two words, also a string and a word, and signs that would become
/// one token ("- -1") or a comment ("a / *b").
void append_token(std::string& text, std::string_view token);

/// Tokens as text, as append_token joins them.
[[nodiscard]] std::string text_of(const std::vector<Token>& tokens, TokenSpan span);

/// The parts of a span between commas outside of brackets; with `angles`, angle brackets are brackets.
[[nodiscard]] std::vector<TokenSpan> parts_of(const std::vector<Token>& tokens, TokenSpan span, bool angles);

/// "Vec<float, 3>" and "n" of "Vec<float, 3>, n".
[[nodiscard]] std::vector<std::string> split_at_commas(std::string_view text, bool angles);

/// Index behind the angle bracket that closes the one at `open`, or `end`, also for more than 256 that are
/// open. Parentheses and brackets are skipped.
[[nodiscard]] std::size_t behind_angles(const std::vector<Token>& tokens, std::size_t open, std::size_t end);

/// Behind the arguments of a template whose angle bracket is at `i`, as in `Lanes<T, 4>::value` and
/// `Size<int, 4>{}`; 0 where a less-than sign or no sign at all is.
[[nodiscard]] std::size_t behind_template_arguments(const std::vector<Token>& tokens, std::size_t i,
                                                    std::size_t end);

/// The parts of a call's arguments, which are expressions: only angle brackets of template arguments count.
[[nodiscard]] std::vector<TokenSpan> parts_of_call(const std::vector<Token>& tokens, TokenSpan span);

/// A replacement of `length` bytes at `offset`.
struct TextEdit {
  std::size_t offset = 0;
  std::size_t length = 0;
  std::string replacement;
};

/// Applies edits that do not overlap, in any order. Line numbers are kept: newlines that a replacement loses
/// are added at its end.
[[nodiscard]] std::string apply_edits(std::string_view text, std::vector<TextEdit> edits);

}  // namespace kiln
