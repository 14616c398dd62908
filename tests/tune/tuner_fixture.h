#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "job/variant_record.h"
#include "trial/trial_fixture.h"
#include "tune/tuner.h"

namespace kiln::test {

/// Times that follow from the values; no kernel runs.
class FakeRunner : public TrialRunner {
 public:
  explicit FakeRunner(JobContext context) : context_(std::move(context)) {}

  [[nodiscard]] bool has_lost(const std::string&) const override { return false; }
  std::optional<Record> run(const Variant& variant, const TrialRequest& request) override {
    requests.emplace_back(variant.label, request);
    seconds.push_back(seconds_of(variant));
    Record record = describe_variant(variant, {"j.yaml", false}, context_);
    record.status = status_of ? status_of(variant, request) : RunStatus::kOk;
    if (!may_be_measured(record.status)) return record;
    const double time = seconds.back();
    record.step = Summary{5, time, time, time, time, 0, time, time};
    if (time > request.give_up_above) record.stop_reason = "given_up";
    record.metrics = {{"bandwidth", "GB/s", 1e-9 / time, true}};
    return record;
  }

  std::function<RunStatus(const Variant&, const TrialRequest&)> status_of;
  std::function<double(const Variant&)> seconds_of = [](const Variant& variant) {
    const double block = variant.configuration.value("block").number();
    return (variant.configuration.value("n").binding == Binding::kRun ? 2e-3 : 1e-3) * block;
  };
  std::vector<std::pair<std::string, TrialRequest>> requests;
  std::vector<double> seconds;  // of those

 private:
  JobContext context_;
};

class CountingSink : public TuneSink {
 public:
  void record(const Record& record) override {
    records.push_back(record.label);
    last[record.label] = record;
  }
  void compiling(std::size_t, const TuneProgress&) override {}
  void measuring(const Candidate& candidate, const TuneProgress&) override {
    measured.push_back(candidate.label);
  }
  void evaluated(const TuneProgress& progress) override { evaluated_count = progress.evaluated; }

  std::vector<std::string> records, measured;
  std::map<std::string, Record> last;  // by label
  std::uint64_t evaluated_count = 0;
};

/// Searches over the small workload whose times a FakeRunner gives.
class TunerTest : public TrialTest {
 protected:
  /// `then` looks at the result while the search's task is there.
  template <class Then>
  auto tune_job(const std::string& text, bool resume, const Then& then) {
    job_ = parse_job("workload: scale\n" + text, "j.yaml");
    const auto workload = disk_.workload();
    const TuningSpace space(job_, workload, device_->info(), disk_.files);
    JobContext context = this->context();
    context.stop = [this] { return stop_ && stop_(); };
    const TuneTask task{job_,   *workload, space, context, device_->info().id, runner_, sink_, &journal_,
                        ended_, first_,    {},    others_};
    const auto known = resume ? known_evaluations(journal_.read(log_), task) : std::vector<Evaluation>();
    journal_.append(journal_header(task));
    return then(task, tune(task, known));
  }
  TuneResult tune_job(const std::string& text, bool resume = false) {
    return tune_job(text, resume, [](const TuneTask&, const TuneResult& result) { return result; });
  }
  static std::string best(const TuneResult& result) {
    return result.best ? result.evaluations[*result.best].label : "";
  }

  TunerTest() { disk_.files.make_directories("/out", false); }

  JobSpec job_;
  FakeRunner runner_{context()};
  CountingSink sink_;
  TuneJournal journal_{disk_.files, "/out"};
  std::vector<Record> ended_;
  std::vector<std::uint64_t> first_;
  TrialLanes* others_ = nullptr;
  std::function<bool()> stop_;
};

}  // namespace kiln::test
