#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>
#include <set>

#include "search/gaussian_process.h"
#include "search/searchers.h"
#include "search/validity_model.h"

namespace kiln {
namespace {

constexpr std::size_t kStart = 8;           // uniform points before the model is asked
constexpr std::ptrdiff_t kLeastValues = 3;  // that the model needs
constexpr std::size_t kMostModelled = 300;  // points: the model's time is cubic
constexpr std::size_t kDescended = 6;       // best points whose neighbours are candidates
constexpr std::size_t kUniform = 200;       // uniform candidates
constexpr std::size_t kCrossed = 150, kParents = 10;
constexpr double kMutation = 0.3;  // probability for a crossed point
constexpr double kExplore = 0.1;   // part of the points that are any of the candidates
constexpr int kFirstShapes = 20, kShapes = 4;
constexpr std::size_t kNewShapes = 8;  // outcomes between two searches for a shape
constexpr double kLeastValid = 1e-3;

/// The logarithm of the expected improvement on `best` (Jones, Schonlau, Welch, J. Global Optimization 13,
/// 1998).
double log_expected_improvement(double best, double mean, double variance) {
  const double deviation = std::sqrt(variance), gain = best - mean;
  const double z = gain / deviation;
  const double below = std::erfc(-z / std::numbers::sqrt2) / 2;
  const double density = std::exp(-z * z / 2) / std::sqrt(2 * std::numbers::pi);
  return std::log(std::max(std::numeric_limits<double>::min(), gain * below + deviation * density));
}

std::vector<const Trialled*> by_cost(const History& history) {
  std::vector<const Trialled*> sorted;
  for (const Trialled& one : history.told()) sorted.push_back(&one);
  std::stable_sort(sorted.begin(), sorted.end(), [](const Trialled* a, const Trialled* b) {
    return a->outcome.cost() < b->outcome.cost();
  });
  return sorted;
}

/// Bayesian optimisation over a discrete space: a Gaussian process of the logarithm of the values, times the
/// probability that a point can be measured. Values above the median count as equal. Cut values count as
/// their bound or as the model's mean for them, whichever is higher. Candidates are the neighbours of the
/// best points, crossings of good ones, and uniform samples; outstanding points narrow the model, so that
/// points proposed together differ.
class SurrogateSearcher : public Searcher {
 public:
  SurrogateSearcher(std::shared_ptr<History> history, const SearcherOptions& options)
      : Searcher(std::move(history)), random_(options.seed), model_(space().parameters()) {}

  std::vector<std::uint64_t> ask(std::size_t wanted) override {
    wanted = static_cast<std::size_t>(std::min<std::uint64_t>(wanted, history().left()));
    if (wanted == 0) return {};
    const std::vector<std::uint64_t> asked =
        fit_model() ? choose(wanted) : history().sample_unknown(wanted, random_);
    for (const std::uint64_t rank : asked) shared_history().ask(rank);
    return asked;
  }

 private:
  double uniform() { return std::uniform_real_distribution<double>(0, 1)(random_); }
  std::size_t below(std::size_t end) {
    return std::uniform_int_distribution<std::size_t>(0, end - 1)(random_);
  }

  /// False where too little is known for a model.
  bool fit_model() {
    if (history().told().size() < kStart) return false;
    std::vector<const Trialled*> data = modelled();
    const auto cut = std::stable_partition(data.begin(), data.end(), [](const Trialled* one) {
      return one->outcome.kind == OutcomeKind::kValue;
    });
    if (cut - data.begin() < kLeastValues) return false;
    std::vector<Point> points;
    std::vector<double> targets;
    const auto take = [&](const Trialled* one, double target) {
      points.push_back(one->point);
      targets.push_back(target);
    };
    std::for_each(data.begin(), cut, [&](const Trialled* one) { take(one, log_cost(*one)); });
    if (cut != data.end()) {
      model_.fit(points, targets, 0, random_);
      std::for_each(cut, data.end(), [&](const Trialled* one) {
        take(one, std::max(log_cost(*one), model_.predict({one->point}).means.front()));
      });
    }
    cap_at_median(targets);
    best_ = *std::min_element(targets.begin(), targets.end());
    model_.fit(std::move(points), targets, shapes_to_try(), random_);
    return true;
  }

  static double log_cost(const Trialled& one) {
    return std::log(std::max(std::numeric_limits<double>::min(), one.outcome.cost()));
  }

  static void cap_at_median(std::vector<double>& targets) {
    std::vector<double> sorted = targets;
    const auto middle = sorted.begin() + std::ssize(sorted) / 2;
    std::nth_element(sorted.begin(), middle, sorted.end());
    for (double& target : targets) target = std::min(target, *middle);
  }

  int shapes_to_try() {
    const std::size_t told = history().told().size();
    if (shaped_ > 0 && told < shaped_ + kNewShapes) return 0;
    const int tries = shaped_ == 0 ? kFirstShapes : kShapes;
    shaped_ = told;
    return tries;
  }

  /// The measured and cut points; where there are too many, the best half and the latest.
  [[nodiscard]] std::vector<const Trialled*> modelled() const {
    std::vector<const Trialled*> sorted = by_cost(history());
    std::erase_if(sorted, [](const Trialled* one) { return one->outcome.kind == OutcomeKind::kFailed; });
    if (sorted.size() <= kMostModelled) return sorted;
    const auto rest = sorted.begin() + kMostModelled / 2;
    std::sort(rest, sorted.end(), std::greater<>());  // places in the list of outcomes: the latest first
    sorted.resize(kMostModelled);
    return sorted;
  }

  std::vector<std::uint64_t> choose(std::size_t wanted) {
    const std::vector<std::uint64_t> ranks = candidates();
    GaussianProcess::Predictions predictions = predict_with_outstanding(ranks);
    const ValidityModel validity(history());
    std::vector<double> log_valid;
    for (std::size_t i = 0; i < ranks.size(); ++i)
      log_valid.push_back(std::log(std::max(kLeastValid, validity.probability(predictions.points[i]))));
    std::vector<bool> taken(ranks.size(), false);
    std::vector<std::uint64_t> chosen;
    while (chosen.size() < std::min(wanted, ranks.size())) {
      const std::size_t pick =
          uniform() < kExplore ? any_left(taken) : most_promising(predictions, log_valid, taken);
      taken[pick] = true;
      chosen.push_back(ranks[pick]);
      if (chosen.size() < wanted) model_.believe(predictions, pick);
    }
    return chosen;
  }

  /// Predictions for the candidates, narrowed by the outstanding points, which follow them in the list.
  GaussianProcess::Predictions predict_with_outstanding(const std::vector<std::uint64_t>& ranks) const {
    std::vector<Point> points;
    for (const std::uint64_t rank : ranks) points.push_back(space().point(rank));
    for (const std::uint64_t rank : history().outstanding()) points.push_back(space().point(rank));
    GaussianProcess::Predictions predictions = model_.predict(std::move(points));
    for (std::size_t i = ranks.size(); i < predictions.points.size(); ++i) model_.believe(predictions, i);
    return predictions;
  }

  std::size_t any_left(const std::vector<bool>& taken) {
    for (;;) {
      if (const std::size_t pick = below(taken.size()); !taken[pick]) return pick;
    }
  }

  [[nodiscard]] std::size_t most_promising(const GaussianProcess::Predictions& predictions,
                                           const std::vector<double>& log_valid,
                                           const std::vector<bool>& taken) const {
    std::size_t best = 0;
    double most = -std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < taken.size(); ++i) {
      if (taken[i]) continue;
      const double promise =
          log_expected_improvement(best_, predictions.means[i], predictions.variances[i]) + log_valid[i];
      if (promise > most) {
        most = promise;
        best = i;
      }
    }
    return best;
  }

  /// Unknown points, by rank.
  std::vector<std::uint64_t> candidates() {
    std::set<std::uint64_t> found;
    const std::vector<const Trialled*> sorted = by_cost(history());
    for (std::size_t i = 0; i < std::min(kDescended, sorted.size()); ++i) {
      for (const Point& point : space().neighbours(sorted[i]->point, Neighbourhood::kHamming))
        add(point, found);
    }
    for (std::size_t i = 0; i < kCrossed; ++i) add(crossing(sorted), found);
    const std::vector<std::uint64_t> any = history().sample_unknown(kUniform, random_);
    found.insert(any.begin(), any.end());
    return {found.begin(), found.end()};
  }

  void add(const Point& point, std::set<std::uint64_t>& found) const {
    const auto rank = space().rank(point);
    if (rank && !history().knows(*rank)) found.insert(*rank);
  }

  /// Uniform crossover of two good points, sometimes with another value of one parameter.
  Point crossing(const std::vector<const Trialled*>& sorted) {
    const std::size_t parents = std::min(kParents, sorted.size());
    Point child = sorted[below(parents)]->point;
    const Point& other = sorted[below(parents)]->point;
    for (std::size_t i = 0; i < child.size(); ++i) {
      if (uniform() < 0.5) child[i] = other[i];
    }
    if (uniform() < kMutation) {
      const std::size_t parameter = below(child.size());
      child[parameter] = static_cast<std::uint32_t>(below(space().parameters()[parameter].values));
    }
    return child;
  }

  std::mt19937_64 random_;
  GaussianProcess model_;
  double best_ = 0;         // least target
  std::size_t shaped_ = 0;  // outcomes when the model's shape was last searched for
};

}  // namespace

SearcherPointer make_surrogate_searcher(std::shared_ptr<History> history, const SearcherOptions& options) {
  return std::make_unique<SurrogateSearcher>(std::move(history), options);
}

}  // namespace kiln
