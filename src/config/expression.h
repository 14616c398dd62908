#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <shared_mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "kiln/error.h"

namespace kiln {

/// Values of names, for the evaluation of expressions.
using Variables = std::map<std::string, double>;

/// The mistake in an expression, and its character (from 0) in the text.
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

/// Expressions that are read once and evaluated often: what a text means is kept by the text. Gives and
/// throws what the functions above do. Thread-safe.
class ExpressionMemo {
 public:
  ExpressionMemo();
  ~ExpressionMemo();

  /// A name is looked for in `first`, then in `variables`.
  [[nodiscard]] double evaluate(const std::string& text, const Variables& first, const Variables& variables,
                                const SourceLocation& where, const std::string& key);
  [[nodiscard]] std::vector<std::string> names(const std::string& text, const SourceLocation& where,
                                               const std::string& key);

 private:
  struct Compiled;
  [[nodiscard]] Compiled* find(const std::string& text);

  std::shared_mutex mutex_;
  std::unordered_map<std::string, std::unique_ptr<Compiled>> compiled_;  // null: a text that has a mistake
};

/// Whether the name is that of a function of the language.
[[nodiscard]] bool is_expression_function(const std::string& name);

/// The number that stands for a scalar type's name in expressions.
[[nodiscard]] std::optional<double> type_constant(const std::string& type_name);

}  // namespace kiln
