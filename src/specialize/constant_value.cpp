#include "specialize/constant_value.h"

#include <charconv>
#include <string_view>
#include <utility>
#include <vector>

#include "specialize/tokens.h"

namespace kiln {
namespace {

/// NamedTexts that stand for others, and names that one value may look up: a text may be made to grow without
/// end.
constexpr int kDeepestCalls = 8;
constexpr int kMostSteps = 1000;
constexpr int kMostBrackets = 64;  // within each other, signs counted
constexpr std::int64_t kMost = std::int64_t{1} << 40;

using Value = std::optional<std::int64_t>;
using NameValues = std::function<Value(const std::string&)>;

Value bounded(Value value) {
  return value && *value <= kMost && *value >= -kMost ? value : Value();
}

Value product_of(std::int64_t a, std::int64_t b) {
  const bool fits = a == 0 || b == 0 || std::abs(a) <= kMost / std::abs(b);
  return fits ? Value(a * b) : Value();
}

/// A literal of C++: decimal, hexadecimal, octal or binary, with separators and suffixes.
Value number(std::string text) {
  while (!text.empty() && std::string_view("uUlLzZ").find(text.back()) != std::string_view::npos)
    text.pop_back();
  std::erase(text, '\'');
  int base = 10;
  std::string_view digits = text;
  const auto starts = [&](std::string_view lower, std::string_view upper) {
    return digits.starts_with(lower) || digits.starts_with(upper);
  };
  if (starts("0x", "0X") || starts("0b", "0B")) {
    base = starts("0x", "0X") ? 16 : 2;
    digits.remove_prefix(2);
  } else if (digits.size() > 1 && digits.front() == '0') {
    base = 8;
    digits.remove_prefix(1);
  }
  std::int64_t value = 0;
  const char* end = digits.data() + digits.size();
  const auto [last, error] = std::from_chars(digits.data(), end, value, base);
  return error == std::errc() && last == end ? bounded(value) : Value();
}

/// Integer arithmetic over literals, names and sizes of scalars; no value for anything else. Reads on behind
/// a part without a value, because the other side of `||` may decide.
class Evaluator {
 public:
  Evaluator(const std::string& text, const NameValues& names)
      : source_(text), tokens_(tokenize(source_).tokens), names_(names) {}

  Value run() {
    if (tokens_.empty()) return std::nullopt;
    const Value value = choice();
    return at_ == tokens_.size() && !failed_ ? value : std::nullopt;
  }

 private:
  [[nodiscard]] bool at(std::string_view text) const { return at_ < tokens_.size() && tokens_[at_].is(text); }
  [[nodiscard]] bool takes(std::string_view text) {
    if (!at(text)) return false;
    ++at_;
    return true;
  }

  Value fail() {
    failed_ = true;
    return {};
  }

  /// `a ? b : c`
  Value choice() {
    const Value value = either();
    if (!takes("?")) return value;
    if (++brackets_ > kMostBrackets) return fail();
    const Value first = choice();
    if (!takes(":")) return fail();
    const Value second = choice();
    --brackets_;
    if (value) return *value != 0 ? first : second;
    return first == second ? first : Value();
  }

  Value either() {
    Value value = both();
    while (takes("||")) {
      const Value other = both();
      const bool yes = (value && *value != 0) || (other && *other != 0);
      value = yes ? Value(1) : value && other ? Value(0) : Value();
    }
    return value;
  }

  Value both() {
    Value value = bits();
    while (takes("&&")) {
      const Value other = bits();
      const bool no = (value && *value == 0) || (other && *other == 0);
      value = no ? Value(0) : value && other ? Value(1) : Value();
    }
    return value;
  }

  /// `|`, `^` and `&`, of which `|` binds least.
  Value bits(std::size_t level = 0) {
    static constexpr std::string_view kSigns[] = {"|", "^", "&"};
    if (level == std::size(kSigns)) return equality();
    Value value = bits(level + 1);
    while (takes(kSigns[level])) {
      const Value other = bits(level + 1);
      if (!value || !other)
        value.reset();
      else
        value = level == 0 ? *value | *other : level == 1 ? *value ^ *other : *value & *other;
    }
    return value;
  }

  Value equality() {
    Value value = order();
    while (at("==") || at("!=")) {
      const bool equal = tokens_[at_++].is("==");
      const Value other = order();
      value = value && other ? Value((*value == *other) == equal) : Value();
    }
    return value;
  }

  Value order() {
    Value value = shift();
    while (at("<") || at(">") || at("<=") || at(">=")) {
      const std::string sign(tokens_[at_++].text);
      const Value other = shift();
      if (!value || !other)
        value.reset();
      else
        value = sign == "<"    ? *value < *other
                : sign == ">"  ? *value > *other
                : sign == "<=" ? *value <= *other
                               : *value >= *other;
    }
    return value;
  }

  Value shift() {
    Value value = sum();
    while (at_ + 1 < tokens_.size() &&
           ((at("<") && tokens_[at_ + 1].is("<")) || (at(">") && tokens_[at_ + 1].is(">")))) {
      const bool left = at("<");
      at_ += 2;
      const Value bits = sum();
      constexpr std::int64_t kMostBits = 40;
      const bool fits = value && bits && *value >= 0 && *bits >= 0 && *bits <= kMostBits;
      if (!fits)
        value.reset();
      else
        value = left ? product_of(*value, std::int64_t{1} << *bits) : Value(*value >> *bits);
    }
    return value;
  }

  Value sum() {
    Value value = product();
    while (at("+") || at("-")) {
      const bool plus = tokens_[at_++].is("+");
      const Value other = product();
      value = value && other ? bounded(plus ? *value + *other : *value - *other) : Value();
    }
    return value;
  }

  Value product() {
    Value value = factor();
    while (at("*") || at("/") || at("%")) {
      const Token& sign = tokens_[at_++];
      const Value other = factor();
      if (!value || !other || (*other == 0 && !sign.is("*")))
        value.reset();
      else
        value = sign.is("*")   ? product_of(*value, *other)
                : sign.is("/") ? Value(*value / *other)
                               : Value(*value % *other);
    }
    return value;
  }

  Value factor() {
    if (failed_ || at_ >= tokens_.size() || ++brackets_ > kMostBrackets) return fail();
    const Value value = unary();
    --brackets_;
    return value;
  }

  Value unary() {
    if (takes("-")) {
      const Value value = factor();
      return value ? Value(-*value) : Value();
    }
    if (takes("+")) return factor();
    if (takes("!")) {
      const Value value = factor();
      return value ? Value(*value == 0) : Value();
    }
    if (takes("~")) {
      const Value value = factor();
      return value ? Value(~*value) : Value();
    }
    if (takes("(")) {
      const Value value = choice();
      return takes(")") ? value : fail();
    }
    if (takes("sizeof") || takes("alignof")) return size();
    const Token& token = tokens_[at_];
    if (token.kind == Token::Kind::kNumber) {
      ++at_;
      return number(std::string(token.text));
    }
    if (!token.identifier()) return fail();
    ++at_;
    std::string name(token.text);
    for (; at("::") && at_ + 1 < tokens_.size() && tokens_[at_ + 1].identifier(); at_ += 2)
      name.append("::").append(tokens_[at_ + 1].text);
    if (!at("(")) return bounded(names_(name));
    if (tokens_[at_].close >= tokens_.size()) return fail();
    at_ = tokens_[at_].close + 1;  // a call
    return {};
  }

  /// Of a scalar type.
  Value size() {
    if (!takes("(")) return fail();
    std::string type;
    for (; at_ < tokens_.size() && !tokens_[at_].is(")"); ++at_) append_token(type, tokens_[at_].text);
    static const std::map<std::string, std::int64_t> sizes = {
        {"char", 1},   {"unsigned char", 1}, {"bool", 1},      {"short", 2},
        {"half", 2},   {"__half", 2},        {"int", 4},       {"unsigned int", 4},
        {"float", 4},  {"unsigned", 4},      {"int32_t", 4},   {"uint32_t", 4},
        {"double", 8}, {"long", 8},          {"long long", 8}, {"unsigned long", 8},
        {"size_t", 8}, {"int64_t", 8},       {"uint64_t", 8},  {"unsigned long long", 8},
        {"float2", 8}, {"float4", 16},       {"int4", 16},     {"double2", 16}};
    const auto found = sizes.find(type);
    return takes(")") && found != sizes.end() ? Value(found->second) : fail();
  }

  std::string source_;
  std::vector<Token> tokens_;
  const NameValues& names_;
  std::size_t at_ = 0;
  int brackets_ = 0;
  bool failed_ = false;
};

/// Looks names up in constants, whose texts may name others.
class NamedTexts {
 public:
  explicit NamedTexts(const std::map<std::string, std::string>& texts) : texts_(texts) {}

  Value value(const std::string& text, int depth) {
    return value_with_names(text, [this, depth](const std::string& name) {
      const auto found = name.find("::") == std::string::npos ? texts_.find(name) : in_scope(name);
      if (found == texts_.end() || depth == kDeepestCalls || --steps_ < 0) return Value();
      return value(found->second, depth + 1);
    });
  }

 private:
  using Place = std::map<std::string, std::string>::const_iterator;

  /// "a::b::n" for "b::n", if no other scope has such a name.
  [[nodiscard]] Place in_scope(const std::string& name) const {
    const auto whole = texts_.find(name);
    if (whole != texts_.end()) return whole;
    Place found = texts_.end();
    for (auto one = texts_.begin(); one != texts_.end(); ++one) {
      if (!one->first.ends_with("::" + name)) continue;
      if (found != texts_.end() && found->second != one->second) return texts_.end();
      found = one;
    }
    return found;
  }

  const std::map<std::string, std::string>& texts_;
  int steps_ = kMostSteps;
};

}  // namespace

std::optional<std::int64_t> value_with_names(const std::string& text, const NameValues& value_of) {
  return Evaluator(text, value_of).run();
}

std::optional<std::int64_t> constant_value(const std::string& text,
                                           const std::map<std::string, std::string>& constants) {
  return NamedTexts(constants).value(text, 0);
}

}  // namespace kiln
