#include "tune/tune_limits.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"

namespace kiln {
namespace {

std::uint64_t count_points(const std::vector<Evaluation>& evaluations) {
  return static_cast<std::uint64_t>(std::count_if(evaluations.begin(), evaluations.end(),
                                                  [](const Evaluation& one) { return !one.values.empty(); }));
}

}  // namespace

TuneLimits::TuneLimits(const TuneBudget& budget, std::uint64_t points, const Objective& objective,
                       const DeviceInfo& device, const Clock& clock)
    : budget_(budget),
      points_(points),
      clock_(clock),
      begin_ns_(clock.steady_ns()),
      evaluations_(budget.evaluations) {
  if (budget.fraction) {
    const auto part = static_cast<std::uint64_t>(std::ceil(*budget.fraction * static_cast<double>(points)));
    evaluations_ = std::min(evaluations_.value_or(part), part);
  }
  if (!evaluations_ && !budget.seconds && !budget.target && !budget.stall)
    evaluations_ = TuneBudget::kUsualEvaluations;
  if (budget.target) target_ = objective.target(*budget.target, device);
}

std::optional<std::uint64_t> TuneLimits::left(const std::vector<Evaluation>& evaluations) const {
  if (!evaluations_) return std::nullopt;
  return *evaluations_ - std::min(*evaluations_, count_points(evaluations));
}

std::string TuneLimits::reached(const std::vector<Evaluation>& evaluations,
                                const std::optional<std::size_t>& best) const {
  if (target_ && best && target_->reached(evaluations[*best])) return "the target is reached";
  if (left(evaluations) == 0U) return std::to_string(*evaluations_) + " evaluations";
  if (budget_.seconds && seconds() >= *budget_.seconds) return format_seconds(*budget_.seconds) + " are over";
  if (budget_.stall && best && evaluations.size() - *best > *budget_.stall)
    return std::to_string(*budget_.stall) + " evaluations without a new best";
  return "";
}

TuneProgress TuneLimits::progress(const std::vector<Evaluation>& evaluations,
                                  const std::optional<std::size_t>& best, std::uint64_t known) const {
  TuneProgress progress;
  progress.evaluated = evaluations.size();
  progress.seconds = seconds();
  if (budget_.seconds) progress.seconds_left = *budget_.seconds - progress.seconds;
  if (evaluations_) {
    const std::uint64_t points = count_points(evaluations), most = std::min(*evaluations_, points_);
    const std::uint64_t rest = most - std::min(most, points);
    progress.evaluations = progress.evaluated + rest;
    const auto measured = static_cast<double>(progress.evaluated - known);
    const double left = measured > 0 ? progress.seconds / measured * static_cast<double>(rest) : 0;
    if (measured > 0) progress.seconds_left = std::min(progress.seconds_left.value_or(left), left);
  }
  if (!evaluations.empty()) progress.last = &evaluations.back();
  if (best) progress.best = &evaluations[*best];
  return progress;
}

}  // namespace kiln
