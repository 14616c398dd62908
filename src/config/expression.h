#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kiln/error.h"

namespace kiln {

/// Values of names, for the evaluation of expressions.
using Variables = std::map<std::string, double>;

/// What is wrong with an expression, and at which character (from 0) of its text.
struct ExpressionProblem {
  std::string message;
  std::optional<std::size_t> position;
};

/// Evaluates the expression language of docs/workload_format.md (muParser with `//`, `%`, `!`, ceil_div,
/// ...). Type names (float, double, ...) are constants that compare equal to a type parameter of that value.
/// Throws bad_input at `where`, moved to the character at fault when `where` has a column: syntax errors,
/// unknown names (with the nearest), division by zero, a result that is not finite.
[[nodiscard]] double evaluate_expression(const std::string& text, const Variables& variables,
                                         const SourceLocation& where, const std::string& key);

/// Names that an expression uses and that are neither functions nor constants, in order. Throws as above for
/// syntax.
[[nodiscard]] std::vector<std::string> expression_names(const std::string& text, const SourceLocation& where,
                                                        const std::string& key);

/// The number that stands for a scalar type's name in expressions.
[[nodiscard]] std::optional<double> type_constant(const std::string& type_name);

}  // namespace kiln
