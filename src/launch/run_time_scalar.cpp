#include "launch/run_time_scalar.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <set>

#include "base/text.h"
#include "config/scalar_dispatch.h"

namespace kiln {
namespace {

using Value = LaunchScalar::Value;

std::string text_of(const Value& value) {
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return std::to_string(*whole);
  if (const auto* whole = std::get_if<std::uint64_t>(&value)) return std::to_string(*whole);
  return format_number(std::get<double>(value));
}

/// Names that the expressions depend on, those inside of `let` expressions included.
void add_names(const Workload& workload, const ExpressionText& text, std::set<std::string>& names) {
  for (const std::string& name : workload.names_in(text)) {
    if (!names.insert(name).second) continue;
    if (const ExpressionText* let = workload.find_let(name)) add_names(workload, *let, names);
  }
}

/// Marks the scalars that a kept part of the launch was made of.
class Freezer {
 public:
  Freezer(const Configuration& configuration, std::vector<RunTimeScalar>& scalars)
      : configuration_(configuration), workload_(configuration.workload()), scalars_(scalars) {}

  void by(const std::vector<ExpressionText>& texts, const std::string& why) {
    std::set<std::string> names;
    for (const ExpressionText& text : texts) add_names(workload_, text, names);
    for (RunTimeScalar& scalar : scalars_) {
      if (scalar.frozen.empty() && names.contains(scalar.name)) scalar.frozen = why;
    }
  }

  void by_shape(const KernelSpec& kernel) {
    by(kernel.grid, "the launch's grid depends on it");
    by(kernel.block, "the launch's block depends on it");
    by(kernel.cluster, "the launch's cluster depends on it");
    if (kernel.shared) by({*kernel.shared}, "the launch's shared memory depends on it");
  }

  void by_arguments(const KernelSpec& kernel) {
    for (const ArgumentSpec& argument : kernel.args) {
      if (argument.kind == ArgumentSpec::Kind::kValue)
        by({argument.value}, "the argument '" + argument.value.text + "' depends on it");
      const bool texture = argument.kind == ArgumentSpec::Kind::kTexture;
      if (texture || argument.kind == ArgumentSpec::Kind::kPointers) {
        const std::string why =
            (texture ? "the texture of '" : "the rows of '") + argument.name + "' depends on it";
        by(argument.texture.extents, why);
        by(workload_.find_buffer(argument.name)->shape, why);
      }
      if (argument.kind != ArgumentSpec::Kind::kTensorMap) continue;
      const std::string why = "the tensor map of '" + argument.name + "' depends on it";
      const TensorMapSpec& map = argument.tensor_map;
      for (const auto* list : {&map.box, &map.extents, &map.strides, &map.element_strides}) by(*list, why);
      by(workload_.find_buffer(argument.name)->shape, why);
    }
    for (const auto& [symbol, name] : kernel.symbols) {
      const std::string why = "the content of the variable '" + symbol + "' depends on it";
      const BufferSpec& buffer = *workload_.find_buffer(name);
      const BufferSpec& memory = workload_.memory_of(buffer);
      by(buffer.shape, why);
      if (buffer.view) by({buffer.view->offset}, why);
      by(memory.shape, why);
      by(effective_numbers(memory), why);
    }
  }

  void by_constraints() {
    for (const ExpressionText& constraint : workload_.constraints)
      by({constraint}, "the constraint '" + constraint.text + "' depends on it");
  }

  /// `used`: the parameters that the kernel's code or arguments take.
  void by_other_parameters(const std::set<std::string>& used) {
    for (const ParameterSpec& parameter : workload_.parameters) {
      if (!used.contains(parameter.name) || parameter.kind != ParameterKind::kScalar) continue;
      by({parameter.default_on(configuration_.backend())},
         "the default of '" + parameter.name + "' depends on it");
      for (const auto* bound : {&parameter.min, &parameter.max}) {
        if (*bound) by({**bound}, "a bound of '" + parameter.name + "' depends on it");
      }
    }
  }

 private:
  static std::vector<ExpressionText> effective_numbers(const BufferSpec& buffer) {
    std::vector<ExpressionText> numbers;
    const auto add = [&](const InitSpec& init) {
      numbers.insert(numbers.end(), init.numbers.begin(), init.numbers.end());
      for (const MemberInit& member : init.members) {
        if (!member.addresses) numbers.insert(numbers.end(), member.values.begin(), member.values.end());
      }
    };
    add(buffer.init);
    if (buffer.init.otherwise) add(*buffer.init.otherwise);
    return numbers;
  }

  const Configuration& configuration_;
  const Workload& workload_;
  std::vector<RunTimeScalar>& scalars_;
};

/// None for a whole number of more than 63 bits.
std::optional<Number> number_of(const Value& value) {
  if (const auto* flag = std::get_if<bool>(&value)) return std::int64_t{*flag};
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return *whole;
  if (const auto* real = std::get_if<double>(&value)) return *real;
  const std::uint64_t whole = std::get<std::uint64_t>(value);
  if (whole > static_cast<std::uint64_t>(INT64_MAX)) return std::nullopt;
  return static_cast<std::int64_t>(whole);
}

bool fits(ScalarType type, const Number& number) {
  if (!is_real(type)) return integer_range(type).holds(std::get<std::int64_t>(number));
  const double real = to_real(number);
  return std::isfinite(real) && fits_real(type, real);
}

std::string kind_text(ScalarType type) {
  if (type == ScalarType::kBool) return "true or false";
  return (is_real(type) ? "a number (" : "a whole number (") + to_string(type) + ")";
}

template <class T>
void store_at(const std::vector<std::size_t>& offsets, std::byte* bytes, T value) {
  for (const std::size_t offset : offsets) std::memcpy(bytes + offset, &value, sizeof value);
}

}  // namespace

RunTimeScalar::RunTimeScalar(const Configuration& configuration, const ParameterSpec& parameter)
    : name(parameter.name) {
  const ParameterValue& value = configuration.value(name);
  if (value.kind != ParameterKind::kScalar) {
    frozen = "it is no number";
    return;
  }
  type_ = value.type;
  if (value.binding == Binding::kCompile) {
    frozen = "it is bound at compile time; KernelRequest::set(\"bind." + name + "\", \"run\") changes that";
    return;
  }
  for (const ExpressionText& text : parameter.values) allowed_.push_back(configuration.evaluate_number(text));
  if (parameter.min) least_ = configuration.evaluate_number(*parameter.min);
  if (parameter.max) most_ = configuration.evaluate_number(*parameter.max);
  find_usual();
}

void RunTimeScalar::find_usual() {
  if (!allowed_.empty()) return;
  const bool whole = type_ == ScalarType::kInt || type_ == ScalarType::kLong;
  if (!whole && type_ != ScalarType::kFloat && type_ != ScalarType::kDouble) return;
  // Below 2^53, so that no whole number is rounded into the range.
  const auto exact =
      static_cast<double>(type_ == ScalarType::kInt ? std::int64_t{std::numeric_limits<std::int32_t>::max()}
                                                    : kMaxExactInteger - 1);
  const double low = least_ ? to_real(*least_) : -exact;
  const double high = most_ ? to_real(*most_) : exact;
  usual_low_ = std::max(low, -exact);
  usual_high_ = std::min(high, exact);
}

bool RunTimeScalar::store_usual(const Value& value, std::byte* bytes) const {
  if (!frozen.empty()) return false;
  const auto* whole = std::get_if<std::int64_t>(&value);
  const auto* real = std::get_if<double>(&value);
  if (whole == nullptr && real == nullptr) return false;
  const double number = whole != nullptr ? static_cast<double>(*whole) : *real;
  if (!(number >= usual_low_ && number <= usual_high_)) return false;
  if (type_ == ScalarType::kDouble) {
    store_at(offsets, bytes, number);
  } else if (type_ == ScalarType::kFloat) {
    if (number != 0 && std::abs(number) < std::numeric_limits<float>::min()) return false;
    store_at(offsets, bytes, static_cast<float>(number));
  } else if (whole == nullptr) {
    return false;
  } else if (type_ == ScalarType::kInt) {
    store_at(offsets, bytes, static_cast<std::int32_t>(*whole));
  } else {
    store_at(offsets, bytes, *whole);
  }
  return true;
}

std::string RunTimeScalar::problem_of(const Value& value) const {
  if (!frozen.empty()) return "it cannot be given at a launch: " + frozen;
  const bool wrong_kind = std::holds_alternative<bool>(value) != (type_ == ScalarType::kBool) ||
                          (std::holds_alternative<double>(value) && !is_real(type_));
  if (wrong_kind) return "expected " + kind_text(type_) + "; found " + text_of(value);
  const std::optional<Number> number = number_of(value);
  if (!number || !fits(type_, *number))
    return text_of(value) + " does not fit the type " + to_string(type_) + "; expected " + range_text(type_);
  if (least_ && compare(*number, *least_) < 0)
    return text_of(value) + " is too small; the least is " + to_string(*least_);
  if (most_ && compare(*number, *most_) > 0)
    return text_of(value) + " is too large; the most is " + to_string(*most_);
  if (allowed_.empty() || std::any_of(allowed_.begin(), allowed_.end(),
                                      [&](const Number& known) { return compare(known, *number) == 0; }))
    return {};
  std::vector<std::string> texts;
  for (const Number& known : allowed_) texts.push_back(to_string(known));
  return text_of(value) + " is not allowed; expected one of " + join(texts, ", ");
}

void RunTimeScalar::store(const Value& value, std::byte* bytes, const std::string& kernel) const {
  if (store_usual(value, bytes)) return;
  if (const std::string problem = problem_of(value); !problem.empty())
    throw bad_input("kernel '" + kernel + "', scalar '" + name + "': " + problem);
  const Number number = *number_of(value);
  visit_scalar(type_, [&]<class T>() {
    if constexpr (kIsRealType<T>) {
      store_at(offsets, bytes, static_cast<T>(to_real(number)));
    } else {
      store_at(offsets, bytes, static_cast<T>(std::get<std::int64_t>(number)));
    }
  });
}

std::vector<RunTimeScalar> run_time_scalars(const Configuration& configuration, const KernelSpec& kernel,
                                            const ParamsStruct& params) {
  std::set<std::string> used(params.constants.begin(), params.constants.end());
  std::set<std::string> placed;
  bool takes_params = false;
  for (const ArgumentSpec& argument : kernel.args) {
    takes_params = takes_params || argument.kind == ArgumentSpec::Kind::kParams;
    if (argument.kind == ArgumentSpec::Kind::kParameter) placed.insert(argument.name);
  }
  for (const ParamsField& field : params.fields) {
    if (takes_params) placed.insert(field.name);
  }
  used.insert(placed.begin(), placed.end());
  std::vector<RunTimeScalar> scalars;
  for (const ParameterSpec& parameter : configuration.workload().parameters) {
    RunTimeScalar& scalar = scalars.emplace_back(configuration, parameter);
    if (scalar.frozen.empty() && !placed.contains(parameter.name))
      scalar.frozen = "the kernel does not take it";
  }
  const auto can_be_given = [](const RunTimeScalar& scalar) { return scalar.frozen.empty(); };
  if (std::none_of(scalars.begin(), scalars.end(), can_be_given)) return scalars;
  Freezer freeze(configuration, scalars);
  freeze.by_shape(kernel);
  freeze.by_arguments(kernel);
  freeze.by_constraints();
  freeze.by_other_parameters(used);
  // Those that launches may give come first: a launch looks for names from the front.
  std::stable_partition(scalars.begin(), scalars.end(), can_be_given);
  return scalars;
}

}  // namespace kiln
