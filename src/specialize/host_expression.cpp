#include "specialize/host_expression.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "base/text.h"
#include "specialize/class_members.h"
#include "specialize/constant_value.h"

namespace kiln {
namespace {

using Text = std::optional<std::string>;

bool is_type_word(const Token& token) {
  static const std::set<std::string_view> words = {
      "int",     "unsigned", "long",    "short",    "char",     "signed",   "float",    "double", "bool",
      "const",   "size_t",   "int32_t", "uint32_t", "int64_t",  "uint64_t", "uint",     "ulong",  "ushort",
      "int16_t", "uint16_t", "int8_t",  "uint8_t",  "intptr_t", "ssize_t",  "ptrdiff_t"};
  return words.contains(token.text);
}

bool is_hexadecimal(std::string_view text) {
  return text.starts_with("0x") || text.starts_with("0X");
}

bool is_real_literal(const Token& token) {
  return token.kind == Token::Kind::kNumber && !is_hexadecimal(token.text) &&
         (token.text.find('.') != std::string_view::npos || token.text.ends_with('f') ||
          token.text.ends_with('F') || token.text.find('e') != std::string_view::npos);
}

/// Whether the bracket at the begin is closed at the end.
bool has_brackets(const std::string& text) {
  if (text.size() < 2 || text.front() != '(' || text.back() != ')') return false;
  int open = 0;
  for (std::size_t i = 0; i + 1 < text.size(); ++i) {
    open += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
    if (open == 0) return false;
  }
  return true;
}

class HostTranslator {
 public:
  HostTranslator(const std::string& text, const std::map<std::string, TextFunction>& functions,
                 const HostNames& names)
      : source_(tokenize(text)), tokens_(source_.tokens), functions_(functions), names_(names) {}

  Text run() { return expression({0, tokens_.size()}, false); }

 private:
  [[nodiscard]] bool at(std::size_t i, std::string_view text) const {
    return i < tokens_.size() && tokens_[i].is(text);
  }

  /// Operands with signs between them. `real`: `/` is that of real numbers.
  Text expression(TokenSpan span, bool real) {
    if (const std::size_t shift = last_shift(span); shift != span.end) return shifted(span, shift, real);
    static const std::set<std::string_view> signs = {"+", "-",  "*",  "%",  "?",  ":",  "<",
                                                     ">", "<=", ">=", "==", "!=", "&&", "||"};
    if (span.empty()) return std::nullopt;
    std::string result;
    bool operand_is_next = true;
    for (std::size_t i = span.begin; i < span.end; ++i) {
      if (operand_is_next) {
        if (at(i, "-")) {
          result += "-";
          continue;
        }
        const auto made = operand(i, span.end, real);
        if (!made) return std::nullopt;
        result += *made;
        operand_is_next = false;
        continue;
      }
      if (at(i, "/")) {
        const bool named = i + 1 < span.end && tokens_[i + 1].identifier();
        const auto divisor = operand(++i, span.end, real);
        if (!divisor || *divisor == "0") return std::nullopt;
        result += real ? " / " : " // ";
        result += !named || parse_integer(*divisor) ? *divisor : "max(1, " + *divisor + ")";
        continue;
      }
      if (!signs.contains(tokens_[i].text)) return std::nullopt;
      result += " ";
      result.append(tokens_[i].text).append(" ");
      operand_is_next = true;
    }
    if (operand_is_next) return std::nullopt;
    return result;
  }

  /// The first token of the last `<<` or `>>` that is not in brackets; the end without one.
  [[nodiscard]] std::size_t last_shift(TokenSpan span) const {
    std::size_t last = span.end;
    for (std::size_t i = span.begin; i < span.end; ++i) {
      if ((at(i, "(") || at(i, "[") || at(i, "{")) && tokens_[i].close < span.end) {
        i = tokens_[i].close;
      } else if (at(i, "<<") || at(i, ">>")) {
        last = i;
      } else if ((at(i, "<") || at(i, ">")) && i + 1 < span.end && at(i + 1, tokens_[i].text)) {
        last = i++;
      }
    }
    return last;
  }

  /// `(n + 1) >> 2` as `(n + 1) // 4`; only by a number, and beside no sign that binds less.
  Text shifted(TokenSpan span, std::size_t shift, bool real) {
    static const std::set<std::string_view> weaker = {"?", ":", "<", ">", "<=", ">=", "==", "!=", "&&", "||"};
    constexpr long long kMostBits = 40;
    const std::size_t behind = shift + (tokens_[shift].text.size() == 2 ? 1 : 2);
    for (std::size_t i = span.begin; i < span.end; ++i) {
      if (at(i, "(") && tokens_[i].close < span.end) i = tokens_[i].close;
      if (i == shift) i = behind;
      if (i < span.end && weaker.contains(tokens_[i].text)) return std::nullopt;
    }
    const auto left = expression({span.begin, shift}, real), right = expression({behind, span.end}, real);
    const auto bits = right ? constant_value(*right, {}) : std::nullopt;
    if (!left || !bits || *bits < 0 || *bits > kMostBits || real) return std::nullopt;
    const bool multiplies = at(shift, "<<") || at(shift, "<");
    return in_brackets(*left) + (multiplies ? " * " : " // ") + std::to_string(1LL << *bits);
  }

  /// A number, a name, a call or brackets, with the casts in front of it. `i` is moved to its last token.
  Text operand(std::size_t& i, std::size_t end, bool real) {
    while (at(i, "::")) ++i;
    if (i >= end) return std::nullopt;
    if (at(i, "(")) {
      const std::size_t close = tokens_[i].close;
      if (close >= end) return std::nullopt;
      if (close > i + 1 && std::all_of(tokens_.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                                       tokens_.begin() + static_cast<std::ptrdiff_t>(close), is_type_word)) {
        i = close + 1;  // a cast
        return operand(i, end, real);
      }
      const auto inside = expression({i + 1, close}, real);
      i = close;
      return inside ? Text(in_brackets(*inside)) : std::nullopt;
    }
    const Token& token = tokens_[i];
    if (token.kind == Token::Kind::kNumber) return number(token, real);
    if (!token.identifier()) return std::nullopt;
    if (auto known = access(i, end)) return known;
    while (at(i + 1, "::") && i + 2 < end && tokens_[i + 2].identifier()) i += 2;
    return named(i, end, real);
  }

  Text named(std::size_t& i, std::size_t end, bool real) {
    const std::string name(tokens_[i].text);
    if (name == "static_cast" && at(i + 1, "<")) {
      i = behind_angles(tokens_, i + 1, end);
      return at(i, "(") ? operand(i, end, real) : std::nullopt;
    }
    if (!at(i + 1, "(")) return at(i + 1, ".") || at(i + 1, "[") ? std::nullopt : names_.value_of(name);
    const std::size_t open = i + 1, close = tokens_[open].close;
    if (close >= end) return std::nullopt;
    i = close;
    if (name == "sizeof" || name == "alignof") return names_.size_of(text_of(tokens_, {open + 1, close}));
    if (is_type_word(tokens_[open - 1])) {  // float(n)
      const auto inside = expression({open + 1, close}, real);
      return inside ? Text(in_brackets(*inside)) : std::nullopt;
    }
    return call(name, open, real);
  }

  Text call(const std::string& name, std::size_t open, bool real) {
    const std::vector<TokenSpan> parts = parts_of(tokens_, {open + 1, tokens_[open].close}, false);
    if (const auto function = functions_.find(name); function != functions_.end()) {
      if (function->second.parameters.size() != parts.size()) return std::nullopt;
      std::map<std::string, std::string> arguments;
      for (std::size_t p = 0; p < parts.size(); ++p) {
        const std::string argument = text_of(tokens_, parts[p]);
        const bool plain = parts[p].end == parts[p].begin + 1;
        arguments[function->second.parameters[p]] = plain ? argument : in_brackets(argument);
      }
      return names_.nested(substituted(function->second.result, arguments));
    }
    if ((name == "min" || name == "max") && parts.size() == 2) {
      const auto first = expression(parts[0], real), second = expression(parts[1], real);
      return first && second ? Text(name + "(" + *first + ", " + *second + ")") : std::nullopt;
    }
    if ((name == "ceil" || name == "ceilf") && parts.size() == 1) {
      const bool of_real = std::any_of(
          tokens_.begin() + static_cast<std::ptrdiff_t>(parts[0].begin),
          tokens_.begin() + static_cast<std::ptrdiff_t>(parts[0].end),
          [](const Token& one) { return one.is("float") || one.is("double") || is_real_literal(one); });
      const auto inside = expression(parts[0], real || of_real);
      if (!inside) return std::nullopt;
      return real || of_real ? "ceil(" + *inside + ")" : in_brackets(*inside);
    }
    return std::nullopt;
  }

  /// The longest of "a.b", "a->b", "a.size()" and "a[0]" that begins here and has a value.
  Text access(std::size_t& i, std::size_t end) {
    std::vector<std::size_t> ends;
    for (std::size_t behind = i + 1; behind < end;) {
      const bool arrow = at(behind, "-") && at(behind + 1, ">");
      const std::size_t member = at(behind, ".") || at(behind, "->") ? behind + 1
                                 : arrow                             ? behind + 2
                                                                     : behind;
      if (member > behind && member < end && tokens_[member].identifier()) {
        behind = member + 1;
      } else if ((at(behind, "(") || at(behind, "[")) && tokens_[behind].close < end) {
        behind = tokens_[behind].close + 1;
      } else {
        break;
      }
      ends.push_back(behind);
    }
    for (auto last = ends.rbegin(); last != ends.rend(); ++last) {
      auto known = names_.value_of(text_of(tokens_, {i, *last}));
      if (!known) continue;
      i = *last - 1;
      return known;
    }
    return std::nullopt;
  }

  /// Reals are whole numbers, or divisors within `ceil`.
  static Text number(const Token& token, bool real) {
    std::string text(token.text);
    const std::string_view suffixes = is_hexadecimal(text) ? "uUlL" : "uUlLfF";
    while (!text.empty() && suffixes.find(text.back()) != std::string_view::npos) text.pop_back();
    std::erase(text, '\'');
    if (const auto value = parse_real(text); value && is_real_literal(token)) {
      constexpr double kLargest = 1e12;
      const auto whole = *value < kLargest ? static_cast<long long>(*value) : -1;
      if (static_cast<double>(whole) == *value) return std::to_string(whole);
      return real ? Text(text) : std::nullopt;
    }
    const auto whole = constant_value(text, {});
    return whole ? Text(std::to_string(*whole)) : std::nullopt;
  }

  TokenizedText source_;
  const std::vector<Token>& tokens_;
  const std::map<std::string, TextFunction>& functions_;
  const HostNames& names_;
};

}  // namespace

std::string in_brackets(const std::string& expression) {
  const bool one = is_identifier(expression) || parse_integer(expression) || has_brackets(expression);
  return one ? expression : "(" + expression + ")";
}

std::string without_brackets(std::string expression) {
  while (has_brackets(expression)) expression = expression.substr(1, expression.size() - 2);
  return expression;
}

std::optional<std::string> host_expression(const std::string& text,
                                           const std::map<std::string, TextFunction>& functions,
                                           const HostNames& names) {
  return HostTranslator(text, functions, names).run();
}

}  // namespace kiln
