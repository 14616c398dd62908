#include "specialize/allocations.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <vector>

namespace kiln {
namespace {

constexpr int kDeepestName = 8;

bool opens(const Token& token) {
  return token.is("(") || token.is("[") || token.is("{");
}

/// "x" of "(void**)&x" and of "&x".
std::string pointer_of(const std::vector<Token>& tokens, TokenSpan span) {
  const bool has_form =
      span.end >= span.begin + 2 && tokens[span.end - 1].identifier() && tokens[span.end - 2].is("&");
  return has_form ? std::string(tokens[span.end - 1].text) : "";
}

}  // namespace

std::map<std::string, std::string> find_allocations(const TokenizedText& text) {
  static const std::set<std::string_view> functions = {"cudaMalloc", "cudaMallocManaged", "hipMalloc",
                                                       "hipMallocManaged"};
  const std::vector<Token>& tokens = text.tokens;
  std::map<std::string, std::string> found;
  std::set<std::string> unclear;
  for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
    if (!functions.contains(tokens[i].text) || !tokens[i + 1].is("(")) continue;
    const std::size_t close = tokens[i + 1].close;
    if (close >= tokens.size()) continue;
    const std::vector<TokenSpan> arguments = parts_of(tokens, {i + 2, close}, false);
    if (arguments.size() < 2) continue;
    const std::string name = pointer_of(tokens, arguments[0]);
    if (name.empty()) continue;
    const std::string bytes = text_of(tokens, arguments[1]);
    if (!found.emplace(name, bytes).second && found[name] != bytes) unclear.insert(name);
  }
  for (const std::string& name : unclear) found.erase(name);
  return found;
}

AllocatedElements allocated_elements(const std::string& bytes,
                                     const std::map<std::string, std::string>& constants) {
  std::string text = bytes;
  for (int depth = 0; depth < kDeepestName; ++depth) {
    const auto constant = constants.find(text);
    if (constant == constants.end()) break;
    text = constant->second;
  }
  const TokenizedText source = tokenize(text);
  const std::vector<Token>& tokens = source.tokens;
  std::size_t begin = 0, end = tokens.size();
  while (end > begin + 1 && tokens[begin].is("(") && tokens[begin].close + 1 == end) ++begin, --end;
  AllocatedElements result;
  std::size_t at = end;
  for (std::size_t i = begin; i < end; ++i) {
    if (tokens[i].is("sizeof")) {
      const bool once = at == end && i + 1 < end && tokens[i + 1].is("(") && tokens[i + 1].close < end;
      if (!once || (i > begin && !tokens[i - 1].is("*"))) return {};
      at = i++;
    } else if (tokens[i].is("+") || tokens[i].is("-")) {
      return {};
    }
    if (opens(tokens[i])) i = std::min(tokens[i].close, end - 1);
  }
  if (at == end) return {};
  const std::size_t behind = tokens[at + 1].close + 1;
  result.type = text_of(tokens, {at + 2, behind - 1});
  if (at == begin) {  // sizeof(T) * n
    if (behind == end) {
      result.count = "1";
    } else if (tokens[behind].is("*")) {
      result.count = text_of(tokens, {behind + 1, end});
    }
  } else {  // n * sizeof(T), n * sizeof(T) * m
    result.count = text_of(tokens, {begin, at - 1}) + text_of(tokens, {behind, end});
  }
  return result;
}

}  // namespace kiln
