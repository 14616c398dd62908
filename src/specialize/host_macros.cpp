#include "specialize/host_macros.h"

#include <algorithm>

#include "specialize/host_names.h"
#include "workload/cpp_words.h"

namespace kiln {
namespace {

using Kind = Declaration::Kind;

class MacroCutter {
 public:
  MacroCutter(const ProgramItems& program, const ProgramFile& file, const Directive& directive)
      : program_(program), text_(file.original) {
    const std::vector<Token>& words = directive.tokens;
    std::size_t begin = 2;
    if (words.size() > 2 && words[2].is("(") && words[2].offset == words[1].end()) {
      begin = std::min(words[2].close + 1, words.size());
      for (std::size_t i = 3; i + 1 < begin; ++i) parameters_.insert(words[i].text);
    }
    for (std::size_t i = begin; i < words.size(); ++i) {
      body_.tokens.push_back(words[i]);
      body_.tokens.back().close = std::min(words[i].close, words.size()) - begin;
    }
  }

  std::vector<TextEdit> run() {
    if (names_host({0, body_.tokens.size()})) cut(read_declarations(body_));
    return std::move(edits_);
  }

 private:
  void cut(const std::vector<Declaration>& declarations) {
    for (const Declaration& one : declarations) {
      if (one.kind == Kind::kClass || one.kind == Kind::kScope) cut(one.members);
      if (one.kind == Kind::kFunction && is_function(one) && names_host(one.whole) && !may_have_mark(one))
        edits_.push_back(without(one.whole));
    }
  }

  [[nodiscard]] bool names_host(TokenSpan span) const {
    for (std::size_t i = span.begin; i < span.end; ++i) {
      if (names_host_only(body_.tokens, i)) return true;
    }
    return false;
  }

  /// Whether it has the form of one: `if (x) {...}` and `else f(x) {...}` have not.
  [[nodiscard]] bool is_function(const Declaration& one) const {
    const std::size_t open = one.parameters.begin;  // behind "("
    if (one.names.empty() || open < one.whole.begin + 3) return false;
    const bool statement = std::any_of(body_.tokens.begin() + static_cast<std::ptrdiff_t>(one.whole.begin),
                                       body_.tokens.begin() + static_cast<std::ptrdiff_t>(open),
                                       [](const Token& token) { return is_word_of_statement(token.text); });
    return !statement && body_.tokens[one.whole.begin].identifier();
  }

  [[nodiscard]] static bool is_word_of_statement(std::string_view word) {
    static const Names words = {"if",     "else", "for",    "while", "do",
                                "switch", "case", "return", "try",   "catch"};
    return words.contains(word);
  }

  [[nodiscard]] bool may_have_mark(const Declaration& one) const {
    for (std::size_t i = one.whole.begin; i < one.parameters.begin; ++i) {
      const Token& token = body_.tokens[i];
      if (program_.marks_device(token) || parameters_.contains(token.text)) return true;
    }
    return false;
  }

  /// Blanks, and the continuations of the lines.
  [[nodiscard]] TextEdit without(TokenSpan span) const {
    const std::size_t begin = body_.tokens[span.begin].offset, end = body_.tokens[span.end - 1].end();
    TextEdit edit{begin, end - begin, ""};
    for (std::size_t at = begin; at < end;) {
      const std::size_t length = std::min(continuation_length(text_.substr(at)), end - at);
      edit.replacement += text_.substr(at, length);
      at += std::max<std::size_t>(length, 1);
    }
    return edit;
  }

  const ProgramItems& program_;
  std::string_view text_;
  Names parameters_;
  TokenizedText body_;
  std::vector<TextEdit> edits_;
};

}  // namespace

std::vector<TextEdit> without_host_functions_of_macros(const ProgramItems& program, std::size_t text) {
  const ProgramFile& file = program.files[text];
  std::vector<TextEdit> edits;
  for (const Directive& directive : file.source.directives) {
    if (directive.tokens.size() < 3 || !directive.tokens[0].is("define")) continue;
    std::vector<TextEdit> of_macro = MacroCutter(program, file, directive).run();
    edits.insert(edits.end(), of_macro.begin(), of_macro.end());
  }
  return edits;
}

}  // namespace kiln
