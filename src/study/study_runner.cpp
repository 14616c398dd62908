#include "study/study_runner.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <memory>
#include <set>

#include "base/hash.h"
#include "base/text.h"
#include "job/compile_variants.h"
#include "job/job_runner.h"
#include "job/variant_record.h"
#include "study/background_start.h"
#include "study/code_costs.h"
#include "study/findings.h"
#include "study/paired.h"
#include "trial/needs.h"

namespace kiln {
namespace {

/// Thrown where a study is asked to end, caught in `run_study`.
struct Interrupted {};

/// Bytes that all cases need together, if each kept its buffers.
std::uint64_t bytes_of(const DeviceCases& cases) {
  std::uint64_t bytes = 0;
  for (const Variant& variant : cases.variants) bytes += TrialNeeds(variant.configuration).bytes();
  return bytes;
}

/// What a case runs in: its own compiler in place of the run-time compiler.
JobContext context_of(const StudyContext& context, const DeviceCases& cases, const StudyCase& which) {
  JobContext own = context.job;
  if (!which.compiler.empty())
    own.compilers[cases.device.target.backend] = context.ahead.at(cases.device.target.backend).compiler;
  return own;
}

/// Whether a program would ship the case's code.
bool is_ahead(const StudyCase& which) {
  return which.group == CaseGroup::kAotGeneric || which.group == CaseGroup::kAotInstantiated;
}

/// The study of one workload on one device.
class DeviceStudy {
 public:
  DeviceStudy(const DeviceCases& cases, const StudySpec& spec, const StudyContext& context, StudyFile* file,
              DeviceData data)
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

  void prepare() {
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

  /// False if every visit was known already.
  bool measure() {
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

  DeviceResult result() && {
    StudyResult found = find_effects(cases_, data_);
    return {std::move(data_), std::move(found), true};
  }

 private:
  void tell(const std::string& stage, std::size_t done, std::size_t count, const std::string& name) const {
    if (context_.stop()) throw Interrupted{};
    context_.progress({cases_.section, cases_.device.id, stage, name, done, count, best_, best_seconds_});
  }

  /// The fastest case by the rounds that are done.
  void find_best() {
    best_.clear();
    for (const auto& [name, data] : data_) {
      if (!data.measured()) continue;
      const double seconds = step_summary(data)->median;
      if (!best_.empty() && seconds >= best_seconds_) continue;
      best_ = name;
      best_seconds_ = seconds;
    }
  }

  /// The first compile of a process loads the compiler; that is no case's cost.
  void warm_up_compilers() const {
    std::set<std::string> warm;
    for (std::size_t i = 0; i < cases_.cases.size(); ++i) {
      if (problems_[i] || !warm.insert(cases_.cases[i].compiler).second) continue;
      static_cast<void>(measure_code(cases_.variants[i], measurement(i, 1), nullptr, false));
    }
  }

  /// Nobody waits at run time for what is made ahead of it; the study would, so it compiles that once.
  [[nodiscard]] CodeMeasurement measurement(std::size_t index, std::size_t repeats) const {
    const std::size_t compiles = is_ahead(cases_.cases[index]) ? 1 : repeats;
    return {contexts_[index], context_.processes, context_.scratch, repeats, compiles};
  }

  /// The code that the next cases run and are checked with, on all cores; what their compiles cost is
  /// measured apart. Each is told of when all before it are done. The result keeps the code.
  [[nodiscard]] std::vector<std::unique_ptr<CompileAhead>> compile_from(
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
        if (context_.stop()) throw Interrupted{};
      }
    }
    return ahead;
  }

  void prepare_case(std::size_t index) {
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

  [[nodiscard]] const Record* ended_record(const StudyCase& which) const {
    const auto block = context_.ended.find(block_of(cases_));
    if (block == context_.ended.end()) return nullptr;
    const auto found = block->second.find(which.name);
    return found == block->second.end() ? nullptr : &found->second;
  }

  void prepare_trial_of(std::size_t index, CaseData& data) {
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

  TrialEnd measure_costs(std::size_t index, Trial* trial, CaseData& data) {
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

  /// All at run time that may be, with the same switches.
  [[nodiscard]] const Variant& generic_of(const StudyCase& which) const {
    for (std::size_t i = 0; i < cases_.cases.size(); ++i) {
      const StudyCase& other = cases_.cases[i];
      if (other.group == CaseGroup::kJitGeneric && other.fast_math == which.fast_math &&
          other.launch_bounds == which.launch_bounds)
        return cases_.variants[i];
    }
    throw internal_error("a study has no generic case for '" + which.name + "'");
  }

  void note_loss(TrialEnd end, const StudyCase& which) {
    if (end != TrialEnd::kDeviceLost) return;
    lost_ = cases_.device.id + " is lost to this process since the fault of '" + which.name + "'";
    for (auto& other : trials_) other.reset();
  }

  bool visit(std::size_t index, std::size_t round) {
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

  [[nodiscard]] Visit take_visit(std::size_t index) {
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

  void finish(std::size_t index) {
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

  const DeviceCases& cases_;
  const StudySpec& spec_;
  const StudyContext& context_;
  StudyFile* file_;
  std::shared_ptr<Device> device_;
  DeviceData data_;
  BufferPool pool_;
  RecordSource source_;
  std::vector<JobContext> contexts_;            // of each case
  std::vector<std::unique_ptr<Trial>> trials_;  // of cases that are right; after pool_
  std::vector<std::size_t> steps_per_sample_;   // of each case, in its last visit
  std::vector<std::optional<Error>> problems_;
  bool keeps_buffers_ = true;
  std::string best_;  // case, and its median
  double best_seconds_ = 0;
  std::string lost_;  // why nothing runs on the device any more; empty while something does
};

/// What was measured of a device before, in rounds that are still wanted.
DeviceData known_of(const StudyContent::Block& resumed, std::size_t rounds) {
  DeviceData data;
  for (const auto& [name, costs] : resumed.cases) data[name].costs = costs;
  for (const auto& [name, visits] : resumed.visits)
    data[name].visits = {visits.begin(), visits.upper_bound(rounds)};
  return data;
}

}  // namespace

StudyPlan plan_study(const std::vector<StudySpec>& sections,
                     const std::vector<std::shared_ptr<const Workload>>& workloads,
                     const std::vector<DeviceInfo>& devices, FileSystem& files, const AheadCompilers& ahead) {
  StudyPlan plan;
  plan.spec = sections.front();
  for (std::size_t i = 0; i < sections.size(); ++i) {
    for (const DeviceInfo& device : devices) {
      const auto compiler = ahead.find(device.target.backend);
      plan.devices.push_back(expand_study(sections[i], workloads[i], device, files,
                                          compiler == ahead.end() ? AheadCompiler{} : compiler->second));
    }
  }
  return plan;
}

std::string digest_of(const StudyPlan& plan, const StudyContext& context) {
  FieldHasher hasher;
  hasher.field("kiln", context.job.kiln_version + " " + context.job.kiln_revision);
  hasher.field("samples", static_cast<std::int64_t>(plan.spec.samples));
  hasher.field("compiles", static_cast<std::int64_t>(plan.spec.compiles));
  hasher.field("cold", static_cast<std::int64_t>(plan.spec.cold));
  hasher.field("seed", std::to_string(plan.spec.seed));
  for (const DeviceCases& cases : plan.devices) {
    hasher.field("section", cases.section).field("workload", cases.workload->text);
    hasher.field("device", cases.device.id + "\n" + cases.device.name + "\n" + cases.device.driver);
    const Target& target = cases.device.target;
    for (std::size_t i = 0; i < cases.cases.size(); ++i) {
      const Configuration& configuration = cases.variants[i].configuration;
      hasher.field("case", cases.cases[i].name);
      const JobContext own = context_of(context, cases, cases.cases[i]);
      if (const auto compiler = own.compilers.find(target.backend); compiler != own.compilers.end()) {
        const CompilerIdentity& identity = compiler->second->identity();
        hasher.field("compiler", identity.name + "\n" + identity.version + "\n" + identity.fingerprint);
      }
      for (const auto& [name, value] : configuration.values()) hasher.field(name, value.to_string());
      for (const Unit& unit : TrialNeeds(configuration).units(target, context.job.files))
        hasher.field("code", make_cache_key(unit.specialization, CompilerIdentity{}, "").digest);
    }
  }
  return hasher.hex();
}

std::vector<const Record*> StudyOutcome::records() const {
  std::vector<const Record*> records;
  for (const DeviceResult& device : devices) {
    for (const auto& [name, data] : device.data) records.push_back(&data.record);
  }
  return records;
}

StudyHeader header_of(const StudyPlan& plan, const StudyContext& context) {
  StudyHeader header;
  header.run_id = context.job.run_id;
  header.time = to_iso8601(context.job.clock.system_ns());
  header.kiln_version = context.job.kiln_version;
  header.kiln_revision = context.job.kiln_revision;
  header.study_file = plan.spec.file;
  header.digest = digest_of(plan, context);
  header.seed = plan.spec.seed;
  header.rounds = plan.spec.rounds;
  header.samples = plan.spec.samples;
  header.compiles = plan.spec.compiles;
  for (const DeviceCases& cases : plan.devices) {
    const StudyHeader::Section section{cases.section, cases.workload->name};
    if (header.sections.empty() || header.sections.back().name != section.name)
      header.sections.push_back(section);
    if (header.sections.size() == 1) header.devices.push_back(cases.device.id);
  }
  return header;
}

StudyOutcome run_study(const StudyPlan& plan, const StudyContext& context, StudyFile* file,
                       const StudyContent& resumed) {
  StudyOutcome outcome;
  try {
    for (const DeviceCases& cases : plan.devices) {
      const auto known = resumed.blocks.find(block_of(cases));
      const StudyContent::Block before =
          known == resumed.blocks.end() ? StudyContent::Block() : known->second;
      DeviceStudy study(cases, plan.spec, context, file, known_of(before, plan.spec.rounds));
      study.prepare();
      const bool measured = study.measure();
      outcome.devices.push_back(std::move(study).result());
      outcome.devices.back().is_new = !before.result || measured;
      if (file != nullptr && outcome.devices.back().is_new) file->add_result(outcome.devices.back().result);
    }
  } catch (const Interrupted&) {
    outcome.interrupted = true;
  }
  return outcome;
}

}  // namespace kiln
