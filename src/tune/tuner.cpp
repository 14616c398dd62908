#include "tune/tuner.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "base/clock.h"
#include "base/text.h"
#include "device/backend_kind.h"
#include "search/searcher.h"
#include "service/task_threads.h"
#include "tune/candidates.h"
#include "tune/measurer.h"
#include "tune/shoot_out.h"

namespace kiln {
namespace {

constexpr std::size_t kFinalists = 8;
constexpr std::uint64_t kSecondSeed = 1;

class Search {
 public:
  Search(const TuneTask& task, std::size_t known)
      : task_(task),
        section_(task.job.tune),
        objective_(section_.objective, task.workload, task.space.sizes().size()),
        candidates_(task),
        on_host_(task.context.devices.open(task.device)->info().target.backend == host_kind().name),
        queue_(task.context, on_host_),
        measurer_(task, objective_),
        begin_ns_(task.context.clock.steady_ns()),
        compiled_before_(task.context.service.counters().compile_seconds) {
    const auto points = static_cast<double>(task.space.points().count());
    limit_ = section_.budget.evaluations;
    if (section_.budget.fraction) {
      const auto part = static_cast<std::uint64_t>(std::ceil(*section_.budget.fraction * points));
      limit_ = std::min(limit_.value_or(part), part);
    }
    if (!limit_ && !section_.budget.seconds && !section_.budget.target && !section_.budget.stall)
      limit_ = TuneBudget::kUsualEvaluations;
    searcher_ = make_searcher(section_.searcher, task.space.points(),
                              {section_.seed, limit_.value_or(TuneBudget::kUsualEvaluations)});
    if (section_.budget.target)
      target_ = objective_.target(*section_.budget.target, task.context.devices.open(task.device)->info());
    result_.known = known;
  }

  TuneResult run(const std::vector<Evaluation>& known) {
    for (const Evaluation& evaluation : known) {
      const Evaluation& kept = keep(evaluation);
      if (const auto rank = task_.space.rank(kept.values)) searcher_->tell(*rank, kept.outcome);
    }
    measure_first("default", candidates_.untuned("default"), result_.default_variant);
    if (auto paper = candidates_.paper()) measure_first("paper", std::move(*paper), result_.paper_variant);
    while (!stopped() && !ended()) {
      fill();
      auto candidate = queue_.pop([this] {
        task_.sink.compiling(queue_.size(), progress());
        return stopped() || ended();
      });
      if (candidate) {
        measure(*candidate);
      } else if (queue_.size() == 0) {
        result_.end = "every point is known";
      }
    }
    finish();
    return std::move(result_);
  }

 private:
  [[nodiscard]] bool stopped() const { return task_.context.stopped(); }
  [[nodiscard]] double seconds() const { return seconds_between(begin_ns_, task_.context.clock.steady_ns()); }

  /// Whether the budget is used up, and `result_.end` why.
  bool ended() {
    const TuneBudget& budget = section_.budget;
    const std::uint64_t evaluated = result_.evaluations.size();
    if (!result_.end.empty()) return true;
    if (target_ && best_ && target_->reached(result_.evaluations[*best_])) {
      result_.end = "the target is reached";
    } else if (limit_ && evaluated >= *limit_) {
      result_.end = std::to_string(*limit_) + " evaluations";
    } else if (budget.seconds && seconds() >= *budget.seconds) {
      result_.end = format_seconds(*budget.seconds) + " are over";
    } else if (budget.stall && best_ && evaluated - *best_ > *budget.stall) {
      result_.end = std::to_string(*budget.stall) + " evaluations without a new best";
    }
    return !result_.end.empty();
  }

  [[nodiscard]] TuneProgress progress() const {
    TuneProgress progress;
    progress.evaluated = result_.evaluations.size();
    // The default and the paper's variant need not be points of the space.
    if (limit_) progress.evaluations = std::min(*limit_, task_.space.points().count() + 2);
    progress.seconds = seconds();
    if (section_.budget.seconds) progress.seconds_left = *section_.budget.seconds - progress.seconds;
    const auto measured = static_cast<double>(progress.evaluated - result_.known);
    if (limit_ && measured > 0) {
      const std::uint64_t rest = *progress.evaluations - std::min(*progress.evaluations, progress.evaluated);
      const double left = progress.seconds / measured * static_cast<double>(rest);
      progress.seconds_left = std::min(progress.seconds_left.value_or(left), left);
    }
    if (progress.evaluated > 0) progress.last = &result_.evaluations.back();
    if (best_) progress.best = &result_.evaluations[*best_];
    return progress;
  }

  /// A variant to compare with. It is the searcher's, too, where it is a point of the space.
  void measure_first(const std::string& label, Candidate candidate, std::optional<std::size_t>& place) {
    if (stopped()) return;
    if (const auto seen = by_identity_.find(candidate.identity); seen != by_identity_.end()) {
      place = seen->second;
      return;
    }
    candidate.label = label;
    queue_.push(std::move(candidate));
    auto compiled = queue_.pop([this] { return stopped(); });
    if (!compiled || !measure(*compiled, false)) return;
    place = result_.evaluations.size() - 1;
  }

  /// Asks for points until as many are being compiled as keep the device busy.
  void fill() {
    const auto ahead = static_cast<std::size_t>(2 * usable_cores());
    bool more = true;
    while (more && queue_.takes_more(ahead) && !stopped() && !ended()) {
      std::size_t wanted = ahead - queue_.size();
      if (limit_) {
        const std::uint64_t left = *limit_ - result_.evaluations.size();
        wanted = std::min<std::size_t>(wanted, left - std::min<std::uint64_t>(left, queue_.size()));
      }
      if (wanted == 0) return;
      const std::vector<std::uint64_t> ranks = searcher_->ask(wanted);
      more = !ranks.empty();
      JournalAsk ask{wanted, {}};
      for (const std::uint64_t rank : ranks)
        ask.points.push_back(task_.space.values(task_.space.points().point(rank)));
      if (more) write(ask);
      for (const std::uint64_t rank : ranks) take(rank);
    }
  }

  /// A point that is the same variant as one before it shares its outcome.
  void take(std::uint64_t rank) {
    ++result_.asked;
    Candidate candidate = candidates_.point(rank);
    if (const auto seen = by_identity_.find(candidate.identity); seen != by_identity_.end()) {
      Evaluation same = result_.evaluations[seen->second];
      same.label = candidate.label;
      same.values = candidate.values;
      tell(rank, same);
    } else if (Candidate* twin = queue_.find(candidate.identity)) {
      twin->twins.push_back(rank);
    } else {
      queue_.push(std::move(candidate));
    }
  }

  /// False if it was stopped meanwhile.
  bool measure(const Candidate& candidate, bool may_cut = true) {
    task_.sink.measuring(candidate.label, progress());
    const bool cuts = may_cut && section_.cut && best_ && !objective_.is_pareto();
    const double limit = cuts ? *section_.cut * best_value_ : std::numeric_limits<double>::infinity();
    Evaluation evaluation = measurer_.run(candidate, limit);
    if (stopped() || is_lost(evaluation)) return false;
    if (is_best(evaluation)) evaluation = confirm(candidate, std::move(evaluation));
    if (stopped() || is_lost(evaluation)) return false;
    evaluation = keep(std::move(evaluation));
    if (candidate.rank)
      tell(*candidate.rank, evaluation);
    else
      write(evaluation);
    for (const std::uint64_t twin : candidate.twins) {
      evaluation.values = task_.space.values(task_.space.points().point(twin));
      evaluation.label = task_.space.label(task_.space.points().point(twin));
      tell(twin, evaluation);
    }
    task_.sink.evaluated(progress());
    return true;
  }

  /// Whether nothing runs on the device any more, in this process; that ends the search.
  bool is_lost(const Evaluation& evaluation) {
    if (evaluation.sizes.empty() || evaluation.sizes.back().status != RunStatus::kNotRun) return false;
    result_.end = evaluation.sizes.back().message;
    return true;
  }

  [[nodiscard]] bool is_best(const Evaluation& evaluation) const {
    return evaluation.outcome.kind == OutcomeKind::kValue &&
           (!best_ || evaluation.outcome.value < best_value_);
  }

  /// A time that is lucky, or a result that is right by luck, does not become the best: other inputs, and
  /// other samples, which count.
  [[nodiscard]] Evaluation confirm(const Candidate& candidate, Evaluation first) {
    Evaluation second = measurer_.run(candidate, std::numeric_limits<double>::infinity(), kSecondSeed);
    second.device_seconds += first.device_seconds;
    return second;
  }

  const Evaluation& keep(Evaluation evaluation) {
    objective_.learn(evaluation);
    evaluation.outcome = objective_.outcome(evaluation);
    const bool best = is_best(evaluation);
    by_identity_.try_emplace(evaluation.identity, result_.evaluations.size());
    result_.evaluations.push_back(std::move(evaluation));
    if (best) {
      best_ = result_.evaluations.size() - 1;
      best_value_ = result_.evaluations.back().outcome.value;
    }
    return result_.evaluations.back();
  }

  void tell(std::uint64_t rank, const Evaluation& evaluation) {
    searcher_->tell(rank, evaluation.outcome);
    write(evaluation);
  }

  void write(const JournalEvent& event) {
    if (task_.journal != nullptr) task_.journal->append(event);
  }

  void finish() {
    result_.stopped = stopped();
    result_.best = best_;
    if (!result_.stopped) compare_best();
    if (result_.stopped) result_.end = "interrupted";
    if (objective_.is_pareto()) {
      std::vector<std::pair<std::size_t, std::vector<double>>> points;
      for (std::size_t i = 0; i < result_.evaluations.size(); ++i) {
        if (auto costs = objective_.costs(result_.evaluations[i])) points.emplace_back(i, std::move(*costs));
      }
      result_.front = pareto_front(points);
    }
    result_.seconds = seconds();
    result_.compile_seconds = task_.context.service.counters().compile_seconds - compiled_before_;
    result_.device_seconds = measurer_.device_seconds();
    result_.wait_seconds = queue_.waited_seconds();
    write(JournalEnd{result_.end, result_.best ? result_.evaluations[*result_.best].label : "",
                     result_.compile_seconds, result_.device_seconds, result_.wait_seconds});
  }

  /// The workload's paper variant is compared with, and is no candidate: it is a point of no search.
  void compare_best() {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < result_.evaluations.size(); ++i) {
      const bool paper = result_.paper_variant == i && result_.evaluations[i].values.empty();
      if (result_.evaluations[i].outcome.kind == OutcomeKind::kValue && !paper) order.push_back(i);
    }
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return result_.evaluations[a].outcome.value < result_.evaluations[b].outcome.value;
    });
    order.resize(std::min(order.size(), kFinalists));
    if (order.empty()) return result_.best.reset();
    result_.best = order.front();
    if (order.size() < 2 || objective_.is_pareto()) return;
    std::vector<Candidate> again;
    for (const std::size_t i : order) again.push_back(candidates_.of(result_.evaluations[i]));
    result_.finalists = shoot_out(task_, measurer_, result_.evaluations, order, again);
    result_.stopped = stopped();
    if (result_.finalists.empty()) return;
    result_.best = result_.finalists.front().evaluation;
    for (const Finalist& one : result_.finalists) {
      write(JournalFinalist{result_.evaluations[one.evaluation].label, one.value.median, one.value.low,
                            one.value.high});
    }
  }

  const TuneTask& task_;
  const TuneSection& section_;
  Objective objective_;
  CandidateMaker candidates_;
  bool on_host_;
  CandidateQueue queue_;
  Measurer measurer_;
  std::int64_t begin_ns_;
  double compiled_before_;
  std::optional<std::uint64_t> limit_;  // of evaluations
  std::optional<MetricTarget> target_;
  std::unique_ptr<Searcher> searcher_;
  std::map<std::string, std::size_t> by_identity_;  // places in result_.evaluations
  std::optional<std::size_t> best_;
  double best_value_ = 0;
  TuneResult result_;
};

}  // namespace

TuneResult tune(const TuneTask& task, const std::vector<Evaluation>& known) {
  return Search(task, known.size()).run(known);
}

}  // namespace kiln
