#include "specialize/variable_types.h"

#include <set>
#include <utility>

#include "base/text.h"
#include "specialize/class_reader.h"
#include "specialize/program_text.h"

namespace kiln {

void VariableTypes::add(TokenSpan span) const {
  bool begins = true;
  for (std::size_t i = span.begin; i < span.end; ++i) {
    if (begins && tokens_[i].identifier()) {
      const std::size_t name = declared_name(i, span.end);
      if (name != 0) {
        const std::size_t behind = add_declaration(i, name, span.end);
        for (std::size_t j = name; j < behind; ++j) {  // bodies of lambdas
          if (at(j, "{") && at(j - 1, ")") && tokens_[j].close < behind) add({j + 1, tokens_[j].close});
        }
        i = behind;
      }
    }
    begins = at(i, ";") || at(i, "{") || at(i, "}") || at(i, "(") || at(i, ")");
  }
}

std::size_t VariableTypes::declared_name(std::size_t begin, std::size_t end) const {
  static const std::set<std::string_view> no_types = {"return", "else", "case",  "goto",   "delete",
                                                      "throw",  "new",  "using", "typedef"};
  if (no_types.contains(tokens_[begin].text)) return 0;
  for (std::size_t i = begin; i < end; ++i) {
    if (at(i, "<")) {
      i = behind_angles(tokens_, i, end);
      if (i >= end) return 0;
    }
    const bool ends = at(i + 1, "=") || at(i + 1, ";") || at(i + 1, ",") || at(i + 1, "[") ||
                      at(i + 1, "(") || at(i + 1, "{") || at(i + 1, ":");
    if (tokens_[i].identifier() && ends) return i > begin && !at(i - 1, "::") ? i : 0;
    if (!tokens_[i].identifier() && !at(i, "::") && !at(i, "*") && !at(i, "&")) return 0;
  }
  return 0;
}

std::size_t VariableTypes::add_declaration(std::size_t begin, std::size_t name, std::size_t end) const {
  std::size_t base = name;  // without the pointers of the first name
  while (base > begin && (at(base - 1, "*") || at(base - 1, "&"))) --base;
  const std::string type = text_of(tokens_, {begin, base});
  std::string pointers = text_of(tokens_, {base, name});
  std::size_t i = name;
  for (bool more = true; more && i < end;) {
    std::string variable(tokens_[i].text);
    std::string extents;
    while (i < end && !at(i, ";") && !at(i, ",")) {
      if (at(i, "[")) extents = "*";
      if (at(i, "=")) extents += " ";  // brackets behind it are the value's
      const bool open = at(i, "(") || at(i, "[") || at(i, "{");
      i = open && tokens_[i].close < end ? tokens_[i].close + 1 : i + 1;
      if (!extents.empty() && extents.back() == ' ') {
        while (i < end && !at(i, ";") && !at(i, ",")) {
          const bool nested = at(i, "(") || at(i, "[") || at(i, "{");
          i = nested && tokens_[i].close < end ? tokens_[i].close + 1 : i + 1;
        }
      }
    }
    std::string whole = type;
    whole.append(" ").append(pointers).append(trim(extents));
    types_.emplace(std::move(variable), std::move(whole));
    more = at(i, ",");
    if (!more) break;
    pointers.clear();
    for (++i; at(i, "*"); ++i) pointers += "*";
    more = i < end && tokens_[i].identifier();
  }
  return i;
}

void VariableTypes::add_body(TokenSpan span) const {
  add(span);
  for (std::size_t i = span.begin; i + 1 < span.end; ++i) {
    if (!at(i, "]") || !(at(i + 1, "<") || (at(i + 1, "(") && at(i + 2, "auto")))) continue;
    const bool angles = at(i + 1, "<");
    const std::size_t behind = angles ? behind_angles(tokens_, i + 1, span.end) : tokens_[i + 1].close + 1;
    if (behind > span.end || behind < i + 3) continue;
    for (const TokenSpan& part : parts_of(tokens_, {i + 2, behind - 1}, true)) {
      TextParameter parameter = parameter_of(tokens_, part);
      types_.emplace(std::move(parameter.name), std::move(parameter.type));
    }
  }
}

}  // namespace kiln
