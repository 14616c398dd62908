#include "tune/score.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "kiln/error.h"

namespace kiln {
namespace {

constexpr double kFrom = 0.01, kTo = 0.95;  // parts of the way to the optimum where ranges begin and end
constexpr int kInstants = 1000;             // points of the range of times
constexpr double kNone = std::numeric_limits<double>::infinity();

double median_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

double best_after(const SearchTrace& trace, std::uint64_t evaluations) {
  if (trace.best.empty()) return kNone;
  return trace.best[std::min<std::uint64_t>(evaluations, trace.best.size()) - 1];
}

/// Adds up (baseline - found) / (baseline - optimum).
class MeanGain {
 public:
  explicit MeanGain(double optimum) : optimum_(optimum) {}
  void add(double baseline, double found) {
    if (!(baseline > optimum_) || !std::isfinite(found)) return;
    sum_ += (baseline - found) / (baseline - optimum_);
    ++count_;
  }
  [[nodiscard]] double value() const { return count_ > 0 ? sum_ / count_ : 0; }

 private:
  double optimum_, sum_ = 0;
  int count_ = 0;
};

/// The place of a value in the sorted values; the last place for none.
double place_of(const std::vector<double>& values, double best) {
  const auto place = std::lower_bound(values.begin(), values.end(), best) - values.begin();
  return static_cast<double>(std::min<std::ptrdiff_t>(place, std::ssize(values) - 1));
}

double value_at(const std::vector<double>& values, double place) {
  return values[static_cast<std::size_t>(
      std::clamp(std::nearbyint(place), 0.0, static_cast<double>(values.size() - 1)))];
}

struct FitStep {
  double time = 0, place = 0, weight = 1;
};

/// Least-squares fit that does not rise, by pooling adjacent violators (Ayer et al., Ann. Math. Stat. 26,
/// 1955). `steps` are by time; each of the result is a stretch that ends at its time.
std::vector<FitStep> falling_fit(const std::vector<FitStep>& steps) {
  std::vector<FitStep> fit;
  for (FitStep step : steps) {
    while (!fit.empty() && fit.back().place <= step.place) {
      const FitStep& last = fit.back();
      step.place = (step.place * step.weight + last.place * last.weight) / (step.weight + last.weight);
      step.weight += last.weight;
      fit.pop_back();
    }
    fit.push_back(step);
  }
  return fit;
}

double score_over_evaluations(const Baseline& baseline, const std::vector<SearchTrace>& traces,
                              std::uint64_t first, std::uint64_t last) {
  MeanGain gain(baseline.optimum());
  for (std::uint64_t k = first; k <= last; ++k) {
    std::vector<double> places;
    for (const SearchTrace& trace : traces) {
      if (const double best = best_after(trace, k); std::isfinite(best))
        places.push_back(place_of(baseline.values(), best));
    }
    if (places.empty()) continue;
    gain.add(baseline.community_value(static_cast<double>(k)),
             value_at(baseline.values(), median_of(std::move(places))));
  }
  return gain.value();
}

double exact_score(const Baseline& baseline, const std::vector<SearchTrace>& traces, std::uint64_t first,
                   std::uint64_t last) {
  MeanGain gain(baseline.optimum());
  for (std::uint64_t k = first; k <= last; ++k) {
    double sum = 0;
    int found = 0;
    for (const SearchTrace& trace : traces) {
      const double best = best_after(trace, k);
      if (!std::isfinite(best)) continue;
      sum += best;
      ++found;
    }
    if (found > 0) gain.add(baseline.expected_best(k).value, sum / found);
  }
  return gain.value();
}

double score_over_time(const Baseline& baseline, const std::vector<SearchTrace>& traces, std::uint64_t first,
                       std::uint64_t last) {
  const double begin = static_cast<double>(first) * baseline.median_seconds();
  const double end = static_cast<double>(last) * baseline.median_seconds();
  std::vector<FitStep> steps;
  for (const SearchTrace& trace : traces) {
    for (std::size_t i = 0; i < trace.best.size(); ++i) {
      const double time = trace.seconds[i];
      if (std::isfinite(trace.best[i]) && time >= 0.9 * begin && time <= 1.1 * end)
        steps.push_back({time, place_of(baseline.values(), trace.best[i])});
    }
  }
  if (steps.empty() || !(baseline.seconds_per_value() > 0)) return 0;
  std::stable_sort(steps.begin(), steps.end(),
                   [](const FitStep& a, const FitStep& b) { return a.time < b.time; });
  const std::vector<FitStep> fit = falling_fit(steps);
  MeanGain gain(baseline.optimum());
  for (int i = 0; i < kInstants; ++i) {
    const double time = begin + (end - begin) * i / (kInstants - 1);
    auto stretch = std::lower_bound(fit.begin(), fit.end(), time,
                                    [](const FitStep& step, double when) { return step.time < when; });
    if (stretch == fit.end()) --stretch;
    const double draws = std::max(1.0, std::nearbyint(time / baseline.seconds_per_value()));
    gain.add(baseline.community_value(draws), value_at(baseline.values(), stretch->place));
  }
  return gain.value();
}

}  // namespace

double RecordedSpace::optimum() const {
  double least = kNone;
  for (const RecordedPoint& point : points) {
    if (point.outcome.kind == OutcomeKind::kValue) least = std::min(least, point.outcome.value);
  }
  if (!std::isfinite(least)) throw bad_input(name + ": no point was measured");
  return least;
}

Baseline::Baseline(const RecordedSpace& recorded) : points_(recorded.points.size()) {
  double seconds = 0, seconds_failed = 0;
  std::vector<double> all_seconds;
  for (const RecordedPoint& point : recorded.points) {
    const bool measured = point.outcome.kind == OutcomeKind::kValue;
    if (measured) values_.push_back(point.outcome.value);
    (measured ? seconds : seconds_failed) += point.seconds;
    all_seconds.push_back(point.seconds);
  }
  if (values_.empty()) throw bad_input(recorded.name + ": no point was measured");
  std::sort(values_.begin(), values_.end());
  median_seconds_ = median_of(std::move(all_seconds));
  seconds_per_value_ =
      seconds / static_cast<double>(values_.size()) + seconds_failed / static_cast<double>(points_);
}

double Baseline::community_value(double draws) const {
  const double count = static_cast<double>(values_.size());
  const double from_worst = std::min(count - 1, std::nearbyint(draws * (count + 1) / (draws + 1)));
  return values_[values_.size() - 1 - static_cast<std::size_t>(from_worst)];
}

Baseline::Expectation Baseline::expected_best(std::uint64_t draws) const {
  // P(no draw is among the best i) = C(n - i, k) / C(n, k), which the loop updates.
  const auto n = static_cast<double>(points_);
  const double k = std::min(static_cast<double>(draws), n);
  double none = 1, value = 0, fraction = 0;
  for (std::size_t i = 0; i < values_.size() && none > 0; ++i) {
    const double left = n - static_cast<double>(i);
    const double next = left > k ? none * (left - k) / left : 0;
    value += (none - next) * values_[i];
    fraction += (none - next) * optimum() / values_[i];
    none = next;
  }
  return {value / (1 - none), fraction / (1 - none)};
}

std::uint64_t Baseline::cut_off(double part) const {
  const std::size_t count = values_.size();
  const double target = optimum() + (median_of(values_) - optimum()) * (1 - part);
  const auto beyond = std::upper_bound(values_.begin(), values_.end(), target) - values_.begin();
  const auto from_worst = static_cast<double>(static_cast<std::ptrdiff_t>(count) - beyond);
  return static_cast<std::uint64_t>(
      std::max(1.0, std::ceil(from_worst / (static_cast<double>(count) + 1 - from_worst))));
}

Score score_of(const Baseline& baseline, const std::vector<SearchTrace>& traces) {
  std::uint64_t longest = 0;
  for (const SearchTrace& trace : traces) longest = std::max<std::uint64_t>(longest, trace.best.size());
  const std::uint64_t first = baseline.cut_off(kFrom);
  const std::uint64_t last = std::max(first, std::min(baseline.cut_off(kTo), longest));
  return {score_over_evaluations(baseline, traces, first, last),
          score_over_time(baseline, traces, first, last), exact_score(baseline, traces, first, last)};
}

double found_fraction(const Baseline& baseline, const std::vector<SearchTrace>& traces,
                      std::uint64_t evaluations) {
  double sum = 0;
  for (const SearchTrace& trace : traces) sum += baseline.optimum() / best_after(trace, evaluations);
  return traces.empty() ? 0 : sum / static_cast<double>(traces.size());
}

}  // namespace kiln
