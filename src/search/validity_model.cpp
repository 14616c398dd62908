#include "search/validity_model.h"

#include <algorithm>
#include <cmath>

namespace kiln {
namespace {

constexpr double kDiffers = 0.6,
                 kDistance = 2.4;  // how fast nearness falls with a value, and with its distance
constexpr double kPrior = 1;       // weight of the overall rate, in points

bool is_valid(const Trialled& one) {
  return one.outcome.kind != OutcomeKind::kFailed;
}

double nearness(const std::vector<SpaceParameter>& parameters, const Point& one, const Point& other) {
  double distance = 0;
  for (std::size_t i = 0; i < one.size(); ++i) {
    if (one[i] == other[i]) continue;
    const double apart = one[i] > other[i] ? one[i] - other[i] : other[i] - one[i];
    distance += kDiffers + kDistance * apart / (parameters[i].values - 1.0);
  }
  return std::exp(-distance);
}

}  // namespace

ValidityModel::ValidityModel(const History& history) : history_(history) {
  const auto& told = history.told();
  if (!told.empty())
    rate_ = static_cast<double>(std::count_if(told.begin(), told.end(), is_valid)) /
            static_cast<double>(told.size());
}

double ValidityModel::probability(const Point& point) const {
  if (rate_ == 1) return 1;
  double valid = kPrior * rate_, all = kPrior;
  for (const Trialled& one : history_.told()) {
    const double weight = nearness(history_.space().parameters(), point, one.point);
    all += weight;
    if (is_valid(one)) valid += weight;
  }
  return valid / all;
}

}  // namespace kiln
