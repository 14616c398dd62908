#include "job/executor.h"
#include "device/host_affinity.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <functional>
#include <future>
#include <mutex>
#include <string>
#include <utility>

#include "device/host_affinity.h"
#include "job/slow_devices.h"
#include "job/variant_record.h"
#include "record/failure.h"
#include "record/failure_text.h"

namespace kiln {
namespace {

void describe(const Variant& variant, TraceSpan& span) {
  span.add("workload", variant.configuration.workload().name);
  span.add("device", variant.device);
  for (const auto& [name, value] : variant.configuration.values()) span.add("p." + name, value.to_string());
}

/// Runs variants of a plan one after the other and reports each.
class VariantLane {
 public:
  VariantLane(const ExecutorJob& job, JobContext context, RecordSink& sink)
      : plan_(job.plan), context_(std::move(context)), sink_(sink), runner_(job.make_runner(context_)) {}
  VariantLane(const ExecutorJob& job, JobContext context, RecordSink& sink,
              std::unique_ptr<TrialRunner> runner)
      : plan_(job.plan), context_(std::move(context)), sink_(sink), runner_(std::move(runner)) {}

  /// Measures a variant without reporting it. Absent if it was stopped.
  [[nodiscard]] std::optional<Record> try_out(const Variant& variant) {
    auto record = record_of(variant, std::nullopt);
    if (context_.watch != nullptr) context_.watch->variant_ends();
    return record;
  }

  /// False if it was stopped.
  [[nodiscard]] bool run(std::size_t index, const Variant& variant, const std::optional<Error>& problem) {
    sink_.variant_started(index, plan_.variants.size(), variant.label);
    TraceSpan span(context_.trace, TraceKind::kVariant, variant.label);
    if (span) describe(variant, span);
    const auto record = record_of(variant, problem);
    span.add("status", record ? to_string(record->status) : "stopped");
    if (!record) return false;
    sink_.record(*record);
    if (context_.watch != nullptr) context_.watch->variant_ends();
    return true;
  }

  [[nodiscard]] bool has_lost(const std::string& device) const { return runner_->has_lost(device); }

 private:
  /// The variant with the values that it has without wisdom, which failed.
  Variant without_wisdom(const Variant& variant, const Record& failed) {
    Variant plain = variant;
    plain.configuration = *variant.otherwise;
    plain.otherwise = nullptr;
    plain.wisdom->failure = std::string(to_string(failed.status)) + ": " + failed.message;
    context_.log.warn(plain.wisdom->sentence + ": fails here (" + plain.wisdom->failure +
                      "); the defaults run in its place");
    return plain;
  }

  std::optional<Record> record_of(const Variant& variant, const std::optional<Error>& problem) {
    if (problem && !has_lost(variant.device))
      return record_without_run(variant, source_of(plan_.job), context_, RunStatus::kUnfit, problem->what());
    auto record = runner_->run(variant, {.measure = plan_.job.measure});
    if (!record) return record;
    if (variant.otherwise && !may_be_measured(record->status) && !has_lost(variant.device))
      return record_of(without_wisdom(variant, *record), std::nullopt);
    // With nothing else to show for it, a kernel that does not compile or fit is the user's input that is
    // wrong.
    const Failure* failure = failure_of(record->status);
    if (failure != nullptr && failure->exit_code == kExitBadInput && plan_.variants.size() == 1)
      throw Error(
          failure->kind,
          record->message + (record->log.empty() ? "" : "\n" + log_beside(record->message, record->log)));
    return record;
  }

  const JobPlan& plan_;
  JobContext context_;
  RecordSink& sink_;
  std::unique_ptr<TrialRunner> runner_;
};

/// In the order of the plan, on the variants' own devices.
class SerialExecutor final : public Executor {
 public:
  explicit SerialExecutor(const ExecutorJob& job) : job_(job), lane_(job, job.context, job.sink) {}

  bool run(std::size_t begin, std::size_t end) override {
    for (std::size_t i = begin; i < end; ++i) {
      if (job_.context.stopped()) return false;
      if (job_.is_known(i)) {
        job_.sink.known(*job_.known[i]);
      } else if (!lane_.run(i, job_.plan.variants[i], job_.problems[i])) {
        return false;
      }
    }
    return true;
  }

 private:
  const ExecutorJob& job_;
  VariantLane lane_;
};

/// Several lanes tell one sink.
class SharedSink final : public RecordSink {
 public:
  explicit SharedSink(RecordSink& sink) : sink_(sink) {}
  void begin(const JobPlan& plan) override { sink_.begin(plan); }
  void known(const Record& record) override {
    const std::lock_guard lock(mutex_);
    sink_.known(record);
  }
  void variant_started(std::size_t index, std::size_t count, const std::string& label) override {
    const std::lock_guard lock(mutex_);
    sink_.variant_started(index, count, label);
  }
  void record(const Record& record) override {
    const std::lock_guard lock(mutex_);
    sink_.record(record);
  }

 private:
  RecordSink& sink_;
  std::mutex mutex_;
};

/// A thread for each device of `plan.spread`, or for this process and each lane of a crew; each takes the
/// next variant when it is free. A device that is lost takes no more of them.
class SpreadExecutor final : public Executor {
 public:
  explicit SpreadExecutor(const ExecutorJob& job) : job_(job), sink_(job.sink) {
    const std::size_t own = std::max<std::size_t>(job.plan.spread.size(), 1);
    for (std::size_t i = 0; i < own; ++i) {
      const bool spread = i < job.plan.spread.size();
      const std::string device = spread ? job.plan.spread[i] : "";
      add({std::make_unique<VariantLane>(job, context_of(i), sink_), device, spread ? device : "rank 0",
           false, true});
    }
    if (job.crew == nullptr) return;
    JobContext unwatched = job.context;
    unwatched.watch = nullptr;
    for (TrialLane& lane : job.crew->lanes(job.context))
      add({std::make_unique<VariantLane>(job, unwatched, sink_, std::move(lane.runner)), "", lane.name,
           lane.ahead});
  }

  bool run(std::size_t begin, std::size_t end) override {
    if (begin == 0) compare_devices(end);
    next_ = begin;
    in_all_lanes([this, end](const Lane& lane) { run_lane(lane, end); });
    return !stopped_ && run_rest(end);
  }

  std::size_t processes() const override {
    return job_.crew == nullptr ? 1 : places_;  // the lanes of `plan.spread` are of this process
  }

 private:
  struct Lane {
    std::unique_ptr<VariantLane> variants;
    std::string device;  // in place of the variants' own; empty: as they say
    std::string name;    // for people
    bool ahead = false;
    bool is_own = false;  // of this process
  };

  void add(Lane lane) {
    places_ += lane.ahead ? 0 : 1;
    lanes_.push_back(std::move(lane));
  }

  /// In a thread for each; waits, and throws what the first of them has thrown.
  void in_all_lanes(const std::function<void(const Lane&)>& work) {
    std::vector<std::future<void>> threads;
    for (const Lane& lane : lanes_)
      threads.push_back(std::async(std::launch::async, [&work, &lane] { work(lane); }));
    std::exception_ptr failure;
    for (auto& thread : threads) {
      try {
        thread.get();
      } catch (...) {
        if (!failure) failure = std::current_exception();
      }
    }
    if (failure) std::rethrow_exception(failure);
  }

  /// Measures one variant on every device at the same time, before the others are handed out, and warns of
  /// devices that are slower than the rest. Nothing is recorded: which device measures the variant for the
  /// record is as for any other. Left out where it would cost more than a few percent of the job.
  void compare_devices(std::size_t end) {
    constexpr std::size_t kVariantsPerDevice = 8;
    if (!job_.plan.job.measure.enabled || places_ < 2 || end < kVariantsPerDevice * places_) return;
    std::size_t reference = 0;
    while (reference < end && !job_.runs(reference)) ++reference;
    if (reference == end) return;
    std::vector<DeviceTrial> trials;
    std::mutex mutex;
    in_all_lanes([&](const Lane& lane) {
      if (lane.ahead || job_.context.stopped()) return;
      bind(lane);
      Variant variant = job_.plan.variants[reference];
      variant.device = device_of(lane, variant);
      auto record = lane.variants->try_out(variant);
      const std::lock_guard lock(mutex);
      if (record) trials.push_back({lane.name, std::move(*record)});
    });
    for (const std::string& sentence : find_slow_devices(trials)) job_.context.log.warn(sentence);
  }

  [[nodiscard]] JobContext context_of(std::size_t lane) const {
    JobContext context = job_.context;
    context.watch = lane < context.lane_watches.size() ? context.lane_watches[lane] : nullptr;
    return context;
  }

  [[nodiscard]] static std::string device_of(const Lane& lane, const Variant& variant) {
    return lane.device.empty() ? variant.device : lane.device;
  }

  /// Lanes of this process run near their device; so do the worker processes that they start.
  void bind(const Lane& lane) const {
    if (!lane.is_own) return;
    const auto device = job_.context.devices.open(device_of(lane, job_.plan.variants.front()));
    bind_thread_near(job_.context.files, device->info().pci_address);
  }

  void run_lane(const Lane& lane, std::size_t end) {
    try {
      bind(lane);
      while (!stopped_) {
        // The last variants go to a free lane, not into a queue.
        if (lane.ahead && next_ + places_ > end) return;
        const std::size_t next = next_;
        if (next >= end || lane.variants->has_lost(device_of(lane, job_.plan.variants[next]))) return;
        const std::size_t index = next_++;
        if (index >= end) return;
        if (!run_one(lane, index)) stopped_ = true;
      }
    } catch (...) {
      stopped_ = true;
      throw;
    }
  }

  bool run_one(const Lane& lane, std::size_t index) {
    if (job_.context.stopped()) return false;
    if (job_.is_known(index)) {
      sink_.known(*job_.known[index]);
      return true;
    }
    Variant variant = job_.plan.variants[index];
    variant.device = device_of(lane, variant);
    return lane.variants->run(index, variant, job_.problems[index]);
  }

  /// If every device is lost, the remaining variants get their records.
  bool run_rest(std::size_t end) {
    for (std::size_t index = next_; index < end; ++index) {
      if (!run_one(lanes_.front(), index)) return false;
    }
    return true;
  }

  const ExecutorJob& job_;
  SharedSink sink_;
  std::vector<Lane> lanes_;
  std::size_t places_ = 0;  // lanes that are not `ahead`
  std::atomic<std::size_t> next_ = 0;
  std::atomic<bool> stopped_ = false;
};

}  // namespace

std::unique_ptr<Executor> make_executor(const ExecutorJob& job) {
  if (job.plan.spread.size() > 1 || job.crew != nullptr) return std::make_unique<SpreadExecutor>(job);
  return std::make_unique<SerialExecutor>(job);
}

}  // namespace kiln
