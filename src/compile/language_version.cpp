#include "compile/language_version.h"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "specialize/compiled_parts.h"
#include "specialize/tokens.h"

namespace kiln {
namespace {

using Names = std::set<std::string_view>;

/// Headers that C++17 lacks.
bool is_newer_header(std::string_view name) {
  static const Names headers = {"barrier", "bit",        "compare",    "concepts", "coroutine",
                                "format",  "latch",      "numbers",    "ranges",   "semaphore",
                                "span",    "stop_token", "syncstream", "version",  "source_location"};
  return headers.contains(name);
}

/// Names of namespace std that C++17 lacks.
bool is_newer_name(std::string_view name) {
  static const Names names = {"atomic_ref",
                              "bit_cast",
                              "bit_ceil",
                              "bit_floor",
                              "bit_width",
                              "common_reference_with",
                              "convertible_to",
                              "countl_one",
                              "countl_zero",
                              "countr_one",
                              "countr_zero",
                              "derived_from",
                              "endian",
                              "erase_if",
                              "floating_point",
                              "format",
                              "has_single_bit",
                              "identity",
                              "integral",
                              "invocable",
                              "is_constant_evaluated",
                              "lerp",
                              "midpoint",
                              "numbers",
                              "popcount",
                              "ranges",
                              "regular",
                              "remove_cvref",
                              "remove_cvref_t",
                              "rotl",
                              "rotr",
                              "same_as",
                              "semiregular",
                              "signed_integral",
                              "source_location",
                              "span",
                              "ssize",
                              "strong_ordering",
                              "totally_ordered",
                              "type_identity",
                              "type_identity_t",
                              "unsigned_integral",
                              "views",
                              "weak_ordering"};
  return names.contains(name);
}

bool is_vector_type(std::string_view name) {
  static const Names scalars = {"char", "uchar", "short",    "ushort",    "int",   "uint",
                                "long", "ulong", "longlong", "ulonglong", "float", "double"};
  return name.size() > 1 && name.back() >= '2' && name.back() <= '4' &&
         scalars.contains(name.substr(0, name.size() - 1));
}

class Reader {
 public:
  explicit Reader(const std::string& text) : source_(tokenize(text)) {}

  bool is_newer() {
    for (std::size_t i = 0; i < tokens().size(); ++i) {
      if (names_member(i) || has_newer_word(i) || has_newer_lambda(i) || has_auto_parameter(i) ||
          has_newer_name(i) || builds_vector(i))
        return true;
    }
    return std::any_of(source_.directives.begin(), source_.directives.end(), includes_newer);
  }

 private:
  [[nodiscard]] const std::vector<Token>& tokens() const { return source_.tokens; }
  [[nodiscard]] bool at(std::size_t i, std::string_view text) const {
    return i < tokens().size() && tokens()[i].is(text);
  }
  [[nodiscard]] bool word(std::size_t i) const { return i < tokens().size() && tokens()[i].identifier(); }

  /// `{.x = 1}` and `{.x{1}}`.
  [[nodiscard]] bool names_member(std::size_t i) const {
    return (at(i, "{") || at(i, ",")) && at(i + 1, ".") && word(i + 2) && (at(i + 3, "=") || at(i + 3, "{"));
  }

  [[nodiscard]] bool has_newer_word(std::size_t i) const {
    if (at(i, "concept")) return word(i + 1) && at(i + 2, "=");
    if (at(i, "<=")) return at(i + 1, ">");
    if (at(i, "using")) return at(i + 1, "enum");
    if (at(i, "requires") && i > 0) {
      const Token& before = tokens()[i - 1];
      return before.is(">") || before.is(")") || before.is("=") || before.is("&&") || before.is("||") ||
             before.is("const") || before.is("noexcept") || before.is("(");
    }
    return (at(i, "consteval") || at(i, "constinit")) && word(i + 1);
  }

  /// `[] <typename T> (T x) {...}`; in front of "[]" no array's name stands.
  [[nodiscard]] bool has_newer_lambda(std::size_t i) const {
    return at(i, "]") && at(i + 1, "<") && (at(i + 2, "typename") || at(i + 2, "class"));
  }

  /// `f(auto x)`, which is no lambda's, loop's or handler's.
  [[nodiscard]] bool has_auto_parameter(std::size_t i) const {
    if (!word(i) || !at(i + 1, "(")) return false;
    const std::size_t first = at(i + 2, "const") ? i + 3 : i + 2;
    static const Names others = {"for", "if", "while", "switch", "decltype", "catch"};
    return at(first, "auto") && !others.contains(tokens()[i].text) && i > 0 &&
           (word(i - 1) || at(i - 1, "*") || at(i - 1, "&") || at(i - 1, ">"));
  }

  /// `float3(x, y, z)`: C++17 has braces for what has no constructor.
  [[nodiscard]] bool builds_vector(std::size_t i) const {
    if (!word(i) || !at(i + 1, "(") || !is_vector_type(tokens()[i].text)) return false;
    if (i == 0 || (word(i - 1) && !at(i - 1, "return"))) return false;  // a declaration
    if (!word(i - 1) && !at(i - 1, "=") && !at(i - 1, "(") && !at(i - 1, ",") && !at(i - 1, "{"))
      return false;
    return parts_of(tokens(), {i + 2, tokens()[i + 1].close}, false).size() > 1;
  }

  /// `std::span`; `cuda::std::span` is CUDA's own.
  [[nodiscard]] bool has_newer_name(std::size_t i) const {
    return at(i, "std") && at(i + 1, "::") && word(i + 2) && is_newer_name(tokens()[i + 2].text) &&
           !(i > 1 && at(i - 1, "::") && at(i - 2, "cuda"));
  }

  static bool includes_newer(const Directive& directive) {
    const std::vector<Token>& words = directive.tokens;
    return words.size() == 4 && words[0].is("include") && words[1].is("<") && words[3].is(">") &&
           is_newer_header(words[2].text);
  }

  TokenizedText source_;
};

bool is_newer(const std::string& text) {
  return Reader(text).is_newer();
}

}  // namespace

const char* language_version(const Specialization& specialization) {
  const auto has_newer = [](const std::string& text, const std::vector<IncludedHeader>& headers) {
    return is_newer(text) || std::any_of(headers.begin(), headers.end(),
                                         [](const IncludedHeader& header) { return is_newer(header.text); });
  };
  if (!has_newer(specialization.source_text, specialization.headers)) return "c++17";
  const Includes compiled = compiled_parts(specialization).includes;  // takes longer
  return has_newer(compiled.text, compiled.headers) ? "c++20" : "c++17";
}

}  // namespace kiln
