#include "job/sweep_space.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/text.h"

namespace kiln {
namespace {

/// The dependencies of a constraint's value: swept names, and `let` expressions, defaults and headers of
/// files between them and it.
class Dependencies {
 public:
  Dependencies(const JobSpec& job, const Workload& workload, const ExpressionText& constraint)
      : job_(job), workload_(workload) {
    add(constraint);
  }

  /// Of `job.sweep`, ascending.
  [[nodiscard]] std::vector<std::size_t> scope() const { return {swept_.begin(), swept_.end()}; }
  /// Names of `let`, each after those that it uses.
  [[nodiscard]] const std::vector<std::string>& lets() const { return lets_; }
  /// Only swept numbers of a fixed type and lets stand between the sweep and the constraint.
  [[nodiscard]] bool numbers_only() const { return numbers_only_; }

 private:
  void add(const ExpressionText& text) {
    for (const std::string& name : workload_.names_in(text)) add(name);
  }

  void add(const std::string& name) {
    if (!seen_.insert(name).second) return;
    const auto swept = std::find_if(job_.sweep.begin(), job_.sweep.end(),
                                    [&](const auto& one) { return one.first == name; });
    const bool is_swept = swept != job_.sweep.end();
    const ParameterSpec* parameter = workload_.find_parameter(name);
    if (is_swept) swept_.insert(static_cast<std::size_t>(swept - job_.sweep.begin()));
    if (is_swept && (parameter == nullptr || parameter->kind != ParameterKind::kScalar ||
                     !parse_scalar_type(parameter->scalar_type)))
      numbers_only_ = false;
    if (parameter != nullptr) add(*parameter);
    if (const ExpressionText* let = workload_.find_let(name)) {
      add(*let);
      lets_.push_back(name);
    }
  }

  void add(const ParameterSpec& parameter) {
    if (workload_.find_parameter(parameter.scalar_type) != nullptr) {
      if (has_name(job_.sweep, parameter.scalar_type)) numbers_only_ = false;
      add(parameter.scalar_type);
    }
    if (has_name(job_.sweep, parameter.name) || has_name(job_.set, parameter.name)) return;
    const bool literal = parameter.kind == ParameterKind::kPath || parameter.kind == ParameterKind::kType;
    for (const auto& [backend, text] : parameter.defaults) {
      if (!literal) add_default(text);
    }
    for (const ParameterSpec& other : workload_.parameters) {
      if (!parameter.from || parameter.from->file.find("{" + other.name + "}") == std::string::npos) continue;
      numbers_only_ = false;
      add(other.name);
    }
  }

  /// A default that another parameter or a let decides is found by configuring.
  void add_default(const ExpressionText& text) {
    for (const std::string& name : workload_.names_in(text)) {
      if (workload_.find_parameter(name) != nullptr || workload_.find_let(name) != nullptr)
        numbers_only_ = false;
      add(name);
    }
  }

  const JobSpec& job_;
  const Workload& workload_;
  std::set<std::string> seen_;
  std::set<std::size_t> swept_;
  std::vector<std::string> lets_;
  bool numbers_only_ = true;
};

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
  for (const ExpressionText& constraint : workload_->constraints) {
    const Dependencies dependencies(job_, *workload_, constraint);
    std::vector<std::size_t> scope = dependencies.scope();
    auto numbers = dependencies.numbers_only() ? numbers_of(scope) : std::nullopt;
    auto holds = numbers ? by_numbers(constraint, scope, std::move(*numbers), dependencies.lets())
                         : by_configuration(constraint, scope);
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

/// Evaluates the constraint and the lets it uses with each combination's numbers, over one configuration.
SweepSpace::Holds SweepSpace::by_numbers(const ExpressionText& constraint,
                                         const std::vector<std::size_t>& scope,
                                         std::vector<std::vector<double>> numbers,
                                         const std::vector<std::string>& lets) const {
  const auto base =
      std::make_shared<const Configuration>(configuration(Point(job_.sweep.size(), 0)).configuration);
  return [this, scope, numbers = std::move(numbers), lets, base,
          &constraint](std::span<const std::uint32_t> values) {
    Variables variables;
    for (std::size_t i = 0; i < scope.size(); ++i)
      variables[job_.sweep[scope[i]].first] = numbers[i][values[i]];
    for (const std::string& name : lets)
      variables[name] = base->evaluate(*workload_->find_let(name), variables);
    return base->evaluate_condition(constraint, variables);
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
      own.push_back(configuration(point).configuration.value(name).number());
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
