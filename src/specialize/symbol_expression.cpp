#include "specialize/symbol_expression.h"

#include <cctype>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "specialize/any_text.h"

namespace kiln {
namespace {

/// "namespace {", however it is spaced.
bool has_unnamed_namespace(const std::string& text) {
  constexpr std::string_view kWord = "namespace";
  for (std::size_t at = text.find(kWord); at != std::string::npos; at = text.find(kWord, at)) {
    at = text.find_first_not_of(" \t\r\n", at + kWord.size());
    if (at != std::string::npos && text[at] == '{') return true;
  }
  return false;
}

}  // namespace

std::string symbol_expression(const Configuration& configuration, const std::string& symbol) {
  const std::size_t open = symbol.find('<');
  const std::size_t close = symbol.rfind('>');
  if (open == std::string::npos || close == std::string::npos || close < open) return symbol;
  std::vector<std::string> arguments;
  for (const std::string& part : split(symbol.substr(open + 1, close - open - 1), ',')) {
    const std::string argument(trim(part));
    const bool known = configuration.workload().find_parameter(argument) != nullptr;
    arguments.push_back(known ? configuration.value(argument).cpp_literal() : argument);
  }
  return symbol.substr(0, open) + "<" + join(arguments, ", ") + ">";
}

std::string variable_of_function(const std::string& expression) {
  std::string name = "kiln_function_";
  for (const char c : expression) name += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  return name;
}

std::string entry_of_variable(const std::string& symbol_expression) {
  return "&" + symbol_expression;
}

bool needs_entry(const std::string& symbol_expression, const Specialization& specialization) {
  if (symbol_expression.find_first_of("<:") != std::string::npos) return true;
  return any_text(specialization, has_unnamed_namespace);
}

std::string mangled_variable(const std::string& symbol_expression) {
  if (symbol_expression.find("::") == std::string::npos || symbol_expression.find('<') != std::string::npos)
    return symbol_expression;
  std::string mangled = "_ZN";
  for (const std::string& part : split(symbol_expression, ':')) {
    if (!part.empty()) mangled += std::to_string(part.size()) + part;
  }
  return mangled + "E";
}

}  // namespace kiln
