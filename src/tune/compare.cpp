#include "tune/compare.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <future>
#include <limits>
#include <numeric>

#include "base/async.h"
#include "base/text.h"
#include "report/csv.h"

namespace kiln {
namespace {

/// Calls `work` for 0 to `count`, on that many threads; an exception of one is thrown when all have ended.
void for_each_on_threads(std::size_t count, unsigned threads, const std::function<void(std::size_t)>& work) {
  std::atomic<std::size_t> next = 0;
  const auto take = [&] {
    for (std::size_t i = next++; i < count; i = next++) work(i);
  };
  std::vector<std::future<void>> running;
  for (unsigned i = 0; i < threads; ++i) running.push_back(run_beside(take));
  for (std::future<void>& one : running) one.wait();
  for (std::future<void>& one : running) one.get();
}

double value_after(const std::vector<double>& curve, std::uint64_t evaluations) {
  if (curve.empty() || evaluations == 0) return 0;
  return curve[std::min<std::uint64_t>(evaluations, curve.size()) - 1];
}

NearOptimum near_optimum(const RecordedSpace& space, const std::vector<SearchTrace>& traces) {
  double all_seconds = 0;
  for (const RecordedPoint& point : space.points) all_seconds += point.seconds;
  const double wanted = (1 + kNear) * space.optimum();
  std::vector<double> evaluations, times;
  for (const SearchTrace& trace : traces) {
    const auto found =
        std::find_if(trace.best.begin(), trace.best.end(), [&](double best) { return best <= wanted; });
    const bool came = found != trace.best.end();
    const auto place = found - trace.best.begin();
    constexpr double kNever = std::numeric_limits<double>::infinity();
    evaluations.push_back(came ? static_cast<double>(place + 1) : kNever);
    times.push_back(came ? trace.seconds[static_cast<std::size_t>(place)] / all_seconds : kNever);
  }
  // The upper one of two middles: a half that never came is most.
  const auto median = [](std::vector<double>& values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
  };
  return {median(evaluations), median(times)};
}

SearcherResult result_of(const RecordedSpace& space, const Baseline& baseline, const std::string& searcher,
                         const std::vector<SearchTrace>& traces, std::uint64_t evaluations) {
  SearcherResult result{space.name, searcher, {}, {}, score_of(baseline, traces), near_optimum(space, traces),
                        0};
  for (std::uint64_t n = 1; n <= std::min<std::uint64_t>(evaluations, space.points.size()); ++n) {
    result.fraction.push_back(found_fraction(baseline, traces, n));
    result.random.push_back(baseline.expected_best(n).fraction);
  }
  return result;
}

/// Means of members that are added up over `count` results.
void add_part(SearcherResult& mean, const SearcherResult& one, double count) {
  const auto add = [&](std::vector<double>& sum, const SearcherResult& from, auto after) {
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += (from.*after)(i + 1) / count;
  };
  add(mean.fraction, one, &SearcherResult::fraction_after);
  add(mean.random, one, &SearcherResult::random_after);
  mean.score.evaluations += one.score.evaluations / count;
  mean.score.time += one.score.time / count;
  mean.score.exact += one.score.exact / count;
  mean.near.evaluations += one.near.evaluations / count;
  mean.near.time += one.near.time / count;
  mean.seconds += one.seconds / count;
}

/// Four decimals: what 20 seeds can tell apart has two.
std::string rounded(double value) {
  constexpr double kUnit = 1e4;
  return format_number(std::nearbyint(value * kUnit) / kUnit);
}

}  // namespace

double SearcherResult::fraction_after(std::uint64_t evaluations) const {
  return value_after(fraction, evaluations);
}

double SearcherResult::random_after(std::uint64_t evaluations) const {
  return value_after(random, evaluations);
}

std::vector<SearcherResult> compare_searchers(const std::vector<RecordedSpace>& spaces,
                                              const CompareOptions& options) {
  const std::size_t searchers = options.searchers.size(), seeds = options.seeds;
  std::vector<std::vector<SearchTrace>> traces(spaces.size() * searchers, std::vector<SearchTrace>(seeds));
  std::vector<std::vector<double>> seconds(traces.size(), std::vector<double>(seeds));
  // Seeds outermost, so that long spaces do not all come at the end.
  for_each_on_threads(traces.size() * seeds, options.threads, [&](std::size_t run) {
    const std::size_t place = run % traces.size(), seed = run / traces.size();
    const auto start = std::chrono::steady_clock::now();
    traces[place][seed] =
        replay(spaces[place / searchers], options.searchers[place % searchers], seed, options.replay);
    seconds[place][seed] = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  });
  std::vector<SearcherResult> results;
  for (std::size_t space = 0; space < spaces.size(); ++space) {
    const Baseline baseline(spaces[space]);
    for (std::size_t i = 0; i < searchers; ++i) {
      const std::size_t place = space * searchers + i;
      results.push_back(result_of(spaces[space], baseline, options.searchers[i], traces[place],
                                  options.replay.evaluations));
      results.back().seconds =
          std::accumulate(seconds[place].begin(), seconds[place].end(), 0.0) / static_cast<double>(seeds);
    }
  }
  return results;
}

std::vector<SearcherResult> means_over_spaces(const std::vector<SearcherResult>& results) {
  std::vector<SearcherResult> means;
  for (const SearcherResult& one : results) {
    if (std::any_of(means.begin(), means.end(),
                    [&](const auto& mean) { return mean.searcher == one.searcher; }))
      continue;
    SearcherResult& mean = means.emplace_back(SearcherResult{"mean", one.searcher, {}, {}, {}, {}, 0});
    std::vector<const SearcherResult*> own;
    for (const SearcherResult& other : results) {
      if (other.searcher == one.searcher) own.push_back(&other);
    }
    std::size_t longest = 0;
    for (const SearcherResult* other : own) longest = std::max(longest, other->fraction.size());
    mean.fraction.assign(longest, 0);
    mean.random.assign(longest, 0);
    for (const SearcherResult* other : own) add_part(mean, *other, static_cast<double>(own.size()));
  }
  return means;
}

std::string scores_to_csv(const std::vector<SearcherResult>& results) {
  std::vector<std::string> titles = {"space", "searcher"};
  for (const char* what : {"fraction", "random"}) {
    for (const std::uint64_t n : kShownEvaluations) titles.push_back(what + ("_" + std::to_string(n)));
  }
  titles.insert(titles.end(), {"score_evaluations", "score_time", "score_exact", "near_evaluations",
                               "near_time", "seconds_per_run"});
  std::string csv = csv_line(titles);
  for (const SearcherResult& one : results) {
    std::vector<std::string> fields = {one.space, one.searcher};
    for (const std::uint64_t n : kShownEvaluations) fields.push_back(rounded(one.fraction_after(n)));
    for (const std::uint64_t n : kShownEvaluations) fields.push_back(rounded(one.random_after(n)));
    for (const double value : {one.score.evaluations, one.score.time, one.score.exact, one.near.evaluations,
                               one.near.time, one.seconds})
      fields.push_back(rounded(value));
    csv += csv_line(fields);
  }
  return csv;
}

std::string curves_to_csv(const std::vector<SearcherResult>& results) {
  std::string csv = csv_line({"space", "searcher", "evaluations", "fraction", "random"});
  for (const SearcherResult& one : results) {
    for (std::size_t i = 0; i < one.fraction.size(); ++i)
      csv += csv_line(
          {one.space, one.searcher, std::to_string(i + 1), rounded(one.fraction[i]), rounded(one.random[i])});
  }
  return csv;
}

}  // namespace kiln
