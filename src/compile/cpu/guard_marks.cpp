#include "compile/cpu/guard_marks.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string>

#include "compile/cpu/lane_index.h"

namespace kiln {
namespace {

using Names = std::set<std::string_view>;

constexpr std::array<std::string_view, 23> kIndexTypeWords = {
    "const",   "constexpr", "int",      "unsigned", "long",    "signed",   "auto",     "size_t",
    "int32_t", "int64_t",   "uint32_t", "uint64_t", "ssize_t", "std",      "::",       "ptrdiff_t",
    "uint",    "ulong",     "kiln",     "uint32",   "uint64",  "intptr_t", "uintptr_t"};

bool is_type_word(std::string_view word) {
  return std::find(kIndexTypeWords.begin(), kIndexTypeWords.end(), word) != kIndexTypeWords.end();
}

class GuardMarker {
 public:
  GuardMarker(const Outline& text, TokenRange body, const Names& macros)
      : tokens_(text.source.tokens), at_(body.begin), end_(body.end), macros_(macros) {}

  std::vector<TextEdit> run() {
    while (at_ < end_) {
      if (is(at_, "if")) {
        if (!guard()) break;
        if (whole_body_) break;
      } else if (!declaration()) {
        break;
      }
    }
    finish();
    return std::move(edits_);
  }

 private:
  [[nodiscard]] bool is(std::size_t i, std::string_view text) const {
    return i < end_ && tokens_[i].is(text);
  }

  /// "int i = ..., j = ...;" whose initializers have no effect. Collects the names that follow threadIdx.x.
  bool declaration() {
    std::size_t i = at_;
    while (i < end_ && is_type_word(tokens_[i].text)) ++i;
    if (i == at_) return false;
    while (i < end_) {
      if (!tokens_[i].identifier() || !is(i + 1, "=")) return false;
      const std::string_view name = tokens_[i].text;
      std::size_t close = i + 2;
      while (close < end_ && !is(close, ";") && !is(close, ",")) {
        close = is(close, "(") ? matching_close(tokens_, close) + 1 : close + 1;
      }
      if (close >= end_ || !pure({i + 2, close})) return false;
      if (is_lane_index({i + 2, close})) {
        lane_indices_.insert(name);
      } else if (varies({i + 2, close})) {
        lane_values_.insert(name);
      }
      if (is(close, ";")) {
        at_ = close + 1;
        return true;
      }
      i = close + 1;
    }
    return false;
  }

  /// "if (...) return;", or "if (...) ..." as the whole rest of the body.
  bool guard() {
    if (!is(at_ + 1, "(")) return false;
    const std::size_t close = matching_close(tokens_, at_ + 1);
    if (close >= end_) return false;
    const TokenRange condition{at_ + 2, close};
    std::size_t after = close + 1;
    const bool braced = is(after, "{");
    if (braced) ++after;
    if (is(after, "return") && is(after + 1, ";") && (!braced || is(after + 2, "}"))) {
      after += braced ? 3 : 2;
      Mark mark{condition, true, {}};
      if (is(after, "else") || !neighbours(mark)) return false;
      marks_.push_back(std::move(mark));
      at_ = after;
      return true;
    }
    Mark mark{condition, false, {}};
    if (!ends_body(close + 1) || !neighbours(mark)) return false;
    marks_.push_back(std::move(mark));
    whole_body_ = true;
    return true;
  }

  /// Whether the statement at `i` is the last one of the body.
  [[nodiscard]] bool ends_body(std::size_t i) const {
    if (is(i, "{")) return matching_close(tokens_, i) + 1 == end_;
    if (is(i, "if") || is(i, "for") || is(i, "while") || is(i, "do") || is(i, "switch")) return false;
    while (i < end_ && !is(i, ";")) {
      if (is(i, "{")) return false;
      i = is(i, "(") ? matching_close(tokens_, i) + 1 : i + 1;
    }
    return i + 1 == end_;
  }

  struct Mark {
    TokenRange condition;
    bool leaves;                     ///< the work-item leaves if the condition holds
    std::vector<TokenRange> shared;  ///< terms with one value for the whole row
  };

  /// Whether each term of the condition, joined by a single operator, bounds the row of work-items at one
  /// side.
  bool neighbours(Mark& mark) const {
    const TokenRange condition = mark.condition;
    const std::string_view joiner = mark.leaves ? "||" : "&&";
    if (!pure(condition)) return false;
    std::size_t begin = condition.begin;
    for (std::size_t i = condition.begin; i <= condition.end; ++i) {
      if (i < condition.end && is(i, "(")) {
        i = matching_close(tokens_, i);
        continue;
      }
      if (i < condition.end && (is(i, "||") || is(i, "&&")) && !is(i, joiner)) return false;
      if (i < condition.end && !is(i, joiner)) continue;
      const TokenRange term{begin, i};
      if (!bounds(term, mark.leaves)) return false;
      if (!varies(term)) mark.shared.push_back(term);
      begin = i + 1;
    }
    return true;
  }

  /// One comparison. `leaves`: the work-item leaves if it holds.
  [[nodiscard]] bool bounds(TokenRange term, bool leaves) const {
    while (is(term.begin, "(") && matching_close(tokens_, term.begin) + 1 == term.end) {
      ++term.begin;
      --term.end;
    }
    if (!varies(term)) return true;
    std::optional<std::size_t> comparison;
    for (std::size_t i = term.begin; i < term.end; ++i) {
      if (is(i, "(")) i = matching_close(tokens_, i);
      if (is(i, "<") || is(i, ">") || is(i, "<=") || is(i, ">=") || is(i, "==") || is(i, "!=")) {
        if (comparison) return false;
        comparison = i;
      }
      if (is(i, "?") || is(i, "!") || is(i, "&") || is(i, "|") || is(i, "^")) return false;
    }
    if (!comparison) return false;
    const TokenRange left{term.begin, *comparison}, right{*comparison + 1, term.end};
    const bool index_left = is_index_name(left) && !varies(right);
    const bool index_right = is_index_name(right) && !varies(left);
    if (!index_left && !index_right) return false;
    const std::string_view sign = tokens_[*comparison].text;
    if (sign != "==" && sign != "!=") return true;
    // An index is never negative, so only a comparison with 0 cuts off an end.
    const TokenRange other = index_left ? right : left;
    return (sign == "==") == leaves && other.end == other.begin + 1 && is(other.begin, "0");
  }

  [[nodiscard]] bool is_index_name(TokenRange range) const {
    if (range.end == range.begin + 3 && is_thread_index(range.begin)) return true;
    return range.end == range.begin + 1 && lane_indices_.count(tokens_[range.begin].text) != 0;
  }

  [[nodiscard]] bool is_thread_index(std::size_t i) const {
    return is(i, "threadIdx") && is(i + 1, ".") && is(i + 2, "x");
  }

  /// blockIdx.x * blockDim.x + threadIdx.x in its forms, threadIdx.x, or kiln::global_index_x(), with or
  /// without a cast.
  [[nodiscard]] bool is_lane_index(TokenRange range, int depth = 0) const {
    constexpr int kDeepest = 8;  // number of nested brackets and casts
    if (depth > kDeepest) return false;
    if (range.begin + lane_index_length(tokens_, range.begin) == range.end) return true;
    std::size_t i = range.begin;
    if (is(i, "kiln") && is(i + 1, "::")) i += 2;
    if (is(i, "global_index_x") && is(i + 1, "(") && is(i + 2, ")")) return i + 3 == range.end;
    if (is_thread_index(range.begin)) return range.begin + 3 == range.end;
    if (is(range.begin, "static_cast") && is(range.begin + 1, "<") && is(range.end - 1, ")")) {
      for (i = range.begin + 2; i < range.end && is_type_word(tokens_[i].text); ++i) {
      }
      return is(i, ">") && is(i + 1, "(") && is_lane_index({i + 2, range.end - 1}, depth + 1);
    }
    if (is(range.begin, "(")) {
      const std::size_t close = matching_close(tokens_, range.begin);
      if (close + 1 == range.end) return is_lane_index({range.begin + 1, close}, depth + 1);
      for (i = range.begin + 1; i < close; ++i) {
        if (!is_type_word(tokens_[i].text)) return false;
      }
      return is_lane_index({close + 1, range.end}, depth + 1);
    }
    return false;
  }

  /// Whether the value may differ between the work-items of a row.
  [[nodiscard]] bool varies(TokenRange range) const {
    for (std::size_t i = range.begin; i < range.end; ++i) {
      const std::string_view word = tokens_[i].text;
      if (word == "threadIdx" && !(is(i + 1, ".") && (is(i + 2, "y") || is(i + 2, "z")))) return true;
      if (word == "global_index_x" || lane_indices_.count(word) != 0 || lane_values_.count(word) != 0)
        return true;
    }
    return false;
  }

  /// Arithmetic on names and numbers: no assignment, no memory access, and calls only of functions that are
  /// known to have no effect.
  [[nodiscard]] bool pure(TokenRange range) const {
    for (std::size_t i = range.begin; i < range.end; ++i) {
      const Token& token = tokens_[i];
      const std::string_view word = token.text;
      if (macros_.count(word) != 0) return false;
      if (token.kind == Token::Kind::kString || token.kind == Token::Kind::kCharacter) return false;
      if (word == "[" || word == "{" || word == "->" || word == "++" || word == "--" || word == "=")
        return false;
      if (word.size() == 2 && word[1] == '=' && word != "==" && word != "!=" && word != "<=" && word != ">=")
        return false;
      const bool operand_before = i > range.begin && (tokens_[i - 1].identifier() || tokens_[i - 1].is(")") ||
                                                      tokens_[i - 1].kind == Token::Kind::kNumber);
      if ((word == "*" || word == "&") && !operand_before) return false;
      if (word == "(" && i > range.begin && tokens_[i - 1].identifier() &&
          !harmless_call(tokens_[i - 1].text))
        return false;
    }
    return true;
  }

  static bool harmless_call(std::string_view name) {
    return is_type_word(name) || name == "min" || name == "max" || name == "global_index_x" ||
           name == "global_index_y" || name == "global_index_z";
  }

  void finish() {
    for (std::size_t m = 0; m < marks_.size(); ++m) {
      const Mark& mark = marks_[m];
      const std::string call = m + 1 == marks_.size() ? "kiln_last_guard(" : "kiln_guard(";
      const std::string open = mark.leaves ? "!" + call + "!(" : call + "(";
      edits_.push_back({tokens_[mark.condition.begin].offset, 0, open});
      edits_.push_back({tokens_[mark.condition.end - 1].end(), 0, "), " + shared_part(mark) + ")"});
    }
  }

  /// The part of a guard with the terms that the whole row shares.
  [[nodiscard]] std::string shared_part(const Mark& mark) const {
    if (mark.shared.empty()) return "true";
    std::string text;
    for (const TokenRange& term : mark.shared) {
      if (!text.empty()) text += mark.leaves ? " || " : " && ";
      text += "(";
      for (std::size_t i = term.begin; i < term.end; ++i) {
        // ">>" is two tokens that touch
        if (i > term.begin && tokens_[i].offset > tokens_[i - 1].end()) text += ' ';
        text += tokens_[i].text;
      }
      text += ")";
    }
    return mark.leaves ? "!(" + text + ")" : text;
  }

  const std::vector<Token>& tokens_;
  std::size_t at_;
  std::size_t end_;
  const Names& macros_;
  Names lane_indices_;  ///< grow by one from each work-item of a row to the next, and are never negative
  Names lane_values_;   ///< differ between work-items in another way
  std::vector<Mark> marks_;
  bool whole_body_ = false;
  std::vector<TextEdit> edits_;
};

}  // namespace

std::vector<TextEdit> mark_guards(const Outline& text, const DefinitionOutline& kernel,
                                  const std::set<std::string_view>& macros) {
  if (kernel.body.begin == kernel.body.end) return {};
  const std::size_t open = text.source.tokens[kernel.head.begin].offset;
  const std::size_t close = text.source.tokens[kernel.body.end - 1].offset;
  for (const Directive& directive : text.source.directives) {
    const bool inside = directive.offset > open && directive.offset < close;
    const bool conditional = !directive.tokens.empty() && directive.tokens[0].text.substr(0, 2) == "if";
    if (inside && conditional) return {};
  }
  return GuardMarker(text, kernel.body, macros).run();
}

void collect_macros(const Outline& text, std::set<std::string_view>& macros) {
  for (const Directive& directive : text.source.directives) {
    const std::vector<Token>& tokens = directive.tokens;
    if (tokens.size() < 2 || !tokens[0].is("define")) continue;
    const bool names =
        std::any_of(tokens.begin() + 2, tokens.end(), [](const Token& t) { return t.identifier(); });
    if (names || is_type_word(tokens[1].text)) macros.insert(tokens[1].text);
  }
}

}  // namespace kiln
