#include "specialize/allocations.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

namespace kiln {
namespace {

constexpr int kDeepestName = 8;

bool opens(const Token& token) {
  return token.is("(") || token.is("[") || token.is("{");
}

/// "x" of "&x", "(void**)&x" and "reinterpret_cast<void**>(&x)".
std::string pointer_of(const std::vector<Token>& tokens, TokenSpan span) {
  for (std::size_t i = span.begin; i < span.end; ++i) {
    if (!tokens[i].is("(") || tokens[i].close + 1 != span.end) continue;
    span = {i + 1, span.end - 1};
    break;
  }
  const bool has_form =
      span.end >= span.begin + 2 && tokens[span.end - 1].identifier() && tokens[span.end - 2].is("&");
  return has_form ? std::string(tokens[span.end - 1].text) : "";
}

/// `device_vector<T> name(n, value)`, from the token of the type's name: its parts.
struct DeviceVector {
  std::string name, type;
  std::vector<std::string> arguments;
};
std::optional<DeviceVector> device_vector_at(const std::vector<Token>& tokens, std::size_t i) {
  if (!tokens[i].is("device_vector") || i + 1 >= tokens.size() || !tokens[i + 1].is("<")) return std::nullopt;
  const std::size_t name = behind_angles(tokens, i + 1, tokens.size());
  if (name + 1 >= tokens.size() || !tokens[name].identifier()) return std::nullopt;
  const Token& open = tokens[name + 1];
  if (!(open.is("(") || open.is("{")) || open.close >= tokens.size()) return std::nullopt;
  DeviceVector vector = {std::string(tokens[name].text), text_of(tokens, {i + 2, name - 1}), {}};
  for (const TokenSpan& part : parts_of(tokens, {name + 2, open.close}, false))
    vector.arguments.push_back(text_of(tokens, part));
  return vector;
}

/// `cudaMemcpy(...)` at the token of its name: the arguments.
std::vector<TokenSpan> arguments_at(const std::vector<Token>& tokens, std::size_t i) {
  if (i + 1 >= tokens.size() || !tokens[i + 1].is("(") || tokens[i + 1].close >= tokens.size()) return {};
  return parts_of(tokens, {i + 2, tokens[i + 1].close}, false);
}

}  // namespace

std::string pointer_name(const std::string& expression) {
  const TokenizedText source = tokenize(expression);
  const std::vector<Token>& tokens = source.tokens;
  const auto at = [&](std::size_t i, std::string_view text) {
    return i < tokens.size() && tokens[i].is(text);
  };
  TokenSpan span = {0, tokens.size()};
  for (bool found = true; found && span.end > span.begin + 1;) {
    found = false;
    const std::size_t last = span.end - 1;
    std::size_t name = span.begin;
    while (at(name, "::") || at(name + 1, "::")) ++name;
    const std::size_t open = at(name + 1, "<") ? behind_angles(tokens, name + 1, span.end) : name + 1;
    const bool casts =
        at(name, "raw_pointer_cast") || at(name, "reinterpret_cast") || at(name, "static_cast");
    const std::size_t close = opens(tokens[span.begin]) ? tokens[span.begin].close : last;
    if (casts && at(open, "(") && tokens[open].close == last) {
      span = {open + 1, last};
      found = true;
    } else if (at(span.begin, "(") && close > span.begin + 1 && close < last && at(close - 1, "*")) {
      span.begin = close + 1;
      found = true;
    } else if (span.end > span.begin + 4 && at(last, ")") && at(last - 1, "(") && at(last - 3, ".") &&
               (at(last - 2, "data") || at(last - 2, "get") || at(last - 2, "begin"))) {
      span.end -= 4;
      found = true;
    } else if (span.end == span.begin + 5 && at(span.begin, "&") && at(span.begin + 2, "[") &&
               at(span.begin + 3, "0")) {
      span = {span.begin + 1, span.begin + 2};
      found = true;
    }
  }
  const bool one = span.end == span.begin + 1 && tokens[span.begin].identifier();
  return one ? std::string(tokens[span.begin].text) : expression;
}

namespace {

/// The number that `name` has in front of a token: "0" of `int name = 0;` and of `name = 0;`.
std::string number_before(const std::vector<Token>& tokens, std::size_t end, std::string_view name) {
  constexpr std::size_t kFarthest = 2000;
  for (std::size_t i = end; i > 3 && i + kFarthest > end; --i) {
    if (!tokens[i - 3].is(name) || !tokens[i - 2].is("=")) continue;
    return tokens[i - 1].kind == Token::Kind::kNumber ? std::string(tokens[i - 1].text) : "";
  }
  return "";
}

}  // namespace

DeviceContent find_device_content(const TokenizedText& text) {
  static const std::set<std::string_view> copies = {"cudaMemcpy",     "cudaMemcpyAsync", "hipMemcpy",
                                                    "hipMemcpyAsync", "cudaMemcpy2D",    "hipMemcpy2D"};
  static const std::set<std::string_view> fills = {"cudaMemset", "cudaMemsetAsync", "hipMemset",
                                                   "hipMemsetAsync"};
  const std::vector<Token>& tokens = text.tokens;
  DeviceContent data;
  const auto name_of = [&](TokenSpan span) { return pointer_name(text_of(tokens, span)); };
  for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
    if (tokens[i].text.ends_with("MallocManaged")) data.managed = true;
    if (copies.contains(tokens[i].text)) {
      const std::vector<TokenSpan> arguments = arguments_at(tokens, i);
      const bool back = std::any_of(arguments.begin(), arguments.end(), [&](TokenSpan span) {
        return tokens[span.begin].text.ends_with("DeviceToHost");
      });
      if (arguments.size() < 3 || back) continue;
      const TokenSpan from = arguments[1];
      const bool of_one = from.end == from.begin + 2 && tokens[from.begin].is("&");
      const std::string number = of_one ? number_before(tokens, i, tokens[from.begin + 1].text) : "";
      if (number.empty())
        data.copied.insert(name_of(arguments[0]));
      else
        data.filled.emplace(name_of(arguments[0]), number);
    } else if (tokens[i].is("*") && i > 0 && i + 4 < tokens.size() && tokens[i + 2].is("=") &&
               tokens[i + 3].kind == Token::Kind::kNumber && tokens[i + 4].is(";") &&
               (tokens[i - 1].is(";") || tokens[i - 1].is("{") || tokens[i - 1].is("}"))) {
      data.filled.emplace(tokens[i + 1].text, tokens[i + 3].text);  // `*sum = 0;`
    } else if (fills.contains(tokens[i].text)) {
      const std::vector<TokenSpan> arguments = arguments_at(tokens, i);
      if (arguments.size() < 3) continue;
      const std::string byte = text_of(tokens, arguments[1]);
      if (byte == "-1" || byte == "0xff" || byte == "0xFF" || byte == "255")
        data.filled.emplace(name_of(arguments[0]), "-1");
      else if (byte.find_first_of("123456789") == std::string::npos)
        data.filled.emplace(name_of(arguments[0]), "0");
      else
        data.copied.insert(name_of(arguments[0]));
    } else if (const auto vector = device_vector_at(tokens, i)) {
      if (vector->arguments.size() == 2)
        data.filled.emplace(vector->name, vector->arguments[1]);
      else
        data.copied.insert(vector->name);  // by `=`
    }
  }
  return data;
}

std::map<std::string, std::string> find_allocations(const TokenizedText& text) {
  static const std::set<std::string_view> functions = {"cudaMalloc", "cudaMallocManaged", "hipMalloc",
                                                       "hipMallocManaged"};
  const std::vector<Token>& tokens = text.tokens;
  std::map<std::string, std::string> found;
  std::set<std::string> unclear;
  for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
    if (const auto vector = device_vector_at(tokens, i); vector && !vector->arguments.empty()) {
      const std::string bytes = "(" + vector->arguments[0] + ")*sizeof(" + vector->type + ")";
      if (!found.emplace(vector->name, bytes).second && found[vector->name] != bytes)
        unclear.insert(vector->name);
    }
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
