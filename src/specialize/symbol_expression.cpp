#include "specialize/symbol_expression.h"

#include <vector>

#include "base/text.h"

namespace kiln {

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

std::string entry_of_variable(const std::string& symbol_expression) {
  return symbol_expression.find('<') == std::string::npos ? "" : "&" + symbol_expression;
}

}  // namespace kiln
