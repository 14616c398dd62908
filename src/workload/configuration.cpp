#include "workload/configuration.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "base/text.h"
#include "workload/text_numbers.h"

namespace kiln {
namespace {

constexpr double kFirstWordId = -2000;
constexpr double kMaxExactInteger = 0x1p53;

std::string in_place(const SourceLocation& where, const std::string& name) {
  return where.line > 0 || where.file.empty() ? name + ": " : "";
}

std::pair<double, double> range_of(ScalarType type) {
  switch (type) {
    case ScalarType::kInt8:
      return {-128, 127};
    case ScalarType::kUint8:
      return {0, 255};
    case ScalarType::kInt16:
      return {-32768, 32767};
    case ScalarType::kUint16:
      return {0, 65535};
    case ScalarType::kInt:
      return {std::numeric_limits<std::int32_t>::min(), std::numeric_limits<std::int32_t>::max()};
    case ScalarType::kUnsigned:
      return {0, std::numeric_limits<std::uint32_t>::max()};
    case ScalarType::kUnsignedLong:
      return {0, 0x1p63};
    default:
      return {-0x1p63, 0x1p63};
  }
}

std::string real_literal(double value, bool single) {
  std::string text = format_number(single ? static_cast<double>(static_cast<float>(value)) : value);
  if (text.find_first_of(".en") == std::string::npos) text += ".0";
  return single ? text + "f" : text;
}

std::vector<std::string> texts_of(const std::vector<ExpressionText>& list) {
  std::vector<std::string> texts;
  for (const ExpressionText& item : list) texts.push_back(item.text);
  return texts;
}

bool is_let(const Workload& workload, const std::string& name) {
  return std::any_of(workload.lets.begin(), workload.lets.end(),
                     [&](const auto& let) { return let.first == name; });
}

}  // namespace

std::string ParameterValue::to_string() const {
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return std::to_string(*whole);
  return format_number(std::get<double>(value));
}

std::string ParameterValue::cpp_literal() const {
  if (kind == ParameterKind::kChoice) return std::to_string(choice_index);
  if (kind == ParameterKind::kType) return cpp_name(parse_scalar_type(std::get<std::string>(value)).value());
  if (kind == ParameterKind::kPath) return "\"" + std::get<std::string>(value) + "\"";
  if (is_real(type)) return real_literal(number(), type == ScalarType::kFloat);
  std::string text = to_string();
  if (type == ScalarType::kLong) {
    // The smallest value has no literal of its own.
    if (std::get<std::int64_t>(value) == std::numeric_limits<std::int64_t>::min())
      return "(-9223372036854775807LL - 1)";
    text += "LL";
  }
  if (type == ScalarType::kUnsignedLong) text += "ULL";
  if (type == ScalarType::kUnsigned) text += "u";
  if (type == ScalarType::kInt && text == "-2147483648") return "(-2147483647 - 1)";
  return text;
}

double ParameterValue::number() const {
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return static_cast<double>(*whole);
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? 1 : 0;
  if (const auto* real = std::get_if<double>(&value)) return *real;
  return 0;
}

const ParameterValue& Configuration::value(const std::string& name) const {
  for (const auto& [candidate, found] : values_) {
    if (candidate == name) return found;
  }
  throw internal_error("no parameter '" + name + "'");
}

std::int64_t Configuration::seed() const {
  return std::get<std::int64_t>(value("seed").value);
}

double Configuration::evaluate(const ExpressionText& expression, const Variables& extra) const {
  if (extra.empty())
    return evaluate_expression(expression.text, variables_, expression.where, expression.key);
  Variables all = variables_;
  all.insert(extra.begin(), extra.end());
  return evaluate_expression(expression.text, all, expression.where, expression.key);
}

std::int64_t Configuration::evaluate_integer(const ExpressionText& expression, std::int64_t low,
                                             std::int64_t high, const Variables& extra) const {
  const double result = evaluate(expression, extra);
  const std::string context = expression.key + ": '" + expression.text + "' is " + format_number(result);
  if (result != std::floor(result)) {
    throw bad_input(
        context + "; a whole number is needed: use ceil_div(a, b), or a // b for the integer quotient",
        expression.where);
  }
  if (std::abs(result) > kMaxExactInteger || result < static_cast<double>(low) ||
      result > static_cast<double>(high)) {
    throw bad_input(context + "; expected " + std::to_string(low) + " to " + std::to_string(high),
                    expression.where);
  }
  return static_cast<std::int64_t>(result);
}

bool Configuration::evaluate_condition(const ExpressionText& expression) const {
  return evaluate(expression) != 0;
}

std::string Configuration::explain(const ExpressionText& expression) const {
  std::vector<std::string> values;
  for (const std::string& name : expression_names(expression.text, expression.where, expression.key)) {
    const ParameterSpec* parameter = workload_->find_parameter(name);
    const auto variable = variables_.find(name);
    if (parameter != nullptr) {
      values.push_back(name + " = " + value(name).to_string());
    } else if (variable != variables_.end() && is_let(*workload_, name)) {
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
  if (const auto type = parse_scalar_type(name)) return type;
  const ParameterSpec* parameter = workload_->find_parameter(name);
  if (parameter == nullptr || parameter->kind != ParameterKind::kType) return std::nullopt;
  return parse_scalar_type(value(name).to_string());
}

/// Gives each parameter its value, in the order of the workload file.
class ConfigurationBuilder {
 public:
  ConfigurationBuilder(const std::shared_ptr<const Workload>& workload,
                       const std::vector<std::pair<std::string, RawValue>>& assignments,
                       const std::string& backend, FileSystem& files)
      : workload_(*workload), assignments_(assignments), files_(files) {
    result_.workload_ = workload;
    result_.backend_ = backend;
  }

  ConfigurationResult build() {
    check_names();
    result_.fast_math_ = read_switch("fast_math", false);
    result_.launch_bounds_ = read_switch("launch_bounds", true);
    result_.variables_["fast_math"] = result_.fast_math_ ? 1 : 0;
    result_.variables_["launch_bounds"] = result_.launch_bounds_ ? 1 : 0;
    define_words();
    for (const ParameterSpec& parameter : workload_.parameters) add(parameter);
    for (const auto& [name, text] : workload_.lets) evaluate_let(name);
    std::optional<ExpressionText> violated;
    for (const ExpressionText& constraint : workload_.constraints) {
      if (!result_.evaluate_condition(constraint)) {
        violated = constraint;
        break;
      }
    }
    return {std::move(result_), violated};
  }

 private:
  [[nodiscard]] const RawValue* assigned(const std::string& name) const {
    const RawValue* found = nullptr;
    for (const auto& [candidate, value] : assignments_) {
      if (candidate == name) found = &value;
    }
    return found;
  }

  void check_names() const {
    std::vector<std::string> known{"fast_math", "launch_bounds", "bind.all"};
    for (const ParameterSpec& parameter : workload_.parameters) {
      known.push_back(parameter.name);
      if (parameter.kind != ParameterKind::kPath) known.push_back("bind." + parameter.name);
    }
    for (const auto& [name, value] : assignments_) {
      if (std::find(known.begin(), known.end(), name) != known.end()) continue;
      const auto nearest = nearest_name(name, known);
      std::vector<std::string> parameters;
      for (const ParameterSpec& parameter : workload_.parameters) parameters.push_back(parameter.name);
      throw bad_input("workload '" + workload_.name + "' has no parameter '" + name + "'" +
                          (nearest ? "; did you mean '" + *nearest + "'?"
                                   : "; it has " + join(parameters, ", ") + ", fast_math, launch_bounds"),
                      value.where);
    }
  }

  [[nodiscard]] bool read_switch(const std::string& name, bool otherwise) const {
    const RawValue* raw = assigned(name);
    if (raw == nullptr) return otherwise;
    if (raw->text != "true" && raw->text != "false") {
      throw bad_input(in_place(raw->where, name) + "expected true or false; found '" + raw->text + "'",
                      raw->where);
    }
    return raw->text == "true";
  }

  void define_words() {
    std::set<std::string> words;
    for (const ParameterSpec& parameter : workload_.parameters) {
      if (parameter.kind != ParameterKind::kChoice) continue;
      for (const ExpressionText& value : parameter.values) words.insert(value.text);
    }
    double id = kFirstWordId;
    for (const std::string& word : words) result_.variables_[word] = id--;
  }

  void add(const ParameterSpec& parameter) {
    const RawValue* raw = assigned(parameter.name);
    ParameterValue value;
    value.kind = parameter.kind;
    value.binding = binding_of(parameter);
    if (parameter.kind == ParameterKind::kScalar) {
      value.type = result_.scalar_type(parameter.scalar_type).value_or(ScalarType::kInt);
    }
    const auto header = header_value(parameter);
    if (raw != nullptr) {
      assign(parameter, value, raw->text, raw->where);
      check_against_header(parameter, value, header, raw->where);
    } else if (header) {
      store(parameter, value, header->second, parameter.from->where);
    } else {
      assign_default(parameter, value);
    }
    check_allowed(parameter, value, raw != nullptr ? raw->where : parameter.where);
    result_.variables_[parameter.name] = variable_of(parameter, value);
    result_.values_.emplace_back(parameter.name, std::move(value));
  }

  [[nodiscard]] Binding binding_of(const ParameterSpec& parameter) const {
    const RawValue* own =
        parameter.kind == ParameterKind::kPath ? nullptr : assigned("bind." + parameter.name);
    const RawValue* all = assigned("bind.all");
    for (const RawValue* raw : {own, all}) {
      if (raw != nullptr && raw->text != "compile" && raw->text != "run") {
        throw bad_input(in_place(raw->where, "bind") + "expected compile or run; found '" + raw->text + "'",
                        raw->where);
      }
    }
    const auto wanted = [](const RawValue& raw) {
      return raw.text == "run" ? Binding::kRun : Binding::kCompile;
    };
    if (parameter.fixed_binding) {
      if (own != nullptr && wanted(*own) != *parameter.fixed_binding) {
        const bool compile = *parameter.fixed_binding == Binding::kCompile;
        throw bad_input("bind." + parameter.name + ": '" + parameter.name + "' is always bound at " +
                            (compile ? "compile" : "run") + " time",
                        own->where);
      }
      return *parameter.fixed_binding;
    }
    if (own != nullptr) return wanted(*own);
    return all != nullptr ? wanted(*all) : Binding::kCompile;
  }

  /// The path and the value of a parameter that stands in a file, if the file's path is set.
  [[nodiscard]] std::optional<std::pair<std::string, double>> header_value(
      const ParameterSpec& parameter) const {
    if (!parameter.from) return std::nullopt;
    const HeaderSource& source = *parameter.from;
    const auto path = result_.expand_path(source.file, source.where);
    if (!path) return std::nullopt;
    if (source.binary) {
      const auto status = files_.status(*path);
      if (!status) throw bad_input("no such file", {*path, 0, 0});
      const auto record = static_cast<std::uint64_t>(source.record_bytes);
      if (status->size == 0 || status->size % record != 0) {
        throw bad_input("holds " + std::to_string(status->size) + " bytes, which is not a multiple of the " +
                            std::to_string(record) + " bytes of a record: truncated, or not of this format",
                        {*path, 0, 0});
      }
      return std::pair{*path, static_cast<double>(status->size / record)};
    }
    const auto text = read(*path);
    NumberReader reader(text, *path);
    for (std::int64_t i = 0; i <= source.index; ++i) {
      const auto number = reader.next();
      if (!number) {
        throw bad_input("ends before number " + std::to_string(source.index + 1) + ", which is to give '" +
                            parameter.name + "'",
                        reader.where());
      }
      if (i == source.index) return std::pair{*path, *number};
    }
    return std::nullopt;
  }

  [[nodiscard]] std::string read(const std::string& path) const {
    std::optional<std::string> text;
    try {
      text = files_.read_file(path);
    } catch (const std::filesystem::filesystem_error& error) {
      throw bad_input("cannot be read: " + error.code().message(), {path, 0, 0});
    }
    if (!text) throw bad_input("no such file", {path, 0, 0});
    return *text;
  }

  void check_against_header(const ParameterSpec& parameter, const ParameterValue& value,
                            const std::optional<std::pair<std::string, double>>& header,
                            const SourceLocation& where) const {
    if (!header) return;
    const double in_file = header->second;
    const bool fits = parameter.from->at_most ? value.number() <= in_file : value.number() == in_file;
    if (fits) return;
    throw bad_input(in_place(where, parameter.name) + "is set to " + value.to_string() + ", but '" +
                        header->first + "' has " + format_number(in_file),
                    where);
  }

  void assign_default(const ParameterSpec& parameter, ParameterValue& value) const {
    const auto own = parameter.defaults.find(result_.backend_);
    const ExpressionText& text =
        own != parameter.defaults.end() ? own->second : parameter.defaults.at("otherwise");
    const bool literal =
        parameter.kind != ParameterKind::kScalar || text.text == "true" || text.text == "false";
    if (literal || parse_integer(text.text) || parse_real(text.text)) {
      assign(parameter, value, text.text, text.where);
    } else {
      store(parameter, value, result_.evaluate(text), text.where);
    }
  }

  void assign(const ParameterSpec& parameter, ParameterValue& value, const std::string& text,
              const SourceLocation& where) const {
    switch (parameter.kind) {
      case ParameterKind::kType:
        if (!parse_scalar_type(text)) {
          const auto known = parameter.values.empty() ? scalar_type_names() : texts_of(parameter.values);
          throw bad_input(
              in_place(where, parameter.name) + "unknown type '" + text + "'" + suggestion(text, known),
              where);
        }
        value.value = text;
        return;
      case ParameterKind::kChoice:
        value.value = text;
        return;
      case ParameterKind::kPath:
        value.value = resolve_path(parameter, text, where);
        return;
      case ParameterKind::kScalar:
        break;
    }
    if (value.type == ScalarType::kBool) {
      if (text != "true" && text != "false") {
        throw bad_input(in_place(where, parameter.name) + "expected true or false; found '" + text + "'",
                        where);
      }
      value.value = text == "true";
      return;
    }
    if (!is_real(value.type)) {
      if (const auto whole = parse_integer(text)) {
        value.value = *whole;
        check_range(parameter, value, where);
        return;
      }
    }
    const auto number = parse_real(text);
    if (!number) {
      throw bad_input(in_place(where, parameter.name) + "expected " +
                          (is_real(value.type) ? "a number" : "a whole number") + " (" +
                          to_string_type(value) + "); found '" + text + "'",
                      where);
    }
    store(parameter, value, *number, where);
  }

  [[nodiscard]] static std::string to_string_type(const ParameterValue& value) {
    return kiln::to_string(value.type);
  }

  [[nodiscard]] std::string resolve_path(const ParameterSpec& parameter, const std::string& text,
                                         const SourceLocation& where) const {
    if (text.empty()) return text;
    std::filesystem::path path(text);
    // A path in a file is relative to the file, one from the command line to the working directory.
    if (path.is_relative() && where.line > 0) path = std::filesystem::path(where.file).parent_path() / path;
    if (!files_.status(path)) {
      throw bad_input(in_place(where, parameter.name) + "no such file or folder: '" + path.string() + "'",
                      where);
    }
    return path.string();
  }

  void store(const ParameterSpec& parameter, ParameterValue& value, double number,
             const SourceLocation& where) const {
    if (value.type == ScalarType::kBool) {
      value.value = number != 0;
      return;
    }
    if (is_real(value.type)) {
      value.value = number;
      if (!std::isfinite(number)) {
        throw bad_input(in_place(where, parameter.name) + "expected a finite number", where);
      }
      return;
    }
    if (number != std::floor(number) || std::abs(number) > kMaxExactInteger) {
      throw bad_input(
          in_place(where, parameter.name) + "expected a whole number; found " + format_number(number), where);
    }
    value.value = static_cast<std::int64_t>(number);
    check_range(parameter, value, where);
  }

  void check_range(const ParameterSpec& parameter, const ParameterValue& value,
                   const SourceLocation& where) const {
    const auto [low, high] = range_of(value.type);
    const double number = value.number();
    if (number >= low && number <= high) return;
    throw bad_input(in_place(where, parameter.name) + value.to_string() + " does not fit the type " +
                        to_string_type(value),
                    where);
  }

  void check_allowed(const ParameterSpec& parameter, const ParameterValue& value,
                     const SourceLocation& where) const {
    if (!parameter.values.empty()) {
      const bool allowed =
          std::any_of(parameter.values.begin(), parameter.values.end(), [&](const ExpressionText& text) {
            if (std::holds_alternative<std::string>(value.value)) return value.to_string() == text.text;
            return value.number() == result_.evaluate(text);
          });
      if (!allowed) {
        throw bad_input(in_place(where, parameter.name) + value.to_string() + " is not allowed" +
                            (parameter.kind == ParameterKind::kScalar
                                 ? "; expected one of " + join(texts_of(parameter.values), ", ")
                                 : suggestion(value.to_string(), texts_of(parameter.values))),
                        where);
      }
    }
    const bool scalar = parameter.kind == ParameterKind::kScalar;
    if (scalar && parameter.min && value.number() < result_.evaluate(*parameter.min)) {
      throw bad_input(in_place(where, parameter.name) + value.to_string() + " is too small; the least is " +
                          format_number(result_.evaluate(*parameter.min)),
                      where);
    }
    if (scalar && parameter.max && value.number() > result_.evaluate(*parameter.max)) {
      throw bad_input(in_place(where, parameter.name) + value.to_string() + " is too large; the most is " +
                          format_number(result_.evaluate(*parameter.max)),
                      where);
    }
  }

  [[nodiscard]] double variable_of(const ParameterSpec& parameter, ParameterValue& value) const {
    switch (parameter.kind) {
      case ParameterKind::kType:
        return type_constant(value.to_string()).value_or(0);
      case ParameterKind::kPath:
        return value.to_string().empty() ? 0 : 1;
      case ParameterKind::kChoice: {
        const auto words = texts_of(parameter.values);
        const auto found = std::find(words.begin(), words.end(), value.to_string());
        value.choice_index = static_cast<int>(found - words.begin());
        return result_.variables_.at(value.to_string());
      }
      case ParameterKind::kScalar:
        break;
    }
    return value.number();
  }

  void evaluate_let(const std::string& name) {
    if (result_.variables_.contains(name)) return;
    const auto let = std::find_if(workload_.lets.begin(), workload_.lets.end(),
                                  [&](const auto& entry) { return entry.first == name; });
    if (let == workload_.lets.end()) return;
    const ExpressionText& text = let->second;
    for (const std::string& used : expression_names(text.text, text.where, text.key)) evaluate_let(used);
    result_.variables_[name] = result_.evaluate(text);
  }

  const Workload& workload_;
  const std::vector<std::pair<std::string, RawValue>>& assignments_;
  FileSystem& files_;
  Configuration result_;
};

ConfigurationResult configure(const std::shared_ptr<const Workload>& workload,
                              const std::vector<std::pair<std::string, RawValue>>& assignments,
                              const std::string& backend, FileSystem& files) {
  return ConfigurationBuilder(workload, assignments, backend, files).build();
}

}  // namespace kiln
