#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "config/expression.h"
#include "config/job_spec.h"
#include "device/device.h"
#include "workload/number.h"
#include "workload/workload.h"

namespace kiln {

/// The parameter in `<launch>.<parameter>`; empty for a name that is not this launch's, such as a
/// parameter's.
[[nodiscard]] std::string parameter_of(const Workload& workload, const LaunchSpec& launch,
                                       const std::string& name);

/// A parameter's value: numbers as the C++ type that the kernel sees, words for types, choices and paths.
struct ParameterValue {
  ParameterKind kind = ParameterKind::kScalar;
  ScalarType type = ScalarType::kInt;  ///< of a kScalar
  std::variant<std::int64_t, double, bool, std::string> value;
  Binding binding = Binding::kCompile;

  /// In the form of YAML and tables.
  [[nodiscard]] std::string to_string() const;
  /// As a C++ constant of `type`: "512", "0.1f", "true"; for kType the C++ type's name, for kChoice its
  /// index.
  [[nodiscard]] std::string cpp_literal() const;
  [[nodiscard]] double number() const;  ///< rounded beyond kMaxExactInteger
  [[nodiscard]] Number exact_number() const;
  int choice_index = 0;
};

/// A workload with a value for each parameter, on one back end. Constraints hold. A value type.
class Configuration {
 public:
  [[nodiscard]] const Workload& workload() const { return *workload_; }
  [[nodiscard]] std::shared_ptr<const Workload> shared_workload() const { return workload_; }
  [[nodiscard]] const ParameterValue& value(const std::string& name) const;
  /// With the number that `variables` has for it, if any. Throws bad_input where that does not fit its type.
  [[nodiscard]] ParameterValue value(const std::string& name, const Variables& variables) const;
  /// In the order of the workload file.
  [[nodiscard]] const std::vector<std::pair<std::string, ParameterValue>>& values() const { return values_; }
  /// What the job sets, also for launches, in the order in which it was set; empty for a launch's.
  [[nodiscard]] const std::vector<std::pair<std::string, RawValue>>& given() const { return given_; }
  /// The value of a parameter, or of `<launch>.<parameter>` for a launch that runs; null: there is none.
  [[nodiscard]] const ParameterValue* find_value(const std::string& name) const;
  /// Values that the job sets for launches that run, by `<launch>.<parameter>`.
  [[nodiscard]] std::vector<std::pair<std::string, ParameterValue>> launch_values() const;
  [[nodiscard]] bool fast_math() const { return fast_math_; }
  [[nodiscard]] bool launch_bounds() const { return launch_bounds_; }
  [[nodiscard]] bool lineinfo() const { return lineinfo_; }
  /// Steps run as graphs where they can.
  [[nodiscard]] bool graph() const { return graph_; }
  /// Seed of random inputs: the parameter `seed` plus an offset.
  [[nodiscard]] std::int64_t seed() const;
  /// Changes random inputs and nothing else: to kernels and expressions `seed` stays what it is.
  void add_to_seed(std::uint64_t number) { added_seed_ += number; }
  [[nodiscard]] const std::string& backend() const { return backend_; }
  /// The configuration of the launch's kernel and expressions: this one, or a child with the launch's own
  /// values (`with`). Launches with equal values share one.
  [[nodiscard]] const Configuration& of(const LaunchSpec& launch) const;
  /// 0, or for a launch's configuration its number, from 1, in the whole program.
  [[nodiscard]] int child() const { return child_; }
  /// The configuration that a launch's values were put over; itself, if it is no launch's. Buffers are its.
  [[nodiscard]] const Configuration& root() const { return root_ ? *root_ : *this; }

  /// Evaluates an expression over `extra`, parameters and `let` names, in this order. Throws bad_input at the
  /// expression's place, also where it uses a whole number that a double does not hold exactly
  /// (kMaxExactInteger).
  [[nodiscard]] double evaluate(const ExpressionText& expression, const Variables& extra = {}) const;
  /// evaluate() that is exact for an integer alone, as a literal or as a parameter.
  [[nodiscard]] Number evaluate_number(const ExpressionText& expression) const;
  /// evaluate() for a result that must be an integer in [low, high].
  [[nodiscard]] std::int64_t evaluate_integer(const ExpressionText& expression, std::int64_t low,
                                              std::int64_t high, const Variables& extra = {}) const;
  [[nodiscard]] bool evaluate_condition(const ExpressionText& expression, const Variables& extra = {}) const;
  /// The expression and the values of the names in it: "'nx * ny < 100' (nx = 20, ny = 30)".
  [[nodiscard]] std::string explain(const ExpressionText& expression) const;
  /// Replaces {parameter} by its value; `nullopt` if one of them is an unset path.
  [[nodiscard]] std::optional<std::string> expand_path(const std::string& text,
                                                       const SourceLocation& where) const;
  /// The scalar type that a name in the workload stands for: a scalar type or a type parameter. Throws
  /// bad_input for a parameter whose value is a vector.
  [[nodiscard]] std::optional<ScalarType> scalar_type(const std::string& name) const;
  /// Likewise, also of a vector.
  [[nodiscard]] std::optional<ElementType> element_type(const std::string& name) const;
  /// Of a buffer's elements; absent for records.
  [[nodiscard]] std::optional<ElementType> element_type(const BufferSpec& buffer) const;

 private:
  friend class ConfigurationBuilder;
  /// Throws bad_input if the expression uses a parameter whose value it would get rounded.
  void require_exact(const ExpressionText& expression) const;

  std::shared_ptr<const Workload> workload_;
  std::vector<std::pair<std::string, ParameterValue>> values_;
  std::vector<std::pair<std::string, RawValue>> given_;
  bool fast_math_ = false;
  bool launch_bounds_ = true;
  bool lineinfo_ = false;
  bool graph_ = false;
  std::uint64_t added_seed_ = 0;
  std::string backend_;
  Variables variables_;
  std::set<std::string> inexact_;  // parameters that `variables_` holds rounded
  std::map<const LaunchSpec*, std::shared_ptr<const Configuration>> children_;
  int child_ = 0;
  std::shared_ptr<const Configuration> root_;  // of a child
};

/// One point on one target: `assignments` are what the job sets ("nx", "bind.nx", "bind.all", "fast_math",
/// "launch_bounds", "lineinfo", "graph", and "<launch>.nx" for one launch). Throws bad_input for unknown
/// names (with the nearest), wrong types, values outside `values`, `min`, `max`, headers that disagree,
/// cycles. A violated constraint is returned, not thrown, so that a sweep can leave the point out.
struct ConfigurationResult {
  Configuration configuration;
  std::optional<ExpressionText> violated;
  std::string
      explanation;  ///< the violated constraint with the values, and the launch that has them of its own
};
[[nodiscard]] ConfigurationResult configure(const std::shared_ptr<const Workload>& workload,
                                            const std::vector<std::pair<std::string, RawValue>>& assignments,
                                            const DeviceInfo& device, FileSystem& files);

}  // namespace kiln
