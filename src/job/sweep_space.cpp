#include "job/sweep_space.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/text.h"

namespace kiln {
namespace {

/// A `let`, or a parameter with its default: its value by the expression; 0 or 1 for a flag.
struct ComputedName {
  std::string name;
  const ExpressionText* text;
  bool is_flag;
};

/// The dependencies of a constraint's value: swept names, and `let` expressions, defaults and headers of
/// files between them and it.
class Dependencies {
 public:
  Dependencies(const JobSpec& job, const Workload& workload, const std::string& backend,
               const ExpressionText& constraint)
      : job_(job), workload_(workload), backend_(backend) {
    varies(constraint);
  }

  /// Of `job.sweep`, ascending.
  [[nodiscard]] std::vector<std::size_t> scope() const { return {swept_.begin(), swept_.end()}; }
  /// Values that vary with swept ones, each after those that it uses.
  [[nodiscard]] const std::vector<ComputedName>& computed() const { return computed_; }
  /// Only swept numbers of a fixed type, swept choices and `computed` stand between the sweep and the
  /// constraint.
  [[nodiscard]] bool numbers_only() const { return numbers_only_; }

 private:
  /// Whether the value depends on a swept one.
  bool varies(const ExpressionText& text) {
    bool any = false;
    for (const std::string& name : workload_.names_in(text)) any = varies(name) || any;
    return any;
  }

  bool varies(const std::string& name) {
    const auto [known, is_new] = known_.try_emplace(name, false);
    if (!is_new) return known->second;
    const auto swept = std::find_if(job_.sweep.begin(), job_.sweep.end(),
                                    [&](const auto& one) { return one.first == name; });
    const bool is_swept = swept != job_.sweep.end();
    const ParameterSpec* parameter = workload_.find_parameter(name);
    if (is_swept) swept_.insert(static_cast<std::size_t>(swept - job_.sweep.begin()));
    if (is_swept && (parameter == nullptr || (parameter->kind != ParameterKind::kChoice &&
                                              (parameter->kind != ParameterKind::kScalar ||
                                               !parse_scalar_type(parameter->scalar_type)))))
      numbers_only_ = false;
    bool result = is_swept;
    if (parameter != nullptr) result = of_parameter(*parameter) || result;
    if (const ExpressionText* let = workload_.find_let(name); let != nullptr && varies(*let)) {
      computed_.push_back({name, let, false});
      result = true;
    }
    return known_[name] = result;
  }

  bool of_parameter(const ParameterSpec& parameter) {
    bool result = false;
    if (workload_.find_parameter(parameter.scalar_type) != nullptr && varies(parameter.scalar_type)) {
      numbers_only_ = false;
      result = true;
    }
    if (has_name(job_.sweep, parameter.name) || has_name(job_.set, parameter.name)) return result;
    const bool literal = parameter.kind == ParameterKind::kPath;
    if (!literal && !parameter.defaults.empty() && varies(parameter.default_on(backend_))) {
      add_default(parameter);
      result = true;
    }
    for (const ParameterSpec& other : workload_.parameters) {
      if (!parameter.from || parameter.from->file.find("{" + other.name + "}") == std::string::npos) continue;
      numbers_only_ = false;
      result = varies(other.name) || result;
    }
    return result;
  }

  /// A default of a type with a range is found by configuring, which checks it; so is what a file may give.
  void add_default(const ParameterSpec& parameter) {
    const bool flag = parameter.kind == ParameterKind::kScalar &&
                      parse_scalar_type(parameter.scalar_type) == ScalarType::kBool;
    if (parameter.from || (!flag && parameter.kind != ParameterKind::kChoice)) numbers_only_ = false;
    computed_.push_back({parameter.name, &parameter.default_on(backend_), flag});
  }

  const JobSpec& job_;
  const Workload& workload_;
  const std::string& backend_;
  std::map<std::string, bool> known_;
  std::set<std::size_t> swept_;
  std::vector<ComputedName> computed_;
  bool numbers_only_ = true;
};

/// Evaluates the constraint and what it uses with each combination's numbers, over one configuration.
std::function<bool(std::span<const std::uint32_t>)> by_numbers(std::shared_ptr<const Configuration> base,
                                                               std::vector<std::string> names,
                                                               std::vector<std::vector<double>> numbers,
                                                               std::vector<ComputedName> computed,
                                                               const ExpressionText& constraint) {
  return [base = std::move(base), names = std::move(names), numbers = std::move(numbers),
          computed = std::move(computed), &constraint](std::span<const std::uint32_t> values) {
    Variables variables;
    for (std::size_t i = 0; i < names.size(); ++i) variables[names[i]] = numbers[i][values[i]];
    for (const ComputedName& one : computed) {
      const double value = base->evaluate(*one.text, variables);
      variables[one.name] = one.is_flag ? double(value != 0) : value;
    }
    return base->evaluate_condition(constraint, variables);
  };
}

}  // namespace

SweepSpace::SweepSpace(const JobSpec& job, std::shared_ptr<const Workload> workload, DeviceInfo device,
                       FileSystem& files, SpaceOrder order)
    : job_(job),
      workload_(std::move(workload)),
      device_(std::move(device)),
      files_(files),
      space_(make_space(order)) {}

SearchSpace SweepSpace::make_space(SpaceOrder order) const {
  std::vector<SpaceParameter> parameters;
  for (const auto& [name, values] : job_.sweep)
    parameters.push_back({name, static_cast<std::uint32_t>(values.size())});
  std::vector<SpaceConstraint> constraints;
  std::shared_ptr<const Configuration> base;
  for (const ExpressionText& constraint : workload_->constraints) {
    const Dependencies dependencies(job_, *workload_, device_.target.backend, constraint);
    std::vector<std::size_t> scope = dependencies.scope();
    auto numbers = dependencies.numbers_only() ? numbers_of(scope) : std::nullopt;
    Holds holds;
    if (numbers) {
      if (!base)
        base =
            std::make_shared<const Configuration>(configuration(Point(job_.sweep.size(), 0)).configuration);
      std::vector<std::string> names;
      names.reserve(scope.size());
      for (const std::size_t swept : scope) names.push_back(job_.sweep[swept].first);
      holds = by_numbers(base, std::move(names), *std::move(numbers), dependencies.computed(), constraint);
    } else {
      holds = by_configuration(constraint, scope);
    }
    constraints.push_back({constraint.text, std::move(scope), std::move(holds)});
  }
  return SearchSpace(std::move(parameters), std::move(constraints), order);
}

/// Configures each combination, once.
SweepSpace::Holds SweepSpace::by_configuration(const ExpressionText& constraint,
                                               const std::vector<std::size_t>& scope) const {
  const auto known = std::make_shared<std::map<Point, bool>>();
  return [this, scope, &constraint, known](std::span<const std::uint32_t> values) {
    const auto [found, is_new] = known->try_emplace(Point(values.begin(), values.end()));
    if (!is_new) return found->second;
    Point point(job_.sweep.size(), 0);
    for (std::size_t i = 0; i < scope.size(); ++i) point[scope[i]] = values[i];
    return found->second = configuration(point).configuration.evaluate_condition(constraint);
  };
}

/// By place in `scope`, then by value. Absent where one is not exact as an expression's number.
std::optional<std::vector<std::vector<double>>> SweepSpace::numbers_of(
    const std::vector<std::size_t>& scope) const {
  std::vector<std::vector<double>> numbers;
  for (const std::size_t swept : scope) {
    std::vector<double>& own = numbers.emplace_back();
    const auto& [name, values] = job_.sweep[swept];
    for (std::uint32_t value = 0; value < values.size(); ++value) {
      Point point(job_.sweep.size(), 0);
      point[swept] = value;
      const Configuration made = configuration(point).configuration;
      const ParameterValue& found = made.value(name);
      own.push_back(found.kind == ParameterKind::kChoice ? made.evaluate({name, {}, name}) : found.number());
      if (std::abs(own.back()) >= static_cast<double>(kMaxExactInteger)) return std::nullopt;
    }
  }
  return numbers;
}

std::string SweepSpace::label(const Point& point) const {
  std::string label;
  for (std::size_t i = 0; i < point.size(); ++i) {
    const auto& [name, values] = job_.sweep[i];
    label += (label.empty() ? "" : " ") + assignment(name, values[point[i]].text);
  }
  return label;
}

std::vector<std::pair<std::string, RawValue>> SweepSpace::assignments(const Point& point) const {
  auto assignments = job_.set;
  for (std::size_t i = 0; i < point.size(); ++i)
    assignments.emplace_back(job_.sweep[i].first, job_.sweep[i].second[point[i]]);
  return assignments;
}

ConfigurationResult SweepSpace::configuration(const Point& point) const {
  return configure(workload_, assignments(point), device_, files_);
}

}  // namespace kiln
