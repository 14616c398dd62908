#include "compile/cpu/warp_steps.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

namespace kiln {
namespace {

using Names = std::set<std::string_view>;

/// `s[i] += value;`
struct Assignment {
  std::string_view array;
  TokenSpan value;
  std::size_t operation = 0;  ///< "=" or "+="
  std::size_t end = 0;        ///< the ";"
};

template <std::size_t N>
bool among(const std::array<std::string_view, N>& words, const Token& token) {
  return std::find(words.begin(), words.end(), token.text) != words.end();
}

/// The name that `volatile` at `at` declares as an array or a pointer; `volatile float* s`, `volatile T
/// s[32]`.
std::optional<std::string_view> declared(const std::vector<Token>& tokens, std::size_t at, std::size_t end) {
  bool pointer = false;
  for (std::size_t i = at + 1; i + 1 < end; ++i) {
    if (tokens[i].is("*")) {
      pointer = true;
    } else if (tokens[i].is("<")) {
      const std::size_t behind = behind_angles(tokens, i, end);
      if (behind <= i + 1 || behind >= end) return std::nullopt;
      i = behind - 1;
    } else if (!tokens[i].identifier() && !tokens[i].is("::")) {
      return std::nullopt;
    } else if (tokens[i].identifier()) {
      static constexpr std::array<std::string_view, 4> kAfterPointer = {"=", ",", ")", ";"};
      if (tokens[i + 1].is("[") && !tokens[i].is("volatile")) return tokens[i].text;
      if (pointer && among(kAfterPointer, tokens[i + 1])) return tokens[i].text;
    }
  }
  return std::nullopt;
}

void collect(const std::vector<Token>& tokens, TokenRange range, Names& names) {
  for (std::size_t i = range.begin; i < range.end; ++i) {
    if (!tokens[i].is("volatile")) continue;
    if (const auto name = declared(tokens, i, std::min(range.end + 1, tokens.size()))) names.insert(*name);
  }
}

bool reads(const std::vector<Token>& tokens, TokenSpan span, const Names& names) {
  for (std::size_t i = span.begin; i + 1 < span.end; ++i) {
    if (tokens[i + 1].is("[") && names.contains(tokens[i].text)) return true;
  }
  return false;
}

/// The assignment that is the statement at `at`.
std::optional<Assignment> assignment(const std::vector<Token>& tokens, std::size_t at, std::size_t end,
                                     const Names& names) {
  static constexpr std::array<std::string_view, 9> kOperations = {
      "=", "+=", "-=", "*=", "/=", "|=", "&=", "^=", "%="};
  if (!names.contains(tokens[at].text) || at + 1 >= end || !tokens[at + 1].is("[")) return std::nullopt;
  std::size_t i = at + 1;
  while (i < end && tokens[i].is("[") && tokens[i].close < end) i = tokens[i].close + 1;
  if (i >= end || !among(kOperations, tokens[i])) return std::nullopt;
  Assignment found{tokens[at].text, {i + 1, i + 1}, i, 0};
  while (found.value.end < end && !tokens[found.value.end].is(";")) {
    const Token& token = tokens[found.value.end];
    const bool opens = token.is("(") || token.is("[") || token.is("{");
    if (token.is(",") || token.is("}")) return std::nullopt;
    if (opens && token.close >= end) return std::nullopt;
    found.value.end = opens ? token.close + 1 : found.value.end + 1;
  }
  found.end = found.value.end;
  return found.end < end && !found.value.empty() ? std::optional(found) : std::nullopt;
}

/// The assignments to `names` that are statements of the body.
std::vector<std::pair<std::size_t, Assignment>> assignments(const std::vector<Token>& tokens, TokenRange body,
                                                            const Names& names) {
  static constexpr std::array<std::string_view, 6> kBefore = {";", "{", "}", ")", "else", ":"};
  std::vector<std::pair<std::size_t, Assignment>> found;
  for (std::size_t i = body.begin; i < body.end; ++i) {
    if (tokens[i].is("(") && tokens[i].close < body.end) {  // heads of loops and arguments
      i = tokens[i].close;
      continue;
    }
    if (i == 0 || !among(kBefore, tokens[i - 1])) continue;
    if (const auto one = assignment(tokens, i, body.end, names)) {
      found.emplace_back(i, *one);
      i = one->end;
    }
  }
  return found;
}

}  // namespace

std::vector<TextEdit> mark_warp_steps(const Outline& text) {
  const std::vector<Token>& tokens = text.source.tokens;
  Names everywhere;
  for (const DynamicSharedArray& array : text.dynamic_shared) {
    if (array.at_namespace_scope) collect(tokens, array.statement, everywhere);
  }
  std::vector<TextEdit> edits;
  for (const DefinitionOutline& definition : text.definitions) {
    if (definition.body.end >= tokens.size()) continue;
    Names names = everywhere;
    if (!definition.kernel && !definition.is_class) collect(tokens, definition.head, names);
    collect(tokens, definition.body, names);
    if (names.empty()) continue;
    const auto found = assignments(tokens, definition.body, names);
    Names stepped;
    for (const auto& [at, one] : found) {
      if (reads(tokens, one.value, {one.array})) stepped.insert(one.array);
    }
    for (const auto& [at, one] : found) {
      if (!stepped.contains(one.array)) continue;
      const std::size_t begin = tokens[at].offset;
      // The value comes first: the target moves behind it.
      edits.push_back({begin, tokens[one.operation].end() - begin, "{ const auto kiln_step ="});
      edits.push_back(
          {tokens[one.end].offset, 1,
           "; __syncwarp(); " + text_of(tokens, {at, one.operation + 1}) + " kiln_step; __syncwarp(); }"});
    }
  }
  return edits;
}

}  // namespace kiln
