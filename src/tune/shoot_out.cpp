#include "tune/shoot_out.h"

#include <algorithm>
#include <limits>
#include <tuple>

namespace kiln {
namespace {

constexpr int kRounds = 5;
constexpr std::size_t kSamples = 3;  // of a round

int registers_of(const Evaluation& evaluation) {
  int most = 0;
  for (const SizeResult& result : evaluation.sizes) most = std::max(most, result.registers);
  return most;
}

}  // namespace

std::vector<Finalist> shoot_out(const TuneTask& task, Measurer& measurer,
                                const std::vector<Evaluation>& evaluations,
                                const std::vector<std::size_t>& best,
                                const std::vector<Candidate>& candidates) {
  MeasureSpec measure = task.job.measure;
  measure.min_time = 0;
  measure.min_samples = measure.max_samples = kSamples;
  std::vector<std::vector<double>> values(best.size());
  std::vector<bool> failed(best.size(), false);
  for (int round = 0; round < kRounds; ++round) {
    for (std::size_t i = 0; i < best.size(); ++i) {
      if (failed[i]) continue;
      const Evaluation again = measurer.run(candidates[i], measure);
      if (task.context.stopped()) return {};
      failed[i] = again.outcome.kind != OutcomeKind::kValue;
      values[i].push_back(again.outcome.value);
    }
  }
  const Configuration usual = task.space.untuned(0).configuration;
  std::vector<Finalist> finalists;
  for (std::size_t i = 0; i < best.size(); ++i) {
    if (failed[i]) continue;
    finalists.push_back({best[i], range_of(values[i]),
                         code_differences(candidates[i].variants.front().configuration, usual)});
  }
  std::sort(finalists.begin(), finalists.end(),
            [](const Finalist& a, const Finalist& b) { return a.value.median < b.value.median; });
  if (finalists.empty()) return finalists;
  const auto simplicity = [&](const Finalist& one) {
    const bool ties = one.value.low <= finalists.front().value.high;
    return std::tuple(!ties, one.differences, registers_of(evaluations[one.evaluation]), one.value.median);
  };
  const auto winner =
      std::min_element(finalists.begin(), finalists.end(),
                       [&](const Finalist& a, const Finalist& b) { return simplicity(a) < simplicity(b); });
  std::rotate(finalists.begin(), winner, winner + 1);
  return finalists;
}

int code_differences(const Configuration& one, const Configuration& usual) {
  int differences = static_cast<int>(one.fast_math() != usual.fast_math()) +
                    static_cast<int>(one.launch_bounds() != usual.launch_bounds());
  for (std::size_t i = 0; i < one.values().size(); ++i) {
    const ParameterValue& value = one.values()[i].second;
    const ParameterValue& other = usual.values()[i].second;
    const bool differs = value.to_string() != other.to_string() || value.binding != other.binding;
    differences += static_cast<int>(value.binding == Binding::kCompile && differs);
  }
  return differences;
}

std::vector<std::size_t> pareto_front(
    const std::vector<std::pair<std::size_t, std::vector<double>>>& points) {
  auto sorted = points;
  std::sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  std::vector<std::size_t> front;
  double least = std::numeric_limits<double>::infinity();
  for (const auto& [index, costs] : sorted) {
    if (!(costs[1] < least)) continue;
    least = costs[1];
    front.push_back(index);
  }
  return front;
}

}  // namespace kiln
