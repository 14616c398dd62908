#include "tune/parameter_effects.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace kiln {
namespace {

/// Values that are added up for each name, fitted name by name to what the others leave.
class AdditiveModel {
 public:
  explicit AdditiveModel(const std::vector<const Evaluation*>& points, std::size_t names)
      : points_(points), effects_(names) {
    for (const Evaluation* point : points_) rest_.push_back(std::log(point->outcome.value));
    const double mean = mean_of(rest_);
    for (double& rest : rest_) rest -= mean;
    total_ = variance(rest_);
    constexpr int kSweeps = 50;
    for (int sweep = 0; sweep < kSweeps; ++sweep) {
      for (std::size_t name = 0; name < names; ++name) fit(name);
    }
  }

  [[nodiscard]] const std::map<std::string, double>& effects(std::size_t name) const {
    return effects_[name];
  }
  [[nodiscard]] double share(std::size_t name) const {
    std::vector<double> parts;
    for (const Evaluation* point : points_) parts.push_back(effects_[name].at(point->values[name]));
    return total_ > 0 ? variance(parts) / total_ : 0;
  }

 private:
  static double mean_of(const std::vector<double>& values) {
    double sum = 0;
    for (const double value : values) sum += value;
    return sum / static_cast<double>(values.size());
  }
  static double variance(const std::vector<double>& values) {
    const double mean = mean_of(values);
    double sum = 0;
    for (const double value : values) sum += (value - mean) * (value - mean);
    return sum / static_cast<double>(values.size());
  }

  void fit(std::size_t name) {
    // Draws a value that was seen once half the way to none: its point may be slow for other reasons.
    constexpr double kPrior = 1;
    std::map<std::string, double> sums, counts;
    std::map<std::string, double>& effects = effects_[name];
    for (std::size_t i = 0; i < points_.size(); ++i) {
      const std::string& value = points_[i]->values[name];
      sums[value] += rest_[i] + effects[value];
      counts[value] += 1;
    }
    for (std::size_t i = 0; i < points_.size(); ++i) {
      const std::string& value = points_[i]->values[name];
      rest_[i] += effects[value] - sums[value] / (counts[value] + kPrior);
    }
    for (const auto& [value, sum] : sums) effects[value] = sum / (counts[value] + kPrior);
  }

  std::vector<const Evaluation*> points_;
  std::vector<std::map<std::string, double>> effects_;  // by name, then by value
  std::vector<double> rest_;                            // by point: residual of the model
  double total_ = 0;                                    // variance
};

}  // namespace

std::vector<ParameterEffect> parameter_effects(const std::vector<std::string>& names,
                                               const std::vector<Evaluation>& evaluations) {
  std::vector<const Evaluation*> points;
  for (const Evaluation& one : evaluations) {
    const bool known = one.outcome.kind != OutcomeKind::kFailed && one.outcome.value > 0;
    if (known && one.values.size() == names.size()) points.push_back(&one);
  }
  if (points.empty()) return {};
  const AdditiveModel model(points, names.size());
  std::vector<ParameterEffect> found;
  std::size_t values = 0;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto& effects = model.effects(i);
    values += effects.size();
    if (effects.size() < 2) continue;
    const auto [least, most] = std::minmax_element(
        effects.begin(), effects.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
    found.push_back(
        {names[i], least->first, most->first, std::exp(most->second - least->second), model.share(i)});
  }
  if (points.size() < values) return {};
  std::stable_sort(found.begin(), found.end(),
                   [](const ParameterEffect& a, const ParameterEffect& b) { return a.share > b.share; });
  return found;
}

}  // namespace kiln
