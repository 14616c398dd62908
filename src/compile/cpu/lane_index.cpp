#include "compile/cpu/lane_index.h"

#include <algorithm>
#include <array>

namespace kiln {
namespace {

constexpr std::array<std::string_view, 18> kCastWords = {
    "int",      "unsigned", "long",    "signed",    "size_t", "std",   "::",       "int32_t",   "int64_t",
    "uint32_t", "uint64_t", "ssize_t", "ptrdiff_t", "uint",   "ulong", "intptr_t", "uintptr_t", "const"};

/// Limit of brackets and casts around an index, and of words in a cast. Deeper ones are not recognised, so
/// the search takes the same time at each token.
constexpr int kDeepest = 8;

bool is_cast_word(const Token& token) {
  return std::find(kCastWords.begin(), kCastWords.end(), token.text) != kCastWords.end();
}

/// A recursive descent for one kind of expression. Each function moves `at_` past the tokens that it accepts,
/// or returns false and leaves it anywhere.
class SumMatcher {
 public:
  SumMatcher(const std::vector<Token>& tokens, std::size_t begin) : tokens_(tokens), at_(begin) {}

  [[nodiscard]] bool sum() {
    const std::size_t begin = at_;
    if (product() && accept("+") && index("threadIdx")) return true;
    at_ = begin;
    return index("threadIdx") && accept("+") && product();
  }
  [[nodiscard]] std::size_t at() const { return at_; }

 private:
  [[nodiscard]] bool is(std::size_t i, std::string_view text) const {
    return i < tokens_.size() && tokens_[i].is(text);
  }

  bool accept(std::string_view text) {
    if (!is(at_, text)) return false;
    ++at_;
    return true;
  }

  /// blockIdx.x * blockDim.x, with or without brackets.
  bool product(int depth = 0) {
    if (depth > kDeepest) return false;
    const std::size_t begin = at_;
    if (factors("blockIdx", "blockDim")) return true;
    at_ = begin;
    if (factors("blockDim", "blockIdx")) return true;
    at_ = begin;
    return accept("(") && product(depth + 1) && accept(")");
  }

  bool factors(std::string_view left, std::string_view right) {
    return index(left) && accept("*") && index(right);
  }

  /// "name.x" with any casts and brackets around it.
  bool index(std::string_view name, int depth = 0) {
    if (depth > kDeepest) return false;
    const std::size_t begin = at_;
    if (accept(name)) return accept(".") && accept("x");
    if (accept("static_cast")) return accept("<") && type() && accept(">") && bracketed(name, depth);
    if (accept("(") && type() && accept(")")) return index(name, depth + 1);
    at_ = begin;
    static_cast<void>(type());
    return bracketed(name, depth);
  }

  bool bracketed(std::string_view name, int depth) {
    return accept("(") && index(name, depth + 1) && accept(")");
  }

  bool type() {
    const std::size_t begin = at_;
    while (at_ < tokens_.size() && at_ < begin + kDeepest && is_cast_word(tokens_[at_])) ++at_;
    return at_ > begin;
  }

  const std::vector<Token>& tokens_;
  std::size_t at_;
};

/// Whether an operator beside the sum would bind one of its ends more tightly, or change its type.
bool stands_alone(const std::vector<Token>& tokens, std::size_t begin, std::size_t end) {
  static constexpr std::array<std::string_view, 15> kBefore = {"*", "/", "%",  "+",  "-", ".", "->",    "!",
                                                               "~", "&", "++", "--", "]", ")", "sizeof"};
  static constexpr std::array<std::string_view, 9> kAfter = {"*", "/", "%", ".", "->", "[", "(", "++", "--"};
  const auto among = [](const auto& list, const Token& token) {
    return std::find(list.begin(), list.end(), token.text) != list.end();
  };
  if (begin > 0 && among(kBefore, tokens[begin - 1])) return false;
  // A cast to a type of the program: index_t(blockIdx.x) * ..., static_cast<index_t>(blockIdx.x) * ...
  const bool cast = begin > 0 && tokens[begin].is("(") && !tokens[begin - 1].is("return") &&
                    (tokens[begin - 1].identifier() || tokens[begin - 1].is(">"));
  if (cast) return false;
  return end >= tokens.size() || !among(kAfter, tokens[end]);
}

void mark(const std::vector<Token>& tokens, std::size_t from, std::vector<TextEdit>& edits) {
  for (std::size_t i = from; i < tokens.size(); ++i) {
    const std::size_t length = lane_index_length(tokens, i);
    if (length == 0 || !stands_alone(tokens, i, i + length)) continue;
    edits.push_back({tokens[i].offset, 0, "kiln_global_x("});
    edits.push_back({tokens[i + length - 1].end(), 0, ")"});
    i += length - 1;
  }
}

}  // namespace

std::size_t lane_index_length(const std::vector<Token>& tokens, std::size_t begin) {
  std::size_t inside = begin;
  while (inside < tokens.size() && inside <= begin + kDeepest && tokens[inside].is("(")) ++inside;
  if (inside > begin + kDeepest) return 0;
  SumMatcher matcher(tokens, begin);
  return matcher.sum() ? matcher.at() - begin : 0;
}

std::vector<TextEdit> mark_lane_indices(const Outline& text) {
  std::vector<TextEdit> edits;
  mark(text.source.tokens, 0, edits);
  for (const Directive& directive : text.source.directives) {
    if (directive.tokens.size() > 2 && directive.tokens[0].is("define")) mark(directive.tokens, 2, edits);
  }
  return edits;
}

}  // namespace kiln
