#include "study/device_study.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <set>

#include "job/compile_variants.h"
#include "job/job_runner.h"
#include "study/background_start.h"
#include "study/findings.h"
#include "study/paired.h"
#include "trial/needs.h"

namespace kiln {
namespace {

/// Bytes that all cases need together, if each kept its buffers.
std::uint64_t bytes_of(const DeviceCases& cases) {
  std::uint64_t bytes = 0;
  for (const Variant& variant : cases.variants) bytes += TrialNeeds(variant.configuration).bytes();
  return bytes;
}

/// Whether a program would ship the case's code.
bool is_ahead(const StudyCase& which) {
  return which.group == CaseGroup::kAotGeneric || which.group == CaseGroup::kAotInstantiated;
}

}  // namespace

JobContext context_of(const StudyContext& context, const DeviceCases& cases, const StudyCase& which) {
  JobContext own = context.job;
  if (!which.compiler.empty())
    own.compilers[cases.device.target.backend] = context.ahead.at(cases.device.target.backend).compiler;
  return own;
}

DeviceStudy::DeviceStudy(const DeviceCases& cases, const StudySpec& spec, const StudyContext& context,
                         StudyFile* file, DeviceData data)
    : cases_(cases),
      spec_(spec),
      context_(context),
      file_(file),
      device_(context.job.devices.open(cases.device.id)),
      data_(std::move(data)),
      source_{spec.file, spec.cold},
      trials_(cases.cases.size()),
      steps_per_sample_(cases.cases.size(), 1) {
  for (const StudyCase& which : cases.cases) contexts_.push_back(context_of(context, cases, which));
}

void DeviceStudy::prepare() {
  problems_ = find_problems(cases_.variants, context_.job);
  // Half is for what a case allocates beside its buffers, and for others.
  keeps_buffers_ = bytes_of(cases_) <= device_->free_memory_bytes() / 2;
  const bool all_known = std::all_of(cases_.cases.begin(), cases_.cases.end(), [&](const StudyCase& which) {
    const auto known = data_.find(which.name);
    return known != data_.end() && known->second.costs;
  });
  if (!all_known) warm_up_compilers();
  const std::vector<std::size_t> order = visit_order(spec_.seed, 0, cases_.cases.size());
  std::vector<std::unique_ptr<CompileAhead>> ahead;
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (i % kVariantsAhead == 0) ahead = compile_from(i, order);
    tell("check and time compiles", i, order.size(), cases_.cases[order[i]].name);
    prepare_case(order[i]);
  }
}

bool DeviceStudy::measure() {
  std::size_t done = 0;
  bool measured = false;
  const std::size_t all = spec_.rounds * cases_.cases.size();
  for (std::size_t round = 1; round <= spec_.rounds; ++round) {
    find_best();
    for (const std::size_t index : visit_order(spec_.seed, round, cases_.cases.size())) {
      tell("round " + std::to_string(round) + " of " + std::to_string(spec_.rounds), done++, all,
           cases_.cases[index].name);
      measured |= visit(index, round);
    }
  }
  for (std::size_t i = 0; i < trials_.size(); ++i) finish(i);
  return measured;
}

DeviceResult DeviceStudy::result() && {
  StudyResult found = find_effects(cases_, data_);
  return {std::move(data_), std::move(found), true};
}

void DeviceStudy::tell(const std::string& stage, std::size_t done, std::size_t count,
                       const std::string& name) const {
  if (context_.stop()) throw Interrupted{};
  context_.progress({cases_.section, cases_.device.id, stage, name, done, count, best_, best_seconds_});
}

void DeviceStudy::find_best() {
  best_.clear();
  for (const auto& [name, data] : data_) {
    if (!data.measured()) continue;
    const double seconds = step_summary(data)->median;
    if (!best_.empty() && seconds >= best_seconds_) continue;
    best_ = name;
    best_seconds_ = seconds;
  }
}

void DeviceStudy::warm_up_compilers() const {
  std::set<std::string> warm;
  for (std::size_t i = 0; i < cases_.cases.size(); ++i) {
    if (problems_[i] || !warm.insert(cases_.cases[i].compiler).second) continue;
    static_cast<void>(measure_code(cases_.variants[i], measurement(i, 1), nullptr, false));
  }
}

CodeMeasurement DeviceStudy::measurement(std::size_t index, std::size_t repeats) const {
  const std::size_t compiles = is_ahead(cases_.cases[index]) ? 1 : repeats;
  return {contexts_[index], context_.processes, context_.scratch, repeats, compiles};
}

std::vector<std::unique_ptr<CompileAhead>> DeviceStudy::compile_from(
    std::size_t begin, const std::vector<std::size_t>& order) const {
  constexpr std::chrono::milliseconds kAskAgain{100};
  const std::size_t end = std::min(order.size(), begin + kVariantsAhead);
  std::vector<std::unique_ptr<CompileAhead>> ahead;
  for (std::size_t i = begin; i < end; ++i) {
    std::vector<VariantToCompile> wanted;
    if (!problems_[order[i]]) wanted.push_back({cases_.variants[order[i]], contexts_[order[i]]});
    ahead.push_back(context_.job.service.compile_ahead(code_of(wanted)));
  }
  for (std::size_t i = begin; i < end; ++i) {
    tell("compile", i, order.size(), cases_.cases[order[i]].name);
    while (!ahead[i - begin]->wait_for(kAskAgain)) {
      if (!context_.stop()) continue;
      for (const auto& one : ahead) one->stop();
      throw Interrupted{};
    }
  }
  return ahead;
}

void DeviceStudy::prepare_case(std::size_t index) {
  const StudyCase& which = cases_.cases[index];
  const Variant& variant = cases_.variants[index];
  const bool known = data_.contains(which.name);
  CaseData& data = data_[which.name];
  if (problems_[index]) {
    data.record =
        record_without_run(variant, source_, contexts_[index], RunStatus::kUnfit, problems_[index]->what());
  } else if (const Record* ended = ended_record(which)) {
    data.record = *ended;
  } else if (!lost_.empty()) {
    data.record = record_without_run(variant, source_, contexts_[index], RunStatus::kNotRun, lost_);
  } else {
    prepare_trial_of(index, data);
  }
  // The compiler is stopped by the same keys as we are: what it says then is no result.
  if (context_.stop()) throw Interrupted{};
  if (file_ != nullptr && !known) file_->add_case(cases_, which, data);
  if (context_.job.watch != nullptr) context_.job.watch->variant_ends();
}

const Record* DeviceStudy::ended_record(const StudyCase& which) const {
  const auto block = context_.ended.find(block_of(cases_));
  if (block == context_.ended.end()) return nullptr;
  const auto found = block->second.find(which.name);
  return found == block->second.end() ? nullptr : &found->second;
}

void DeviceStudy::prepare_trial_of(std::size_t index, CaseData& data) {
  const Variant& variant = cases_.variants[index];
  const JobContext& context = contexts_[index];
  const TraceSpan span(context.trace, TraceKind::kVariant, variant.label);
  const bool keep_contents = cases_.variants.size() > 1 || cases_.workload->refresh.has_value();
  auto trial = std::make_unique<Trial>(variant, context, pool_, keep_contents);
  data.record = start_record(variant, source_, context);
  TrialEnd end = prepare_trial(*trial, data.record, context, context.clock.steady_ns());
  bool right = end == TrialEnd::kNone && may_be_measured(data.record.status);
  if (context_.stop()) throw Interrupted{};
  if (!data.costs && data.record.status != RunStatus::kCompileFailed) {
    const TrialEnd costs_end = measure_costs(index, right ? trial.get() : nullptr, data);
    if (costs_end != TrialEnd::kNone) end = costs_end;
    right &= costs_end == TrialEnd::kNone;
  }
  note_loss(end, cases_.cases[index]);
  if (!keeps_buffers_ || !right) trial->park();
  if (right) trials_[index] = std::move(trial);
}

TrialEnd DeviceStudy::measure_costs(std::size_t index, Trial* trial, CaseData& data) {
  const StudyCase& which = cases_.cases[index];
  const CodeMeasurement how = measurement(index, spec_.compiles);
  const bool ahead = is_ahead(which);
  const auto measure = [&] {
    data.costs = measure_code(cases_.variants[index], how, trial, ahead);
    if (context_.stop()) throw Interrupted{};
    if (trial == nullptr || !data.costs || which.group != CaseGroup::kJitSpecialised) return;
    for (auto& [way, times] : measure_background(cases_.variants[index], generic_of(which), how, *trial))
      data.costs->first[way] = std::move(times);
  };
  if (trial != nullptr) return run_guarded(data.record, contexts_[index], measure);
  measure();
  return TrialEnd::kNone;
}

const Variant& DeviceStudy::generic_of(const StudyCase& which) const {
  for (std::size_t i = 0; i < cases_.cases.size(); ++i) {
    const StudyCase& other = cases_.cases[i];
    if (other.group == CaseGroup::kJitGeneric && other.fast_math == which.fast_math &&
        other.launch_bounds == which.launch_bounds)
      return cases_.variants[i];
  }
  throw internal_error("a study has no generic case for '" + which.name + "'");
}

void DeviceStudy::note_loss(TrialEnd end, const StudyCase& which) {
  if (end != TrialEnd::kDeviceLost) return;
  lost_ = cases_.device.id + " is lost to this process since the fault of '" + which.name + "'";
  for (auto& other : trials_) other.reset();
}

bool DeviceStudy::visit(std::size_t index, std::size_t round) {
  if (!trials_[index]) return false;
  const StudyCase& which = cases_.cases[index];
  CaseData& data = data_[which.name];
  if (data.visits.contains(round)) return false;
  Visit visit;
  if (context_.job.watch != nullptr) context_.job.watch->variant_begins(data.record);
  const TrialEnd end = run_guarded(data.record, contexts_[index], [&] { visit = take_visit(index); });
  if (context_.job.watch != nullptr) context_.job.watch->variant_ends();
  if (end != TrialEnd::kNone) {
    const auto failed = std::move(trials_[index]);
    note_loss(end, which);
    return false;
  }
  if (!keeps_buffers_) trials_[index]->park();
  if (file_ != nullptr) file_->add_visit(cases_, which.name, round, visit);
  data.visits[round] = std::move(visit);
  return true;
}

Visit DeviceStudy::take_visit(std::size_t index) {
  const JobContext& context = contexts_[index];
  const TraceSpan span(context.trace, TraceKind::kMeasure, cases_.variants[index].label);
  Trial& trial = *trials_[index];
  Timer timer(trial, trial.device(), trial.stream(), context.clock, spec_.cold, context.trace);
  timer.warm_up();
  steps_per_sample_[index] = timer.steps_per_sample();
  Visit visit;
  for (std::size_t i = 0; i < spec_.samples; ++i) visit.seconds.push_back(timer.take());
  if (trial.launch_count() == 1) {
    visit.launches = {visit.median()};
    return visit;
  }
  for (const auto& seconds : timer.profile(spec_.samples, std::numeric_limits<double>::infinity(), {}))
    visit.launches.push_back(summarize(seconds).median);
  return visit;
}

void DeviceStudy::finish(std::size_t index) {
  CaseData& data = data_[cases_.cases[index].name];
  if (!trials_[index]) {
    if (!lost_.empty() && may_be_measured(data.record.status)) {
      data.record.status = RunStatus::kNotRun;
      data.record.message = lost_;
    }
    return;
  }
  const std::size_t launches = data.record.launches.size();
  StepTimes times;
  times.stop_reason = "rounds";
  times.steps_per_sample = steps_per_sample_[index];
  if (launches > 1) times.launch_seconds.resize(launches);
  for (const auto& [round, visit] : data.visits) {
    times.seconds.push_back(visit.median());
    for (std::size_t i = 0; i < times.launch_seconds.size(); ++i)
      times.launch_seconds[i].push_back(visit.launches[i]);
  }
  if (launches > 1) times.profiled_steps = data.visits.size() * spec_.samples;
  add_times(data.record, *trials_[index], times);
}

}  // namespace kiln
