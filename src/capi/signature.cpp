#include "capi/signature.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string>

#include "base/text.h"

namespace kiln::capi {
namespace {

using detail::ArgumentKind;
using detail::ArgumentType;

struct KnownType {
  std::string_view name;
  std::size_t bytes;
  ArgumentKind kind;
};

/// Words of whole numbers are sorted, and without `int` where others stand: "unsigned long int" is "long
/// unsigned".
constexpr std::array<KnownType, 25> kKnown = {{
    {"bool", 1, ArgumentKind::kBool},
    {"_Bool", 1, ArgumentKind::kBool},
    {"char", 1, ArgumentKind::kSigned},
    {"char signed", 1, ArgumentKind::kSigned},
    {"char unsigned", 1, ArgumentKind::kUnsigned},
    {"short", 2, ArgumentKind::kSigned},
    {"short unsigned", 2, ArgumentKind::kUnsigned},
    {"int", 4, ArgumentKind::kSigned},
    {"signed", 4, ArgumentKind::kSigned},
    {"unsigned", 4, ArgumentKind::kUnsigned},
    {"long", 8, ArgumentKind::kSigned},
    {"long unsigned", 8, ArgumentKind::kUnsigned},
    {"long long", 8, ArgumentKind::kSigned},
    {"long long unsigned", 8, ArgumentKind::kUnsigned},
    {"int8_t", 1, ArgumentKind::kSigned},
    {"uint8_t", 1, ArgumentKind::kUnsigned},
    {"int16_t", 2, ArgumentKind::kSigned},
    {"uint16_t", 2, ArgumentKind::kUnsigned},
    {"int32_t", 4, ArgumentKind::kSigned},
    {"uint32_t", 4, ArgumentKind::kUnsigned},
    {"int64_t", 8, ArgumentKind::kSigned},
    {"uint64_t", 8, ArgumentKind::kUnsigned},
    {"size_t", 8, ArgumentKind::kUnsigned},
    {"float", 4, ArgumentKind::kFloating},
    {"double", 8, ArgumentKind::kFloating},
}};

/// How the kernel's compiler spells C's own names.
std::string spelled(std::string_view name) {
  if (name == "_Bool") return "bool";
  constexpr std::array<std::pair<std::string_view, const char*>, 9> kFixed = {
      {{"int8_t", "signed char"},
       {"uint8_t", "unsigned char"},
       {"int16_t", "short"},
       {"uint16_t", "unsigned short"},
       {"int32_t", "int"},
       {"uint32_t", "unsigned"},
       {"int64_t", "long long"},
       {"uint64_t", "unsigned long long"},
       {"size_t", "unsigned long long"}}};
  const auto found =
      std::find_if(kFixed.begin(), kFixed.end(), [&](const auto& one) { return one.first == name; });
  return found == kFixed.end() ? std::string(name) : found->second;
}

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/// Names, and every other character but spaces by itself.
std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  bool in_name = false;
  for (const char c : text) {
    const bool is_space = c == ' ' || c == '\t' || c == '\n';
    if (is_name_character(c) && in_name)
      words.back() += c;
    else if (!is_space)
      words.emplace_back(1, c);
    in_name = is_name_character(c);
  }
  return words;
}

std::vector<std::string_view> split_arguments(std::string_view text) {
  std::vector<std::string_view> parts;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    const char c = i < text.size() ? text[i] : ',';
    depth += c == '<' || c == '(' ? 1 : c == '>' || c == ')' ? -1 : 0;
    if (i < text.size() && (c != ',' || depth > 0)) continue;
    parts.push_back(text.substr(begin, i - begin));
    begin = i + 1;
  }
  return parts;
}

/// "Particle{48}" without its braces, and what they say.
std::optional<std::size_t> take_bytes(std::string& name) {
  const std::size_t brace = name.find('{');
  if (brace == std::string::npos || name.back() != '}') return std::nullopt;
  const std::string_view digits = trim(std::string_view(name).substr(brace + 1, name.size() - brace - 2));
  std::size_t bytes = 0;
  const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), bytes);
  if (problem != std::errc() || end != digits.data() + digits.size() || bytes == 0 || bytes > 4096)
    return std::nullopt;
  name = std::string(trim(std::string_view(name).substr(0, brace)));
  return bytes;
}

/// How the words are looked up among the known ones.
std::string sorted_words(std::vector<std::string> words) {
  if (words.size() > 1) {
    const bool is_char = std::find(words.begin(), words.end(), "char") != words.end();
    std::erase_if(words,
                  [&](const std::string& word) { return word == "int" || (word == "signed" && !is_char); });
    if (words.empty()) return "int";
  }
  std::sort(words.begin(), words.end());
  return join(words, " ");
}

/// With spaces only between names, and C's names as the kernel's compiler has them.
std::string spell(const std::vector<std::string>& words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool qualified = i > 0 && words[i - 1] == ":";
    if (!text.empty() && is_name_character(text.back()) && is_name_character(words[i][0])) text += ' ';
    text += qualified ? words[i] : spelled(words[i]);
  }
  return text;
}

ArgumentType parse_type(std::string_view text, std::size_t index) {
  const std::string place = "signature: argument " + std::to_string(index) + ": ";
  std::string name(trim(text));
  if (name.empty()) throw bad_input(place + "expected a type; found nothing");
  const std::string given = printable_line(name);
  const std::optional<std::size_t> bytes = take_bytes(name);
  const bool is_plain = std::all_of(name.begin(), name.end(), [](char c) {
    return is_name_character(c) || std::string_view(" \t\n*:<>,").find(c) != std::string_view::npos;
  });
  if (!is_plain)
    throw bad_input(place + "expected a value's or a pointer's type, as 'double' or 'const float*'; found '" +
                    given + "'");
  std::vector<std::string> words = words_of(name);
  // Qualifiers of the argument itself are not part of its type.
  while (!words.empty() && (words.back() == "const" || words.back() == "__restrict__" ||
                            words.back() == "__restrict" || words.back() == "restrict"))
    words.pop_back();
  if (words.empty()) throw bad_input(place + "expected a type; found '" + given + "'");
  if (words.back() == "*") return {spell(words), sizeof(void*), ArgumentKind::kPointer};
  std::erase(words, "const");
  if (bytes) return {spell(words), *bytes, ArgumentKind::kOther};
  const std::string sorted = sorted_words(words);
  for (const KnownType& known : kKnown) {
    if (known.name == sorted) return {spell(words), known.bytes, known.kind};
  }
  std::vector<std::string> names;
  names.reserve(kKnown.size());
  for (const KnownType& known : kKnown) names.emplace_back(known.name);
  throw bad_input(place + "'" + given +
                  "' has no size that Kiln knows; a type of the kernel's text is written as '" + given +
                  "{bytes}'" + suggestion(sorted, names));
}

}  // namespace

std::vector<detail::ArgumentType> parse_signature(std::string_view text) {
  std::vector<ArgumentType> arguments;
  if (trim(text).empty() || trim(text) == "void") return arguments;
  std::size_t total = 0;
  for (const std::string_view part : split_arguments(text)) {
    arguments.push_back(parse_type(part, arguments.size()));
    total += arguments.back().bytes;
  }
  if (total > 4096)
    throw bad_input("signature: " + std::to_string(total) +
                    " bytes of arguments; a launch takes at most 4096");
  return arguments;
}

}  // namespace kiln::capi
