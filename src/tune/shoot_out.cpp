#include "tune/shoot_out.h"

#include <algorithm>
#include <limits>
#include <optional>
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

/// The values of each over all rounds; empty for one that failed. Absent if the search was stopped.
std::optional<std::vector<std::vector<double>>> run_rounds(const TuneTask& task, Measurer& measurer,
                                                           const std::vector<Candidate>& candidates) {
  MeasureSpec measure = task.job.measure;
  measure.min_time = 0;
  measure.min_samples = measure.max_samples = kSamples;
  std::vector<std::vector<double>> values(candidates.size());
  std::vector<bool> failed(candidates.size(), false);
  for (int round = 0; round < kRounds; ++round) {
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      if (failed[i]) continue;
      const Evaluation again = measurer.run(candidates[i], measure);
      if (task.context.stopped()) return std::nullopt;
      failed[i] = again.outcome.kind != OutcomeKind::kValue;
      values[i].push_back(again.outcome.value);
      if (failed[i]) values[i].clear();
    }
  }
  return values;
}

}  // namespace

std::vector<Finalist> shoot_out(const TuneTask& task, Measurer& measurer, const ShootOut& who) {
  if (who.places.size() < 2) return {};
  const auto values = run_rounds(task, measurer, who.candidates);
  if (!values) return {};
  const Configuration usual = task.space.untuned(0).configuration;
  std::vector<Finalist> finalists, compared;
  for (std::size_t i = 0; i < who.places.size(); ++i) {
    if ((*values)[i].empty()) continue;
    (i < who.contenders ? finalists : compared)
        .push_back({who.places[i], range_of((*values)[i]),
                    code_differences(who.candidates[i].variants.front().configuration, usual)});
  }
  if (finalists.empty()) return {};
  const auto by_median = [](const Finalist& a, const Finalist& b) { return a.value.median < b.value.median; };
  const Finalist fastest = *std::min_element(finalists.begin(), finalists.end(), by_median);
  const auto simplicity = [&](const Finalist& one) {
    const bool ties = one.value.low <= fastest.value.high;
    return std::tuple(!ties, one.differences, registers_of(who.evaluations[one.evaluation]),
                      one.value.median);
  };
  std::swap(finalists.front(),
            *std::min_element(finalists.begin(), finalists.end(), [&](const Finalist& a, const Finalist& b) {
              return simplicity(a) < simplicity(b);
            }));
  finalists.insert(finalists.end(), compared.begin(), compared.end());
  std::sort(finalists.begin() + 1, finalists.end(), by_median);
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
