#include "workload/configuration.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "base/text.h"
#include "config/scalar_dispatch.h"
#include "workload/device_words.h"

namespace kiln {
namespace {

std::string real_literal(double value, ScalarType type) {
  std::string text = format_number(value);
  if (text.find_first_of(".en") == std::string::npos) text += ".0";
  return type == ScalarType::kDouble ? text : text + "f";
}

}  // namespace

std::string parameter_of(const Workload& workload, const LaunchSpec& launch, const std::string& name) {
  const std::size_t length = launch.timing.size();
  if (name.size() <= length + 1 || name[length] != '.' || !name.starts_with(launch.timing)) return "";
  if (name.starts_with("bind.") || workload.find_parameter(name) != nullptr) return "";
  return name.substr(length + 1);
}

std::string ParameterValue::to_string() const {
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return std::to_string(*whole);
  return format_number(std::get<double>(value));
}

std::string ParameterValue::cpp_literal() const {
  if (kind == ParameterKind::kChoice) return std::to_string(choice_index);
  if (kind == ParameterKind::kType) return cpp_name(parse_element_type(std::get<std::string>(value)).value());
  if (kind == ParameterKind::kPath) return "\"" + std::get<std::string>(value) + "\"";
  return visit_element(type, [&]<class T>() -> std::string {
    if constexpr (std::is_same_v<T, bool>) return to_string();
    if constexpr (kIsRealType<T>) {
      return real_literal(static_cast<double>(static_cast<T>(number())), type);
    }
    const char* suffix = std::is_signed_v<T> ? (sizeof(T) > 4 ? "LL" : "") : sizeof(T) > 4 ? "ULL" : "u";
    const std::int64_t whole = std::get<std::int64_t>(value);
    // The smallest value has no literal of its own.
    if (sizeof(T) >= 4 && std::is_signed_v<T> && whole == integer_range(type).least)
      return "(" + std::to_string(whole + 1) + suffix + " - 1)";
    return std::to_string(whole) + (sizeof(T) < 4 ? "" : suffix);
  });
}

double ParameterValue::number() const {
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return static_cast<double>(*whole);
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? 1 : 0;
  if (const auto* real = std::get_if<double>(&value)) return *real;
  return 0;
}

Number ParameterValue::exact_number() const {
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return *whole;
  return number();
}

const ParameterValue& Configuration::value(const std::string& name) const {
  for (const auto& [candidate, found] : values_) {
    if (candidate == name) return found;
  }
  throw internal_error("no parameter '" + name + "'");
}

const ParameterValue* Configuration::find_value(const std::string& name) const {
  for (const auto& [candidate, found] : values_) {
    if (candidate == name) return &found;
  }
  for (const auto& [launch, child] : children_) {
    const std::string own = parameter_of(*workload_, *launch, name);
    if (!own.empty()) return child->find_value(own);
  }
  const ParameterValue* found = nullptr;
  for_each_launch(workload_->run, [&](const LaunchSpec& launch) {
    const std::string own = parameter_of(*workload_, launch, name);
    if (found == nullptr && !own.empty()) found = find_value(own);
  });
  return found;
}

std::vector<std::pair<std::string, ParameterValue>> Configuration::launch_values() const {
  std::vector<std::pair<std::string, ParameterValue>> values;
  for (const auto& [name, given] : given_) {
    for (const auto& [launch, child] : children_) {
      const std::string own = parameter_of(*workload_, *launch, name);
      if (own.empty()) continue;
      values.emplace_back(name, child->value(own));
      break;
    }
  }
  return values;
}

ParameterValue Configuration::value(const std::string& name, const Variables& variables) const {
  ParameterValue result = value(name);
  const auto found = variables.find(name);
  if (found == variables.end()) return result;
  const double number = found->second;
  if (is_real(result.type)) {
    result.value = number;
  } else if (result.type == ScalarType::kBool) {
    result.value = number != 0;
  } else if (number == std::floor(number) && std::abs(number) <= static_cast<double>(kMaxExactInteger) &&
             integer_range(result.type).holds(static_cast<std::int64_t>(number))) {
    result.value = static_cast<std::int64_t>(number);
  } else {
    throw bad_input("the program gives '" + name + "' the value " + format_number(number) +
                        ", which does not fit its type " + kiln::to_string(result.type) + "; expected " +
                        range_text(result.type),
                    workload_->find_parameter(name)->where);
  }
  return result;
}

const Configuration& Configuration::of(const LaunchSpec& launch) const {
  const auto child = children_.find(&launch);
  return child == children_.end() ? *this : *child->second;
}

std::int64_t Configuration::seed() const {
  const auto own = static_cast<std::uint64_t>(std::get<std::int64_t>(value("seed").value));
  return static_cast<std::int64_t>(own + added_seed_);
}

double Configuration::evaluate(const ExpressionText& expression, const Variables& extra) const {
  if (!inexact_.empty()) require_exact(expression);
  return workload_->expressions->evaluate(expression.text, extra, variables_, expression.where,
                                          expression.key);
}

void Configuration::require_exact(const ExpressionText& expression) const {
  for (const std::string& name : expression_names(expression.text, expression.where, expression.key)) {
    if (!inexact_.contains(name)) continue;
    throw bad_input(expression.key + ": '" + expression.text + "' uses '" + name + "', which is " +
                        value(name).to_string() +
                        ": expressions are exact up to 2^53 = " + std::to_string(kMaxExactInteger) +
                        "; kernels may use such a value, expressions may not",
                    expression.where);
  }
}

Number Configuration::evaluate_number(const ExpressionText& expression) const {
  if (const auto whole = parse_integer(expression.text)) return *whole;
  for (const auto& [name, known] : values_) {
    if (name == expression.text && known.kind == ParameterKind::kScalar) return known.exact_number();
  }
  return evaluate(expression);
}

std::int64_t Configuration::evaluate_integer(const ExpressionText& expression, std::int64_t low,
                                             std::int64_t high, const Variables& extra) const {
  const Number number = extra.empty() ? evaluate_number(expression) : Number(evaluate(expression, extra));
  const auto context = [&] { return expression.key + ": '" + expression.text + "' is " + to_string(number); };
  const auto* whole = std::get_if<std::int64_t>(&number);
  const double result = to_real(number);
  if (whole == nullptr && result != std::floor(result)) {
    throw bad_input(
        context() + "; a whole number is needed: use ceil_div(a, b), or a // b for the integer quotient",
        expression.where);
  }
  if (compare(number, low) < 0 || compare(number, high) > 0) {
    throw bad_input(context() + "; expected " + std::to_string(low) + " to " + std::to_string(high),
                    expression.where);
  }
  if (whole != nullptr) return *whole;
  if (std::abs(result) >= static_cast<double>(kMaxExactInteger)) {
    throw bad_input(context() +
                        ", which may be rounded: whole numbers of expressions are exact below 2^53 = " +
                        std::to_string(kMaxExactInteger),
                    expression.where);
  }
  return static_cast<std::int64_t>(result);
}

bool Configuration::evaluate_condition(const ExpressionText& expression, const Variables& extra) const {
  return evaluate(expression, extra) != 0;
}

std::string Configuration::explain(const ExpressionText& expression) const {
  std::vector<std::string> values;
  for (const std::string& name : workload_->names_in(expression)) {
    const ParameterSpec* parameter = workload_->find_parameter(name);
    const auto variable = variables_.find(name);
    if (parameter != nullptr) {
      values.push_back(name + " = " + value(name).to_string());
    } else if (variable != variables_.end() && (workload_->find_let(name) || is_device_word(name))) {
      values.push_back(name + " = " + format_number(variable->second));
    }
  }
  return "'" + expression.text + "'" + (values.empty() ? "" : " (" + join(values, ", ") + ")");
}

std::optional<std::string> Configuration::expand_path(const std::string& text,
                                                      const SourceLocation& where) const {
  std::string result;
  std::size_t position = 0;
  while (position < text.size()) {
    const std::size_t open = text.find('{', position);
    result += text.substr(position, open == std::string::npos ? open : open - position);
    if (open == std::string::npos) break;
    const std::size_t close = text.find('}', open);
    if (close == std::string::npos) throw bad_input("'{' without '}' in '" + text + "'", where);
    const ParameterValue& parameter = value(text.substr(open + 1, close - open - 1));
    const std::string replacement = parameter.to_string();
    if (parameter.kind == ParameterKind::kPath && replacement.empty()) return std::nullopt;
    result += replacement;
    position = close + 1;
  }
  std::filesystem::path path(result);
  if (path.is_relative() && text.find('{') == std::string::npos) path = workload_->directory / path;
  return path.string();
}

std::optional<ScalarType> Configuration::scalar_type(const std::string& name) const {
  const auto type = element_type(name);
  if (type && type->lanes > 1)
    throw bad_input(
        "'" + name + "' is " + value(name).to_string() + ", a vector; expected the type of a number",
        workload_->find_parameter(name)->where);
  return type ? std::optional(type->scalar) : std::nullopt;
}

std::optional<ElementType> Configuration::element_type(const std::string& name) const {
  if (const auto type = parse_scalar_type(name)) return ElementType{*type, 1};
  const ParameterSpec* parameter = workload_->find_parameter(name);
  if (parameter == nullptr || parameter->kind != ParameterKind::kType) return std::nullopt;
  return parse_element_type(value(name).to_string());
}

std::optional<ElementType> Configuration::element_type(const BufferSpec& buffer) const {
  auto type = element_type(buffer.type);
  if (type) type->lanes *= buffer.lanes;
  return type;
}

}  // namespace kiln
