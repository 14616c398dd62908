#include "config/expression.h"

#include <muParser.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <deque>
#include <mutex>

#include "base/text.h"
#include "config/scalar_type.h"

namespace kiln {
namespace {

// Identities of types: far from any size or count, so that a comparison with a number by mistake is false.
constexpr double kFirstTypeId = -1001;

double id_of(ScalarType type) {
  return kFirstTypeId - static_cast<double>(type);
}

constexpr const char* kNameCharacters = "0123456789_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.";

const std::vector<std::string>& function_names() {
  static const std::vector<std::string> names{"ceil_div", "round_up", "min",  "max",  "abs", "floor",
                                              "ceil",     "round",    "sqrt", "log2", "pow", "exp",
                                              "log",      "sizeof",   "eps",  "sin",  "cos", "tan"};
  return names;
}

[[noreturn]] void fail(const char* message) {
  throw mu::ParserError(message);
}

double checked_divide(double a, double b) {
  if (b == 0) fail("division by zero");
  return a / b;
}
double integer_divide(double a, double b) {
  return std::floor(checked_divide(a, b));
}
double remainder_of(double a, double b) {
  return a - b * integer_divide(a, b);
}
double ceil_div(double a, double b) {
  return std::ceil(checked_divide(a, b));
}
double round_up(double a, double b) {
  return ceil_div(a, b) * b;
}
double logical_not(double a) {
  return a == 0 ? 1 : 0;
}
double power(double a, double b) {
  return std::pow(a, b);
}

/// A vector's identity is that of its scalar, and this for each further lane.
constexpr double kIdOfALane = -1000;
constexpr double kMostLanes = 4;

/// The number of lanes, and the scalar.
std::pair<double, const ScalarFacts*> type_of(double id) {
  for (double lanes = 1; lanes <= kMostLanes; ++lanes) {
    for (const ScalarFacts& type : scalar_types()) {
      if (id_of(type.type) + kIdOfALane * (lanes - 1) == id) return {lanes, &type};
    }
  }
  fail("sizeof and eps take a type, such as T or double");
}
double size_of_type(double id) {
  const auto [lanes, type] = type_of(id);
  return lanes * static_cast<double>(type->bytes);
}
double epsilon_of_type(double id) {
  return type_of(id).second->epsilon;
}

/// The language without variables.
mu::Parser make_language() {
  mu::Parser parser;
  parser.DefineNameChars(kNameCharacters);
  parser.DefineOprt("//", integer_divide, mu::prMUL_DIV, mu::oaLEFT, true);
  parser.DefineOprt("%", remainder_of, mu::prMUL_DIV, mu::oaLEFT, true);
  parser.DefineInfixOprt("!", logical_not);
  parser.DefineFun("ceil_div", ceil_div);
  parser.DefineFun("round_up", round_up);
  parser.DefineFun("floor", static_cast<double (*)(double)>(std::floor));
  parser.DefineFun("ceil", static_cast<double (*)(double)>(std::ceil));
  parser.DefineFun("round", static_cast<double (*)(double)>(std::round));
  parser.DefineFun("pow", power);
  parser.DefineFun("sizeof", size_of_type);
  parser.DefineFun("eps", epsilon_of_type);
  for (const ScalarFacts& type : scalar_types()) {
    parser.DefineConst(type.name, id_of(type.type));
    if (*type.width_name != 0) parser.DefineConst(type.width_name, id_of(type.type));
  }
  return parser;
}

/// A copy of one that is made once: each definition checks its name.
mu::Parser make_parser() {
  static const mu::Parser language = make_language();
  return language;
}

/// Integers of 16 digits and more may lie between two doubles.
void require_exact_literal(const std::string& digits) {
  constexpr std::size_t kAlwaysExact = 15;
  if (digits.size() <= kAlwaysExact) return;
  const double value = parse_real(digits).value_or(0);
  std::array<char, 512> exact{};
  const int length = std::snprintf(exact.data(), exact.size(), "%.0f", value);
  const std::string_view significant =
      std::string_view(digits).substr(std::min(digits.find_first_not_of('0'), digits.size() - 1));
  if (significant != std::string_view(exact.data(), static_cast<std::size_t>(std::max(length, 0)))) {
    const std::string message =
        (digits.size() > 40 ? in_quotes(digits) : digits) +
        " is more exact than the numbers of an expression, which are doubles; a parameter of the type "
        "long may have it as its value,";
    throw mu::ParserError(message);
  }
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// Checks all integers in `text`; numbers with a point or an exponent may be rounded.
void require_exact_literals(const std::string& text) {
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t begin = i;
    while (i < text.size() && std::string_view(kNameCharacters).find(text[i]) != std::string_view::npos) ++i;
    const std::string word = text.substr(begin, i - begin);
    if (!word.empty() && std::all_of(word.begin(), word.end(), is_digit)) require_exact_literal(word);
    if (word.empty()) ++i;
  }
}

/// Refuses input that muParser accepts but no user intends: assignment, a list of results, text, nothing at
/// all.
void check_form(const std::string& text) {
  if (trim(text).empty()) throw mu::ParserError("an expression is expected");
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"') throw mu::ParserError(mu::ecUNEXPECTED_STR, static_cast<int>(i), "\"");
    if (text[i] != '=') continue;
    const bool first_of_two = i + 1 < text.size() && text[i + 1] == '=';
    const bool second_of_two = i > 0 && std::string_view("=<>!").find(text[i - 1]) != std::string_view::npos;
    if (!first_of_two && !second_of_two) throw mu::ParserError("'=' is not a comparison; write '=='");
    if (first_of_two) ++i;
  }
  require_exact_literals(text);
}

std::string describe(const mu::ParserError& error, const std::string& text, const Variables& variables) {
  if (error.GetCode() == mu::ecUNASSIGNABLE_TOKEN && is_identifier(error.GetToken())) {
    std::vector<std::string> names = function_names();
    for (const auto& [name, value] : variables) names.push_back(name);
    const auto nearest = nearest_name(error.GetToken(), names);
    return "unknown name '" + error.GetToken() + "'" + (nearest ? "; did you mean '" + *nearest + "'?" : "") +
           " in " + in_quotes(text);
  }
  return error.GetMsg() + " in " + in_quotes(text);
}

Error located(const mu::ParserError& error, const std::string& text, const Variables& variables,
              SourceLocation where, const std::string& key) {
  const bool has_position = error.GetCode() != mu::ecGENERIC && error.GetPos() >= 0;
  if (where.column > 0 && has_position && static_cast<std::size_t>(error.GetPos()) <= text.size()) {
    int position = error.GetPos();
    // muParser reports an unknown name at its end.
    const int length = static_cast<int>(error.GetToken().size());
    if (error.GetCode() == mu::ecUNASSIGNABLE_TOKEN && position >= length &&
        text.compare(static_cast<std::size_t>(position - length), error.GetToken().size(),
                     error.GetToken()) == 0) {
      position -= length;
    }
    where.column += position;
  }
  return bad_input((key.empty() ? "" : key + ": ") + describe(error, text, variables), where);
}

void require_exact(const std::string& text, const SourceLocation& where, const std::string& key) {
  try {
    require_exact_literals(text);
  } catch (const mu::ParserError& error) {
    throw located(error, text, {}, where, key);
  }
}

/// `inf` and `nan` read as numbers, but no value may be one.
void require_finite(double number, const std::string& text, const SourceLocation& where,
                    const std::string& key) {
  if (std::isfinite(number)) return;
  throw bad_input((key.empty() ? "" : key + ": ") + "expected a finite number; found '" + text + "'", where);
}

const double* find_variable(const std::string& name, const Variables& first, const Variables& variables) {
  for (const Variables* known : {&first, &variables}) {
    if (const auto found = known->find(name); found != known->end()) return &found->second;
  }
  return nullptr;
}

double* any_variable(const char* /*name*/, void* storage) {
  return &static_cast<std::deque<double>*>(storage)->emplace_back(1.0);
}

}  // namespace

double evaluate_expression(const std::string& text, const Variables& variables, const SourceLocation& where,
                           const std::string& key) {
  if (const auto number = parse_real(text)) {
    require_finite(*number, text, where, key);
    require_exact(text, where, key);
    return *number;
  }
  if (const auto found = variables.find(text); found != variables.end()) return found->second;
  Variables storage = variables;  // muParser wants addresses of non-const doubles
  try {
    check_form(text);
    mu::Parser parser = make_parser();
    for (auto& [name, value] : storage) parser.DefineVar(name, &value);
    parser.SetExpr(text);
    const double result = parser.Eval();
    if (parser.GetNumResults() > 1) throw mu::ParserError("one value is expected, not a list,");
    if (!std::isfinite(result)) throw mu::ParserError("division by zero or overflow");
    return result;
  } catch (const mu::ParserError& error) {
    throw located(error, text, variables, where, key);
  }
}

std::vector<std::string> expression_names(const std::string& text, const SourceLocation& where,
                                          const std::string& key) {
  if (const auto number = parse_real(text)) {
    require_finite(*number, text, where, key);
    return {};
  }
  try {
    check_form(text);
    mu::Parser parser = make_parser();
    std::deque<double> storage;
    parser.SetVarFactory(any_variable, &storage);
    parser.SetExpr(text);
    std::vector<std::string> names;
    for (const auto& [name, address] : parser.GetUsedVar()) names.push_back(name);
    return names;
  } catch (const mu::ParserError& error) {
    throw located(error, text, {}, where, key);
  }
}

/// A parser that has read its text: its names are places in `storage`, filled in for each evaluation.
struct ExpressionMemo::Compiled {
  std::mutex mutex = {};  // of what follows
  mu::Parser parser = make_parser();
  std::deque<double> storage = {};
  std::vector<std::pair<std::string, double*>> names = {};

  /// Throws mu::ParserError for a mistake in the form.
  explicit Compiled(const std::string& text) {
    check_form(text);
    parser.SetVarFactory(any_variable, &storage);
    parser.SetExpr(text);
    try {
      static_cast<void>(parser.Eval());  // keeps what the text means, also where these values make no sense
    } catch (const mu::ParserError& error) {
      if (error.GetCode() != mu::ecGENERIC) throw;
      static_cast<void>(parser.GetUsedVar());  // throws where it was the form after all
    }
    for (const auto& [name, address] : parser.GetVar()) names.emplace_back(name, address);
  }

  /// `nullopt` where something is wrong: with a name, or the result.
  std::optional<double> evaluate(const Variables& first, const Variables& variables) {
    const std::lock_guard lock(mutex);
    for (const auto& [name, address] : names) {
      const double* found = find_variable(name, first, variables);
      if (found == nullptr) return std::nullopt;
      *address = *found;
    }
    try {
      const double result = parser.Eval();
      if (parser.GetNumResults() == 1 && std::isfinite(result)) return result;
    } catch (const mu::ParserError&) {
      return std::nullopt;
    }
    return std::nullopt;
  }
};

ExpressionMemo::ExpressionMemo() = default;
ExpressionMemo::~ExpressionMemo() = default;

double ExpressionMemo::evaluate(const std::string& text, const Variables& first, const Variables& variables,
                                const SourceLocation& where, const std::string& key) {
  if (const double* found = find_variable(text, first, variables)) return *found;
  if (Compiled* compiled = find(text)) {
    if (const auto value = compiled->evaluate(first, variables)) return *value;
  }
  Variables all = first;
  all.insert(variables.begin(), variables.end());
  return evaluate_expression(text, all, where, key);  // says what is wrong
}

std::vector<std::string> ExpressionMemo::names(const std::string& text, const SourceLocation& where,
                                               const std::string& key) {
  const Compiled* compiled = find(text);
  if (compiled == nullptr) return expression_names(text, where, key);
  std::vector<std::string> names;
  for (const auto& [name, address] : compiled->names) names.push_back(name);
  return names;
}

/// Null for a number, which needs no parser, and for what does not parse.
ExpressionMemo::Compiled* ExpressionMemo::find(const std::string& text) {
  if (parse_real(text)) return nullptr;
  {
    const std::shared_lock lock(mutex_);
    const auto known = compiled_.find(text);
    if (known != compiled_.end()) return known->second.get();
  }
  std::unique_ptr<Compiled> compiled;
  try {
    compiled = std::make_unique<Compiled>(text);
  } catch (const mu::ParserError&) {
    compiled = nullptr;
  }
  const std::unique_lock lock(mutex_);
  return compiled_.emplace(text, std::move(compiled)).first->second.get();
}

bool is_expression_function(const std::string& name) {
  const auto& names = function_names();
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::optional<double> type_constant(const std::string& type_name) {
  const auto type = parse_element_type(type_name);
  if (!type) return std::nullopt;
  return id_of(type->scalar) + kIdOfALane * (static_cast<double>(type->lanes) - 1);
}

}  // namespace kiln
