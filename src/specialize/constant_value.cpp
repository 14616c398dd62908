#include "specialize/constant_value.h"

#include <string_view>
#include <vector>

#include "base/text.h"
#include "specialize/tokens.h"

namespace kiln {
namespace {

/// Constants that stand for others, and names that one value may look up: a text may be made to grow without
/// end.
constexpr int kDeepest = 8;
constexpr int kMostSteps = 1000;

/// Integer arithmetic over literals, names and sizes of scalars; no value for anything else.
class Evaluator {
 public:
  Evaluator(const std::map<std::string, std::string>& constants, const std::string& text, int depth,
            int& steps)
      : constants_(constants),
        source_(text),
        tokens_(tokenize(source_).tokens),
        depth_(depth),
        steps_(steps) {}

  std::optional<std::int64_t> run() {
    if (tokens_.empty()) return std::nullopt;
    const auto value = choice();
    return at_ == tokens_.size() ? value : std::nullopt;
  }

 private:
  using Value = std::optional<std::int64_t>;

  [[nodiscard]] bool takes(std::string_view text) {
    if (at_ >= tokens_.size() || !tokens_[at_].is(text)) return false;
    ++at_;
    return true;
  }

  /// `a < b ? c : d`, or a comparison.
  Value choice() {
    Value value = shift();
    if (!value || at_ >= tokens_.size()) return value;
    const std::string sign(tokens_[at_].text);
    if (sign == "<" || sign == ">" || sign == "<=" || sign == ">=" || sign == "==" || sign == "!=") {
      ++at_;
      const Value other = shift();
      if (!other) return {};
      value = sign == "<"    ? *value < *other
              : sign == ">"  ? *value > *other
              : sign == "<=" ? *value <= *other
              : sign == ">=" ? *value >= *other
              : sign == "==" ? *value == *other
                             : *value != *other;
    }
    if (!takes("?")) return value;
    const Value first = choice();
    if (!first || !takes(":")) return {};
    const Value second = choice();
    return second ? (*value != 0 ? first : second) : Value();
  }

  /// Of a scalar type.
  Value size() {
    if (!takes("(")) return {};
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
    return takes(")") && found != sizes.end() ? Value(found->second) : Value();
  }

  Value shift() {
    Value value = sum();
    constexpr std::int64_t kMostBits = 40;
    while (value && at_ + 1 < tokens_.size() && tokens_[at_].is("<") && tokens_[at_ + 1].is("<")) {
      at_ += 2;
      const Value bits = sum();
      if (!bits || *bits < 0 || *bits > kMostBits || *value < 0 || *value >> (kMostBits / 2) != 0) return {};
      value = *value << *bits;
    }
    return value;
  }

  Value sum() {
    Value value = product();
    while (value && at_ < tokens_.size()) {
      const bool plus = tokens_[at_].is("+");
      if (!plus && !tokens_[at_].is("-")) break;
      ++at_;
      const Value other = product();
      if (!other) return {};
      value = plus ? *value + *other : *value - *other;
    }
    return bounded(value);
  }

  Value product() {
    Value value = factor();
    while (value && at_ < tokens_.size()) {
      const Token& sign = tokens_[at_];
      if (!sign.is("*") && !sign.is("/") && !sign.is("%")) break;
      ++at_;
      const Value other = factor();
      if (!other || (*other == 0 && !sign.is("*"))) return {};
      value = sign.is("*") ? *value * *other : sign.is("/") ? *value / *other : *value % *other;
      value = bounded(value);
    }
    return value;
  }

  Value factor() {
    if (takes("-")) {
      const Value value = factor();
      return value ? Value(-*value) : Value();
    }
    if (takes("(")) {
      const Value value = choice();
      return value && takes(")") ? value : Value();
    }
    if (at_ >= tokens_.size()) return {};
    if (takes("sizeof")) return size();
    const Token& token = tokens_[at_];
    if (token.kind == Token::Kind::kNumber) {
      ++at_;
      return number(std::string(token.text));
    }
    const auto found = token.identifier() ? constants_.find(std::string(token.text)) : constants_.end();
    if (found == constants_.end() || depth_ == kDeepest || --steps_ < 0) return {};
    ++at_;
    return Evaluator(constants_, found->second, depth_ + 1, steps_).run();
  }

  static Value number(std::string text) {
    while (!text.empty() && std::string_view("uUlL").find(text.back()) != std::string_view::npos)
      text.pop_back();
    std::erase(text, '\'');
    return bounded(parse_integer(text));
  }

  static Value bounded(Value value) {
    constexpr std::int64_t kMost = std::int64_t{1} << 40;
    return value && *value <= kMost && *value >= -kMost ? value : Value();
  }

  const std::map<std::string, std::string>& constants_;
  std::string source_;
  std::vector<Token> tokens_;
  int depth_;
  int& steps_;
  std::size_t at_ = 0;
};

}  // namespace

std::optional<std::int64_t> constant_value(const std::string& text,
                                           const std::map<std::string, std::string>& constants) {
  int steps = kMostSteps;
  return Evaluator(constants, text, 0, steps).run();
}

}  // namespace kiln
