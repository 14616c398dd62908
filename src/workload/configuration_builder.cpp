#include <algorithm>
#include <cmath>
#include <set>

#include "base/text.h"
#include "workload/configuration.h"
#include "workload/device_words.h"
#include "workload/header_value.h"
#include "workload/selection.h"

namespace kiln {
namespace {

constexpr double kFirstWordId = -2000;

std::string in_place(const SourceLocation& where, const std::string& name) {
  return where.line > 0 || where.file.empty() ? name + ": " : "";
}

std::vector<std::string> texts_of(const std::vector<ExpressionText>& list) {
  std::vector<std::string> texts;
  texts.reserve(list.size());
  for (const ExpressionText& item : list) texts.push_back(item.text);
  return texts;
}

}  // namespace

/// Gives each parameter its value, in the order of the workload file.
class ConfigurationBuilder {
 public:
  ConfigurationBuilder(const std::shared_ptr<const Workload>& workload,
                       const std::vector<std::pair<std::string, RawValue>>& assignments,
                       const DeviceInfo& device, FileSystem& files)
      : workload_(*workload), assignments_(assignments), device_(device), files_(files) {
    result_.workload_ = workload;
    result_.backend_ = device.target.backend;
    define_device_words(device, result_.variables_);
  }

  ConfigurationResult build() {
    check_names();
    result_.given_ = assignments_;
    std::optional<ExpressionText> violated = build_own();
    for (const ProgramSpec* program : {&workload_.run, &workload_.verify_run}) {
      if (!violated && gives_values(*program)) violated = add_children(*program);
    }
    return {std::move(result_), violated, explanation_};
  }

 private:
  /// Whether any launch has values of its own, so that a configuration has children.
  [[nodiscard]] bool gives_values(const ProgramSpec& program) const {
    bool found = false;
    for_each_launch(program, [&](const LaunchSpec& launch) { found = found || has_values(launch); });
    return found;
  }

  [[nodiscard]] bool has_values(const LaunchSpec& launch) const {
    return !launch.with.empty() ||
           std::any_of(assignments_.begin(), assignments_.end(),
                       [&](const auto& one) { return !parameter_of(workload_, launch, one.first).empty(); });
  }

  std::optional<ExpressionText> add_children(const ProgramSpec& program) {
    for (const LaunchSpec* launch : selected_launches(result_, program)) {
      if (!has_values(*launch)) continue;
      if (auto violated = add_child(*launch)) return violated;
    }
    return std::nullopt;
  }

  /// This configuration alone; the constraint that it violates.
  std::optional<ExpressionText> build_own() {
    result_.fast_math_ = read_switch("fast_math", false);
    result_.launch_bounds_ = read_switch("launch_bounds", true);
    result_.lineinfo_ = read_switch("lineinfo", false);
    result_.graph_ = read_switch("graph", false);
    result_.variables_["fast_math"] = result_.fast_math_ ? 1 : 0;
    result_.variables_["launch_bounds"] = result_.launch_bounds_ ? 1 : 0;
    result_.variables_["lineinfo"] = result_.lineinfo_ ? 1 : 0;
    define_words();
    for (const ParameterSpec& parameter : workload_.parameters) add(parameter);
    for (const auto& [name, text] : workload_.lets) evaluate_let(name);
    for (const ExpressionText& constraint : workload_.constraints) {
      if (!result_.evaluate_condition(constraint)) {
        explanation_ = result_.explain(constraint);
        return constraint;
      }
    }
    return std::nullopt;
  }

  /// The launch's values, of its `with` and of the job, over the values of this configuration.
  std::optional<ExpressionText> add_child(const LaunchSpec& launch) {
    std::vector<std::pair<std::string, RawValue>> assignments = assignments_;
    std::map<std::string, std::string> values;
    const auto give = [&](const std::string& name, RawValue value) {
      values[name] = value.text;
      assignments.emplace_back(name, std::move(value));
    };
    for (const auto& [name, text] : launch.with)
      give(name, {value_for(*workload_.find_parameter(name), text), false, text.where});
    for (const auto& [name, value] : assignments_) {
      if (const std::string own = parameter_of(workload_, launch, name); !own.empty()) give(own, value);
    }
    auto& known = children_[values];
    std::optional<ExpressionText> violated;
    if (!known) {
      ConfigurationBuilder child(result_.workload_, assignments, device_, files_);
      violated = child.build_own();
      if (violated) explanation_ = child.explanation_ + " of launch " + in_quotes(launch.timing);
      if (!root_) root_ = std::make_shared<const Configuration>(result_);
      child.result_.root_ = root_;
      child.result_.child_ = static_cast<int>(children_.size());
      known = std::make_shared<const Configuration>(std::move(child.result_));
    }
    result_.children_[&launch] = known;
    return violated;
  }

  /// In the form of a job: a word, or the value of an expression over this configuration.
  [[nodiscard]] std::string value_for(const ParameterSpec& parameter, const ExpressionText& text) const {
    if (parameter.kind != ParameterKind::kScalar) {
      const ParameterSpec* named = workload_.find_parameter(text.text);
      return named != nullptr ? result_.value(text.text).to_string() : text.text;
    }
    if (text.text == "true" || text.text == "false") return text.text;
    const Number number = result_.evaluate_number(text);
    if (result_.scalar_type(parameter.scalar_type) == ScalarType::kBool)
      return to_real(number) != 0 ? "true" : "false";
    return kiln::to_string(number);
  }

  [[nodiscard]] const RawValue* assigned(const std::string& name) const {
    const RawValue* found = nullptr;
    for (const auto& [candidate, value] : assignments_) {
      if (candidate == name) found = &value;
    }
    return found;
  }

  void check_names() const {
    std::vector<std::string> known{"fast_math", "launch_bounds", "lineinfo", "graph", "bind.all"};
    for (const ParameterSpec& parameter : workload_.parameters) {
      known.push_back(parameter.name);
      if (parameter.kind != ParameterKind::kPath) known.push_back("bind." + parameter.name);
    }
    for (const auto& [name, value] : assignments_) {
      if (std::find(known.begin(), known.end(), name) != known.end() || is_of_launch(name, value.where))
        continue;
      const auto nearest = nearest_name(name, known);
      throw bad_input("workload '" + workload_.name + "' has no parameter '" + name + "'" +
                          (nearest ? "; did you mean '" + *nearest + "'?"
                                   : "; it has " + join(parameter_names(), ", ") +
                                         ", fast_math, launch_bounds, lineinfo, graph"),
                      value.where);
    }
  }

  [[nodiscard]] std::vector<std::string> parameter_names() const {
    std::vector<std::string> names;
    for (const ParameterSpec& parameter : workload_.parameters) names.push_back(parameter.name);
    return names;
  }

  /// Whether `<launch>.<parameter>` names a launch of the workload. Throws bad_input where the launch cannot
  /// have that value.
  [[nodiscard]] bool is_of_launch(const std::string& name, const SourceLocation& where) const {
    bool found = false;
    std::vector<std::string> launches;
    for (const ProgramSpec* program : {&workload_.run, &workload_.verify_run}) {
      for_each_launch(*program, [&](const LaunchSpec& launch) {
        launches.push_back(launch.timing);
        const std::string own = parameter_of(workload_, launch, name);
        if (own.empty()) return;
        require_free(launch, own, where);
        found = true;
      });
    }
    const std::size_t dot = name.rfind('.');
    if (found || dot == std::string::npos || !workload_.find_parameter(name.substr(dot + 1))) return found;
    throw bad_input("workload '" + workload_.name + "' has no launch '" + name.substr(0, dot) + "'" +
                        suggestion(name.substr(0, dot), launches),
                    where);
  }

  void require_free(const LaunchSpec& launch, const std::string& name, const SourceLocation& where) const {
    const ParameterSpec* parameter = workload_.find_parameter(name);
    if (parameter == nullptr)
      throw bad_input("workload '" + workload_.name + "' has no parameter '" + name + "' for its launch '" +
                          launch.timing + "'" + suggestion(name, parameter_names()),
                      where);
    if (parameter->kind == ParameterKind::kPath)
      throw bad_input("'" + name + "': a launch cannot have a path of its own", where);
    if (has_name(launch.with, name))
      throw bad_input("the launch '" + launch.timing + "' gives '" + name + "' itself, by `with`", where);
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
      if (!has_constants(value.type)) bind_at_run_time(parameter, value);
    }
    const auto header = read_header(result_, parameter, files_);
    if (raw != nullptr) {
      assign(parameter, value, raw->text, raw->where);
      check_against_header(parameter, value, header, raw->where);
    } else if (header) {
      store_number(parameter, value, header->value, header->where);
    } else if (parameter.defaults.empty()) {
      throw bad_input("parameters." + parameter.name + ": the file '" + parameter.from->file +
                          "' gives it, and a path in this name is not set; set that, or '" + parameter.name +
                          "'",
                      parameter.where);
    } else {
      assign_default(parameter, value);
    }
    const bool in_file = raw == nullptr && header && header->where.file == header->path;
    check_allowed(parameter, value,
                  raw != nullptr ? raw->where
                  : in_file      ? header->where
                                 : parameter.where,
                  raw == nullptr && header && !in_file ? header->path : "");
    result_.variables_[parameter.name] = variable_of(parameter, value);
    result_.values_.emplace_back(parameter.name, std::move(value));
  }

  /// Binds a parameter of a type without constants.
  void bind_at_run_time(const ParameterSpec& parameter, ParameterValue& value) const {
    const RawValue* raw = assigned("bind." + parameter.name);
    if (parameter.fixed_binding == Binding::kCompile || (raw != nullptr && raw->text == "compile")) {
      throw bad_input("'" + parameter.name +
                          "' cannot be bound at compile time: kernels have no constants of " +
                          kiln::to_string(value.type),
                      raw != nullptr ? raw->where : parameter.where);
    }
    value.binding = Binding::kRun;
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

  void check_against_header(const ParameterSpec& parameter, const ParameterValue& value,
                            const std::optional<HeaderValue>& header, const SourceLocation& where) const {
    if (!header) return;
    const int order = compare(value.exact_number(), header->value);
    if (order == 0 || (order < 0 && parameter.from->at_most)) return;
    throw bad_input(in_place(where, parameter.name) + "is set to " + value.to_string() + ", but '" +
                        header->path + "' has " + kiln::to_string(header->value),
                    where);
  }

  void assign_default(const ParameterSpec& parameter, ParameterValue& value) const {
    const ExpressionText& text = parameter.default_on(result_.backend_);
    if (parameter.kind == ParameterKind::kChoice || parameter.kind == ParameterKind::kType) {
      assign(parameter, value, word_of(parameter, text), text.where);
      return;
    }
    const bool literal =
        parameter.kind != ParameterKind::kScalar || text.text == "true" || text.text == "false";
    if (literal || is_real_literal(text.text)) {
      assign(parameter, value, text.text, text.where);
    } else {
      store_number(parameter, value, result_.evaluate_number(text), text.where);
    }
  }

  /// The default of a choice or of a type: a word, or an expression that yields one.
  [[nodiscard]] std::string word_of(const ParameterSpec& parameter, const ExpressionText& text) const {
    const bool is_type = parameter.kind == ParameterKind::kType;
    const std::vector<std::string> words =
        is_type && parameter.values.empty() ? scalar_type_names() : texts_of(parameter.values);
    const bool written = std::find(words.begin(), words.end(), text.text) != words.end();
    if (written || (is_type && is_identifier(text.text) && !workload_.find_parameter(text.text)))
      return text.text;
    const double id = result_.evaluate(text);
    for (const std::string& word : words) {
      if ((is_type ? type_constant(word) : result_.variables_.at(word)) == id) return word;
    }
    throw bad_input(text.key + ": '" + text.text + "' is not one of " + join(words, ", "), text.where);
  }

  void assign(const ParameterSpec& parameter, ParameterValue& value, const std::string& text,
              const SourceLocation& where) const {
    switch (parameter.kind) {
      case ParameterKind::kType:
        if (!parse_element_type(text)) {
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
        throw bad_input(in_place(where, parameter.name) + "expected true or false; found " + in_quotes(text),
                        where);
      }
      value.value = text == "true";
      return;
    }
    if (!is_real(value.type)) {
      if (const auto whole = parse_integer(text)) return store_whole(parameter, value, *whole, where);
      if (is_whole_literal(text)) throw does_not_fit(parameter, value, text, where);
    }
    const auto number = parse_real(text);
    const bool real = is_real(value.type);
    if (number ? real && std::isfinite(*number) && !fits_real(value.type, *number) : is_real_literal(text))
      throw does_not_fit(parameter, value, text, where);
    if (!number) {
      throw bad_input(in_place(where, parameter.name) + "expected " + (real ? "a number" : "a whole number") +
                          " (" + to_string_type(value) + "); found " + in_quotes(text),
                      where);
    }
    store(parameter, value, *number, where);
  }

  [[nodiscard]] static Error does_not_fit(const ParameterSpec& parameter, const ParameterValue& value,
                                          const std::string& found, const SourceLocation& where) {
    constexpr std::size_t kLongest = 40;  // no number that fits is written longer
    const std::string shown = found.size() > kLongest ? in_quotes(found) : found;
    return bad_input(in_place(where, parameter.name) + shown + " does not fit the type " +
                         to_string_type(value) + "; expected " + range_text(value.type),
                     where);
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
    const std::string shown = in_quotes(path.string());
    try {
      if (files_.target_status(path)) return path.string();
    } catch (const std::filesystem::filesystem_error& error) {
      throw bad_input(
          in_place(where, parameter.name) + shown + " cannot be looked up: " + error.code().message(), where);
    }
    throw bad_input(in_place(where, parameter.name) + "no such file or folder: " + shown, where);
  }

  void store_number(const ParameterSpec& parameter, ParameterValue& value, const Number& number,
                    const SourceLocation& where) const {
    const auto* whole = std::get_if<std::int64_t>(&number);
    if (whole != nullptr && !is_real(value.type) && value.type != ScalarType::kBool)
      return store_whole(parameter, value, *whole, where);
    store(parameter, value, to_real(number), where);
  }

  void store(const ParameterSpec& parameter, ParameterValue& value, double number,
             const SourceLocation& where) const {
    if (value.type == ScalarType::kBool) {
      value.value = number != 0;
      return;
    }
    if (is_real(value.type)) {
      if (!std::isfinite(number))
        throw bad_input(in_place(where, parameter.name) + "expected a finite number", where);
      if (!fits_real(value.type, number)) throw does_not_fit(parameter, value, format_number(number), where);
      value.value = number;
      return;
    }
    if (number != std::floor(number)) {
      throw bad_input(
          in_place(where, parameter.name) + "expected a whole number; found " + format_number(number), where);
    }
    const IntegerRange range = integer_range(value.type);
    if (compare(number, range.least) < 0 || compare(number, range.most) > 0)
      throw does_not_fit(parameter, value, format_number(number), where);
    if (std::abs(number) >= static_cast<double>(kMaxExactInteger)) {
      throw bad_input(
          in_place(where, parameter.name) + format_number(number) +
              " may be rounded: a whole number that is computed or has an exponent is exact below "
              "2^53; expected all its digits",
          where);
    }
    value.value = static_cast<std::int64_t>(number);
  }

  static void store_whole(const ParameterSpec& parameter, ParameterValue& value, std::int64_t whole,
                          const SourceLocation& where) {
    if (!integer_range(value.type).holds(whole))
      throw does_not_fit(parameter, value, std::to_string(whole), where);
    value.value = whole;
  }

  /// For a scalar's value that was not given: the default's expression, with the values in it.
  [[nodiscard]] std::string origin_of(const ParameterSpec& parameter, const std::string& file) const {
    if (!file.empty()) return "; it is that of '" + file + "'";
    if (assigned(parameter.name) != nullptr || parameter.from) return "";
    return "; the default is " + result_.explain(parameter.default_on(result_.backend_));
  }

  /// `file`: which the value is from, if `where` does not name it.
  void check_allowed(const ParameterSpec& parameter, const ParameterValue& value, const SourceLocation& where,
                     const std::string& file) const {
    if (!parameter.values.empty()) {
      const bool allowed =
          std::any_of(parameter.values.begin(), parameter.values.end(), [&](const ExpressionText& text) {
            if (std::holds_alternative<std::string>(value.value)) return value.to_string() == text.text;
            return compare(value.exact_number(), result_.evaluate_number(text)) == 0;
          });
      if (!allowed) {
        throw bad_input(in_place(where, parameter.name) + value.to_string() + " is not allowed" +
                            (parameter.kind == ParameterKind::kScalar
                                 ? "; expected one of " + join(texts_of(parameter.values), ", ") +
                                       origin_of(parameter, file)
                                 : suggestion(value.to_string(), texts_of(parameter.values))),
                        where);
      }
    }
    if (parameter.kind != ParameterKind::kScalar) return;
    const auto require = [&](const std::optional<ExpressionText>& text, int wrong_order, const char* words) {
      if (!text) return;
      const Number bound = result_.evaluate_number(*text);
      if (compare(value.exact_number(), bound) != wrong_order) return;
      throw bad_input(in_place(where, parameter.name) + value.to_string() + words + kiln::to_string(bound) +
                          origin_of(parameter, file),
                      where);
    };
    require(parameter.min, -1, " is too small; the least is ");
    require(parameter.max, 1, " is too large; the most is ");
  }

  [[nodiscard]] double variable_of(const ParameterSpec& parameter, ParameterValue& value) {
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
    const Number exact = value.exact_number();
    if (compare(exact, kMaxExactInteger) > 0 || compare(exact, -kMaxExactInteger) < 0) {
      if (std::holds_alternative<std::int64_t>(exact)) result_.inexact_.insert(parameter.name);
    }
    return value.number();
  }

  void evaluate_let(const std::string& name) {
    if (result_.variables_.contains(name)) return;
    const ExpressionText* text = workload_.find_let(name);
    if (text == nullptr) return;
    for (const std::string& used : workload_.names_in(*text)) evaluate_let(used);
    result_.variables_[name] = result_.evaluate(*text);
  }

  const Workload& workload_;
  const std::vector<std::pair<std::string, RawValue>>& assignments_;
  const DeviceInfo& device_;
  std::shared_ptr<const Configuration> root_;  // for children
  std::string explanation_;                    // of the violated constraint
  FileSystem& files_;
  Configuration result_;
  std::map<std::map<std::string, std::string>, std::shared_ptr<const Configuration>>
      children_;  // by their additional values
};

ConfigurationResult configure(const std::shared_ptr<const Workload>& workload,
                              const std::vector<std::pair<std::string, RawValue>>& assignments,
                              const DeviceInfo& device, FileSystem& files) {
  return ConfigurationBuilder(workload, assignments, device, files).build();
}

}  // namespace kiln
