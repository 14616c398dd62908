#include "tune/tuner.h"

#include <algorithm>
#include <limits>
#include <map>
#include <mutex>
#include <utility>

#include "device/backend_kind.h"
#include "search/searcher.h"
#include "service/task_threads.h"
#include "tune/candidates.h"
#include "tune/measurer.h"
#include "tune/measuring_lanes.h"
#include "tune/shoot_out.h"

namespace kiln {
namespace {

constexpr std::size_t kFinalists = 8;
constexpr double kNear = 2;  // what is slower than the best by this factor is not compared once more
constexpr std::uint64_t kSecondSeed = 1;
constexpr const char* kDefault = "default";

class Search {
 public:
  Search(const TuneTask& task, std::size_t known)
      : task_(task),
        section_(task.job.tune),
        objective_(section_.objective, task.workload, task.space.sizes().size()),
        candidates_(task),
        on_host_(task.context.devices.open(task.device)->info().target.backend == host_kind().name),
        queue_(task.context, on_host_),
        measurer_(task, objective_, task.runner),
        limits_(section_.budget, task.space.points().count(), objective_,
                task.context.devices.open(task.device)->info(), task.context.clock),
        compiled_before_(task.context.service.counters().compile_seconds) {
    searcher_ = make_searcher(
        section_.searcher, task.space.points(),
        {section_.seed, limits_.evaluations().value_or(TuneBudget::kUsualEvaluations), task.shard});
    result_.known = known;
  }

  TuneResult run(const std::vector<Evaluation>& known) {
    for (const Evaluation& evaluation : known) {
      const Evaluation& kept = keep(evaluation);
      if (const auto rank = task_.space.rank(kept.values)) searcher_->tell(*rank, kept.outcome);
    }
    measure_first();
    if (task_.others == nullptr)
      search();
    else
      search_with_others();
    finish();
    return std::move(result_);
  }

 private:
  void search() {
    while (!stopped() && !ended()) {
      fill();
      auto candidate = queue_.pop([this] {
        task_.sink.compiling(queue_.size(), progress());
        return stopped() || ended();
      });
      if (candidate) {
        measure(*candidate, measurer_);
      } else if (queue_.size() == 0) {
        result_.end = "every point is known";
      }
    }
  }

  /// search() with several candidates at a time. The queue belongs to this thread alone.
  void search_with_others() {
    std::mutex mutex;  // of all else
    MeasuringLanes lanes(task_, objective_, mutex, [this](const Candidate& candidate, Measurer& measurer) {
      static_cast<void>(measure(candidate, measurer));
    });
    std::unique_lock lock(mutex);  // given up before the lanes wait for their threads
    lanes_ = &lanes;
    while (!stopped() && !ended()) {
      if (!on_host_ || lanes.running() == 0) fill();
      if (queue_.size() == 0 && lanes.running() == 0) {
        result_.end = "every point is known";
      } else if (queue_.size() == 0 || !lanes.has_free()) {
        lanes.wait(lock);
      } else if (auto candidate = pop_unlocked(lock)) {
        lanes.start(*std::move(candidate));
      }
    }
    while (lanes.running() > 0) lanes.wait(lock);
    lanes_ = nullptr;
    lane_seconds_ = lanes.device_seconds();
  }

  std::optional<Candidate> pop_unlocked(std::unique_lock<std::mutex>& lock) {
    lock.unlock();
    auto candidate = queue_.pop([&] {
      const std::lock_guard held(*lock.mutex());
      task_.sink.compiling(queue_.size(), progress());
      return stopped() || ended();
    });
    lock.lock();
    return candidate;
  }

  [[nodiscard]] std::size_t running() const { return lanes_ == nullptr ? 0 : lanes_->running(); }

  [[nodiscard]] bool stopped() const { return task_.context.stopped(); }

  /// Whether the budget is used up, and `result_.end` why.
  bool ended() {
    if (result_.end.empty()) result_.end = limits_.reached(result_.evaluations, best_);
    return !result_.end.empty();
  }
  [[nodiscard]] TuneProgress progress() const {
    return limits_.progress(result_.evaluations, best_, result_.known);
  }

  /// Variants to compare with, whatever the budget, and points to begin with. All of them compile at once,
  /// and the default is measured first: others are compared with it.
  void measure_first() {
    const std::string usual = push_first(candidates_.untuned(kDefault));
    std::string paper;
    if (auto candidate = candidates_.paper()) paper = push_first(std::move(*candidate));
    for (const std::uint64_t rank : task_.first) take(rank, false);
    const auto enough = [&] {
      if (stopped()) return true;
      const bool compares =
          queue_.find(usual) != nullptr || (!paper.empty() && queue_.find(paper) != nullptr);
      return !compares && ended();
    };
    while (queue_.size() > 0 && !enough()) {
      const auto candidate = queue_.pop(enough, true);
      const bool compared = candidate && (candidate->identity == usual || candidate->identity == paper);
      if (candidate) measure(*candidate, measurer_, !compared);
    }
    result_.default_variant = place_of(usual);
    result_.paper_variant = place_of(paper);
  }
  /// Its identity.
  std::string push_first(Candidate candidate) {
    std::string identity = candidate.identity;
    const bool known = by_identity_.contains(identity) || queue_.find(identity) != nullptr;
    if (!known) queue_.push(std::move(candidate));
    return identity;
  }
  [[nodiscard]] std::optional<std::size_t> place_of(const std::string& identity) const {
    const auto found = by_identity_.find(identity);
    return found == by_identity_.end() ? std::nullopt : std::optional(found->second);
  }

  /// Asks for points until as many are being compiled as keep the device busy.
  void fill() {
    auto ahead = 2 * static_cast<std::size_t>(usable_cores());
    if (lanes_ != nullptr) ahead = std::max(ahead, 2 * lanes_->size());
    bool more = true;
    while (more && queue_.takes_more(ahead) && !stopped() && !ended()) {
      std::size_t wanted = ahead - queue_.size();
      if (const auto left = limits_.left(result_.evaluations))
        wanted =
            std::min<std::size_t>(wanted, *left - std::min<std::uint64_t>(*left, queue_.size() + running()));
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

  /// The candidate of this identity that is measured or waits; null if there is no such.
  [[nodiscard]] Candidate* find_waiting(const std::string& identity) {
    Candidate* measured = lanes_ == nullptr ? nullptr : lanes_->find(identity);
    return measured != nullptr ? measured : queue_.find(identity);
  }

  /// A point that is the same variant as one before it shares its outcome. Its line in the journal is left
  /// out without `keeps`: every search that resumes begins with the same points.
  void take(std::uint64_t rank, bool keeps = true) {
    ++result_.asked;
    Candidate candidate = candidates_.point(rank);
    if (const auto seen = by_identity_.find(candidate.identity); seen != by_identity_.end()) {
      Evaluation same = result_.evaluations[seen->second];
      same.label = candidate.label;
      same.values = candidate.values;
      if (keeps)
        tell(rank, same);
      else
        searcher_->tell(rank, same.outcome);
    } else if (Candidate* twin = find_waiting(candidate.identity)) {
      twin->twins.push_back(rank);
    } else {
      queue_.push(std::move(candidate));
    }
  }

  /// False if it was stopped meanwhile.
  bool measure(const Candidate& candidate, Measurer& measurer, bool may_cut = true) {
    task_.sink.measuring(candidate, progress());
    const bool cuts = may_cut && section_.cut && best_ && !objective_.is_pareto();
    const double limit = cuts ? *section_.cut * best_value_ : std::numeric_limits<double>::infinity();
    Evaluation evaluation = measurer.run(candidate, limit);
    if (stopped() || is_lost(evaluation)) return false;
    if (is_best(evaluation)) evaluation = confirm(candidate, evaluation, measurer);
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
    result_.end = evaluation.sizes.back().message + "; --resume goes on";
    return true;
  }

  [[nodiscard]] bool is_best(const Evaluation& evaluation) const {
    return evaluation.outcome.kind == OutcomeKind::kValue &&
           (!best_ || evaluation.outcome.value < best_value_);
  }

  /// A time that is lucky, or a result that is right by luck, does not become the best: other inputs, and
  /// other samples, which count.
  [[nodiscard]] static Evaluation confirm(const Candidate& candidate, const Evaluation& first,
                                          Measurer& measurer) {
    Evaluation second = measurer.run(candidate, std::numeric_limits<double>::infinity(), kSecondSeed);
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
    queue_.clear();  // no compile disturbs the last comparison, and none is waited for
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
    result_.seconds = limits_.seconds();
    result_.compile_seconds = task_.context.service.counters().compile_seconds - compiled_before_;
    result_.device_seconds = measurer_.device_seconds() + lane_seconds_;
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
    if (objective_.is_pareto()) return;
    const std::size_t contenders = order.size();
    for (const auto& place : {result_.default_variant, result_.paper_variant}) {
      const bool comes_near = place && result_.evaluations[*place].outcome.kind == OutcomeKind::kValue &&
                              result_.evaluations[*place].outcome.value < kNear * best_value_;
      if (comes_near && std::find(order.begin(), order.end(), *place) == order.end()) order.push_back(*place);
    }
    std::vector<Candidate> again;
    again.reserve(order.size());
    for (const std::size_t i : order) again.push_back(candidates_.of(result_.evaluations[i]));
    result_.finalists = shoot_out(task_, measurer_, {result_.evaluations, order, again, contenders});
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
  TuneLimits limits_;
  double compiled_before_;
  MeasuringLanes* lanes_ = nullptr;  // while several candidates are measured at a time
  double lane_seconds_ = 0;
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
