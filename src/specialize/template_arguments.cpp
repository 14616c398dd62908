#include "specialize/template_arguments.h"

#include <set>
#include <vector>

#include "base/text.h"

namespace kiln {
std::ptrdiff_t pointers_in(const std::string& type) {
  std::ptrdiff_t pointers = 0;
  int depth = 0;
  for (const char c : type) {
    depth += c == '<' ? 1 : c == '>' ? -1 : 0;
    if (depth == 0 && (c == '*' || c == '[')) ++pointers;
  }
  return pointers;
}

TemplateId template_id(const std::string& type) {
  const std::string bare = bare_type(type);
  TemplateId id;
  const std::size_t open = bare.find('<');
  if (open == std::string::npos || bare.back() != '>') return {bare, {}};
  id.name = std::string(trim(bare.substr(0, open)));
  id.arguments = split_at_commas(bare.substr(open + 1, bare.size() - open - 2), true);
  return id;
}

bool is_library_function_object(const std::string& type) {
  const std::size_t open = type.find('<');
  const std::string scoped = type.substr(0, open);
  const std::size_t scope = scoped.rfind("::");
  if (scope == std::string::npos) return false;
  static const std::set<std::string> libraries = {"std", "cuda::std", "cuda", "thrust", "cub", "hipcub"};
  static const std::set<std::string> objects = {
      "plus",          "minus",        "multiplies",  "divides",  "modulus",    "negate",      "maximum",
      "minimum",       "less",         "greater",     "equal_to", "less_equal", "identity",    "bit_and",
      "greater_equal", "not_equal_to", "logical_and", "bit_or",   "logical_or", "logical_not", "bit_xor",
      "Sum",           "Max",          "Min",         "Equality", "Inequality", "Difference",  "Division"};
  return libraries.contains(scoped.substr(0, scope)) &&
         objects.contains(std::string(trim(scoped.substr(scope + 2))));
}

std::string bare_type(const std::string& type) {
  static const std::set<std::string> dropped = {
      "const",  "volatile", "__restrict__",      "__restrict",        "restrict",
      "struct", "enum",     "typename",          "__grid_constant__", "register",
      "std",    "::",       "__device_builtin__"};
  std::vector<std::string> words;
  for (const Token& token : tokenize(type).tokens) {
    if (token.is("*") || token.is("&") || token.is("&&") || dropped.contains(std::string(token.text)))
      continue;
    if (token.is("[")) break;
    words.emplace_back(token.text);
  }
  return join(words, " ");
}

}  // namespace kiln
