#include "base/text.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdio>

namespace kiln {
namespace {

/// Damerau-Levenshtein distance in its optimal-string-alignment form: insert, delete, replace, swap of
/// neighbours.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1);
  std::vector<std::size_t> above(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before.swap(above);
    above.swap(row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = a[i - 1] == b[j - 1] ? 0 : 1;
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + change});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }
  return row[b.size()];
}

template <class Value>
std::string print(const char* format, int precision, Value value) {
  std::array<char, 512> text{};
  const int length = std::snprintf(text.data(), text.size(), format, precision, value);
  return {text.data(), static_cast<std::size_t>(std::max(length, 0))};
}

/// Digits after the decimal point for three significant digits, for a value of at least 1.
int three_digits(double value) {
  constexpr double kTwoDigits = 9.995;
  constexpr double kOneDigit = 99.95;
  if (value < kTwoDigits) return 2;
  return value < kOneDigit ? 1 : 0;
}

std::string without_trailing_zeros(std::string text) {
  if (text.find('.') == std::string::npos) return text;
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

std::string_view without_plus(std::string_view text) {
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  return text;
}

template <class Number>
std::optional<Number> parse_whole(std::string_view text) {
  text = without_plus(text);
  Number value{};
  const char* end = text.data() + text.size();
  const auto [stop, code] = std::from_chars(text.data(), end, value);
  if (code != std::errc() || stop != end) return std::nullopt;
  return value;
}

constexpr std::size_t kLongestCharacter = 4;  // in UTF-8

/// The character at the beginning of `text` and its length in bytes; length 0 if it is not UTF-8 (Unicode 15,
/// table 3-7).
struct Character {
  char32_t code = 0;
  std::size_t length = 0;
};

Character first_character(std::string_view text) {
  constexpr std::array<char32_t, kLongestCharacter + 1> kLeast = {0, 0, 0x80, 0x800, 0x10000};
  const auto lead = static_cast<unsigned char>(text[0]);
  if (lead < 0x80) return {lead, 1};
  const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC0 || lead >= 0xF8 || text.size() < length) return {};
  char32_t code = lead & (0xFFU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if ((byte & 0xC0U) != 0x80) return {};
    code = code << 6U | (byte & 0x3FU);
  }
  const bool surrogate = code >= 0xD800 && code < 0xE000;
  if (code < kLeast.at(length) || surrogate || code > 0x10FFFF) return {};
  return {code, length};
}

/// Delete, C1 controls, line separators, and characters that set or override the direction of text.
bool is_hidden(char32_t code) {
  return (code >= 0x7F && code < 0xA0) || code == 0x61C || code == 0x200E || code == 0x200F ||
         (code >= 0x2028 && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069) || code == 0xFEFF;
}

/// Appends the first character of `text` in printable form and returns its length.
std::size_t append_printable(std::string_view text, std::string& result) {
  const Character first = first_character(text);
  if (first.length == 0 || first.code < ' ') {
    result += print("\\x%0*x", 2, static_cast<unsigned char>(text[0]));
    return 1;
  }
  if (is_hidden(first.code))
    result += print("\\u%0*x", 4, static_cast<unsigned>(first.code));
  else
    result += text.substr(0, first.length);
  return first.length;
}

/// Printable without a look at more of the text.
bool is_plain(char c) {
  return c >= ' ' && c < '\x7f';
}

bool is_letter(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_';
}

/// Words of files of earlier versions, each with the word that replaced it.
constexpr std::array<std::array<std::string_view, 2>, 2> kRenamed = {
    {{"variant", "implementation"}, {"bind.variant", "bind.implementation"}}};

}  // namespace

std::optional<std::string> nearest_name(std::string_view name, const std::vector<std::string>& candidates) {
  for (const auto& [old, current] : kRenamed) {
    const auto found = std::find(candidates.begin(), candidates.end(), current);
    if (name == old && found != candidates.end()) return *found;
  }
  constexpr std::size_t kPartThatMayDiffer = 3;
  std::size_t best = std::max<std::size_t>(1, name.size() / kPartThatMayDiffer);
  std::optional<std::string> nearest;
  for (const std::string& candidate : candidates) {
    const std::size_t distance = edit_distance(name, candidate);
    if (distance > best || (nearest && distance == best)) continue;
    best = distance;
    nearest = candidate;
  }
  return nearest;
}

std::string suggestion(std::string_view name, const std::vector<std::string>& candidates) {
  if (candidates.empty()) return "";
  if (const auto nearest = nearest_name(name, candidates))
    return "; did you mean " + in_quotes(*nearest) + "?";
  return "; expected one of " + printable_line(join(candidates, ", "));
}

std::string printable(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    std::size_t length = 0;
    while (length < text.size() && (is_plain(text[length]) || text[length] == '\n' || text[length] == '\t'))
      ++length;
    if (text.substr(length).starts_with("\r\n")) length += 2;
    result += text.substr(0, length);
    text.remove_prefix(length);
    if (length == 0) text.remove_prefix(append_printable(text, result));
  }
  return result;
}

std::string printable_line(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const std::size_t control = std::string_view("\n\r\t").find(text[0]);
    if (control == std::string_view::npos) {
      text.remove_prefix(append_printable(text, result));
      continue;
    }
    result += std::string("\\") + "nrt"[control];
    text.remove_prefix(1);
  }
  return result;
}

std::string in_quotes(std::string_view text) {
  constexpr std::size_t kShown = 200;
  constexpr std::size_t kEnd = 40;
  if (text.size() <= kShown) return "'" + printable_line(text) + "'";
  return "'" + printable_line(text.substr(0, kShown - kEnd)) + "' ... '" +
         printable_line(text.substr(text.size() - kEnd)) + "' (" + std::to_string(text.size()) + " bytes)";
}

std::string join(const std::vector<std::string>& parts, std::string_view separator) {
  std::string text;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) text += separator;
    text += parts[i];
  }
  return text;
}

std::string assignment(std::string_view name, std::string_view value) {
  return std::string(name).append("=").append(value);
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (;;) {
    const std::size_t at = text.find(separator);
    parts.emplace_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

std::string_view trim(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n\f\v";
  const std::size_t begin = text.find_first_not_of(kBlank);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlank) - begin + 1);
}

bool is_identifier(std::string_view text) {
  return !text.empty() && is_letter(text[0]) && std::all_of(text.begin(), text.end(), [](char c) {
    return is_letter(c) || std::isdigit(static_cast<unsigned char>(c)) != 0;
  });
}

std::string format_number(double value) {
  constexpr double kExactIntegers = 9007199254740992.0;  // 2^53
  if (std::isnan(value)) return "nan";
  const bool negative_zero = value == 0 && std::signbit(value);
  if (std::abs(value) < kExactIntegers && value == std::trunc(value) && !negative_zero) {
    return std::to_string(static_cast<std::int64_t>(value));
  }
  std::array<char, 64> text{};
  const auto result = std::to_chars(text.data(), text.data() + text.size(), value);
  return {text.data(), result.ptr};
}

std::string format_bytes(std::uint64_t bytes) {
  constexpr std::array<const char*, 6> kUnits = {" KiB", " MiB", " GiB", " TiB", " PiB", " EiB"};
  constexpr double kNextUnit = 1024;
  constexpr double kRoundsToNext = 1023.5;
  if (bytes < static_cast<std::uint64_t>(kNextUnit)) return std::to_string(bytes) + " B";
  double value = static_cast<double>(bytes) / kNextUnit;
  std::size_t unit = 0;
  while (value >= kRoundsToNext && unit + 1 < kUnits.size()) {
    value /= kNextUnit;
    ++unit;
  }
  return without_trailing_zeros(print("%.*f", three_digits(value), value)) + kUnits.at(unit);
}

std::string format_seconds(double seconds) {
  constexpr std::array<const char*, 4> kUnits = {" ns", " us", " ms", " s"};
  constexpr double kNextUnit = 1000;
  constexpr double kRoundsToNext = 999.5;
  if (seconds == 0 || !std::isfinite(seconds)) return format_number(seconds) + " s";
  double value = std::abs(seconds) * 1e9;
  std::size_t unit = 0;
  while (value >= kRoundsToNext && unit + 1 < kUnits.size()) {
    value /= kNextUnit;
    ++unit;
  }
  constexpr double kRoundsToOne = 0.9995;
  const std::string digits =
      value < kRoundsToOne ? print("%.*g", 3, value) : print("%.*f", three_digits(value), value);
  return (seconds < 0 ? "-" : "") + digits + kUnits.at(unit);
}

std::optional<std::int64_t> parse_integer(std::string_view text) {
  return parse_whole<std::int64_t>(text);
}

std::optional<double> parse_real(std::string_view text) {
  return parse_whole<double>(text);
}

}  // namespace kiln
