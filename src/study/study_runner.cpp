#include "study/study_runner.h"

#include <algorithm>
#include <memory>
#include <set>

#include "base/hash.h"
#include "base/text.h"
#include "job/units.h"
#include "job/variant_runner.h"
#include "study/code_costs.h"

namespace kiln {
namespace {

/// Thrown where a study is asked to end, caught in `run_study`.
struct Interrupted {};

/// Bytes that all cases need together, if each kept its buffers.
std::uint64_t bytes_of(const DeviceCases& cases) {
  std::uint64_t bytes = 0;
  for (const Variant& variant : cases.plan.variants) {
    const VariantNeeds needs = needs_of(variant.configuration, cases.device.target.backend != "cpu");
    for (const std::string& name : needs.buffers)
      bytes += layout_of(variant.configuration, *variant.configuration.workload().find_buffer(name)).bytes;
  }
  return bytes;
}

/// The study of one device.
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
        runners_(cases.cases.size()) {}

  void prepare() {
    problems_ = find_problems(cases_.plan, context_.job);
    const auto fits = std::find(problems_.begin(), problems_.end(), std::nullopt);
    // Half is for what a case allocates beside its buffers, and for others.
    keeps_buffers_ = bytes_of(cases_) <= device_->free_memory_bytes() / 2;
    const bool all_known = std::all_of(cases_.cases.begin(), cases_.cases.end(), [&](const StudyCase& which) {
      const auto known = data_.find(which.name);
      return known != data_.end() && known->second.costs;
    });
    if (!all_known) warm_up_compiler(static_cast<std::size_t>(fits - problems_.begin()));
    std::size_t done = 0;
    for (const std::size_t index : visit_order(spec_.seed, 0, cases_.cases.size())) {
      tell("compile and check", done++, cases_.cases.size(), cases_.cases[index].name);
      prepare_case(index);
    }
  }

  /// False if every visit was known already.
  bool measure() {
    std::size_t done = 0;
    bool measured = false;
    const std::size_t all = spec_.rounds * cases_.cases.size();
    for (std::size_t round = 1; round <= spec_.rounds; ++round) {
      for (const std::size_t index : visit_order(spec_.seed, round, cases_.cases.size())) {
        tell("round " + std::to_string(round) + " of " + std::to_string(spec_.rounds), done++, all,
             cases_.cases[index].name);
        measured |= visit(index, round);
      }
    }
    for (std::size_t i = 0; i < runners_.size(); ++i) finish(i);
    return measured;
  }

  DeviceResult result() && {
    Findings findings = find(cases_, data_);
    return {std::move(data_), std::move(findings), true};
  }

 private:
  void tell(const std::string& stage, std::size_t done, std::size_t count, const std::string& name) const {
    if (context_.stop()) throw Interrupted{};
    context_.progress({cases_.device.id, stage, name, done, count});
  }

  /// The first compile of a process loads the compiler; that is no case's cost.
  void warm_up_compiler(std::size_t index) const {
    static_cast<void>(measure_code(cases_.plan.variants[index], context_.job, context_.scratch, 1));
  }

  void prepare_case(std::size_t index) {
    const StudyCase& which = cases_.cases[index];
    const Variant& variant = cases_.plan.variants[index];
    const bool known = data_.contains(which.name);
    CaseData& data = data_[which.name];
    if (problems_[index]) {
      data.record = unfit_record(variant, cases_.plan, context_.job, *problems_[index]);
    } else if (!lost_.empty()) {
      data.record = not_run_record(variant, cases_.plan, context_.job, lost_);
    } else {
      if (!data.costs) data.costs = measure_code(variant, context_.job, context_.scratch, spec_.compiles);
      if (context_.stop()) throw Interrupted{};
      auto runner = std::make_unique<VariantRunner>(variant, cases_.plan, context_.job, pool_,
                                                    context_.job.clock.steady_ns());
      const bool right = runner->prepare_samples();
      data.record = runner->record();
      note_loss(*runner, which);
      if (!keeps_buffers_ || !right) runner->park();
      if (right) runners_[index] = std::move(runner);
    }
    // The compiler is stopped by the same keys as we are: what it says then is no result.
    if (context_.stop()) throw Interrupted{};
    if (file_ != nullptr && !known) file_->add_case(cases_.device.id, which, data);
  }

  void note_loss(const VariantRunner& runner, const StudyCase& which) {
    if (!runner.device_lost()) return;
    lost_ = cases_.device.id + " is lost to this process since the fault of '" + which.name + "'";
    for (auto& other : runners_) other.reset();
  }

  bool visit(std::size_t index, std::size_t round) {
    if (!runners_[index]) return false;
    const StudyCase& which = cases_.cases[index];
    CaseData& data = data_[which.name];
    if (data.visits.contains(round)) return false;
    VariantRunner& runner = *runners_[index];
    auto lists = runner.take_samples(spec_.samples);
    if (lists.empty()) {
      data.record = runner.record();
      const auto failed = std::move(runners_[index]);
      note_loss(*failed, which);
      return false;
    }
    Visit visit;
    visit.seconds = std::move(lists.front());
    for (std::size_t i = 1; i < lists.size(); ++i) visit.launches.push_back(summarize(lists[i]).median);
    if (!keeps_buffers_) runner.park();
    if (file_ != nullptr) file_->add_visit(cases_.device.id, which.name, round, visit);
    data.visits[round] = std::move(visit);
    return true;
  }

  void finish(std::size_t index) {
    CaseData& data = data_[cases_.cases[index].name];
    if (!runners_[index]) {
      if (!lost_.empty() && data.record.status == RunStatus::kOk) {
        data.record.status = RunStatus::kNotRun;
        data.record.message = lost_;
      }
      return;
    }
    std::vector<std::vector<double>> lists(1 + data.record.launches.size());
    for (const auto& [round, visit] : data.visits) {
      lists.front().push_back(visit.median());
      for (std::size_t i = 0; i < visit.launches.size(); ++i) lists[i + 1].push_back(visit.launches[i]);
    }
    runners_[index]->set_times(lists, "rounds");
    data.record = runners_[index]->record();
  }

  const DeviceCases& cases_;
  const StudySpec& spec_;
  const StudyContext& context_;
  StudyFile* file_;
  std::shared_ptr<Device> device_;
  DeviceData data_;
  BufferPool pool_;
  std::vector<std::unique_ptr<VariantRunner>> runners_;  // of cases that are right; after pool_
  std::vector<std::optional<Error>> problems_;
  bool keeps_buffers_ = true;
  std::string lost_;  // why nothing runs on the device any more; empty while something does
};

/// What was measured of a device before, in rounds that are still wanted.
DeviceData known_of(const StudyContent& resumed, const DeviceCases& cases, std::size_t rounds) {
  const auto found = resumed.devices.find(cases.device.id);
  if (found == resumed.devices.end()) return {};
  DeviceData data = found->second;
  for (auto& [name, known] : data) known.visits.erase(known.visits.upper_bound(rounds), known.visits.end());
  return data;
}

}  // namespace

StudyPlan plan_study(const StudySpec& spec, std::shared_ptr<const Workload> workload,
                     const std::vector<DeviceInfo>& devices, FileSystem& files) {
  StudyPlan plan;
  plan.spec = spec;
  plan.workload = std::move(workload);
  for (const DeviceInfo& device : devices)
    plan.devices.push_back(expand_study(spec, plan.workload, device, files));
  return plan;
}

std::string digest_of(const StudyPlan& plan, const JobContext& context) {
  FieldHasher hasher;
  hasher.field("kiln", context.kiln_version + " " + context.kiln_revision);
  hasher.field("samples", static_cast<std::int64_t>(plan.spec.samples));
  hasher.field("compiles", static_cast<std::int64_t>(plan.spec.compiles));
  hasher.field("cold", static_cast<std::int64_t>(plan.spec.cold));
  hasher.field("seed", std::to_string(plan.spec.seed));
  hasher.field("workload", plan.workload->text);
  for (const DeviceCases& cases : plan.devices) {
    hasher.field("device", cases.device.id + "\n" + cases.device.name + "\n" + cases.device.driver);
    const Target& target = cases.device.target;
    if (const auto compiler = context.compilers.find(target.backend); compiler != context.compilers.end()) {
      const CompilerIdentity& identity = compiler->second->identity();
      hasher.field("compiler", identity.name + "\n" + identity.version + "\n" + identity.fingerprint);
    }
    for (std::size_t i = 0; i < cases.cases.size(); ++i) {
      const Configuration& configuration = cases.plan.variants[i].configuration;
      hasher.field("case", cases.cases[i].name);
      for (const auto& [name, value] : configuration.values()) hasher.field(name, value.to_string());
      for (const Unit& unit : units_of(configuration, target, context.files))
        hasher.field("code", make_cache_key(unit.specialization, CompilerIdentity{}, "").digest);
    }
  }
  return hasher.hex();
}

bool StudyOutcome::all_ok() const {
  return std::all_of(devices.begin(), devices.end(), [](const DeviceResult& device) {
    return std::all_of(device.data.begin(), device.data.end(),
                       [](const auto& entry) { return entry.second.record.status == RunStatus::kOk; });
  });
}

StudyHeader header_of(const StudyPlan& plan, const JobContext& context) {
  StudyHeader header{context.run_id,           to_iso8601(context.clock.system_ns()),
                     context.kiln_version,     context.kiln_revision,
                     plan.spec.file,           plan.workload->name,
                     digest_of(plan, context), plan.spec.seed,
                     plan.spec.rounds,         plan.spec.samples,
                     plan.spec.compiles,       {}};
  for (const DeviceCases& cases : plan.devices) header.devices.push_back(cases.device.id);
  return header;
}

StudyOutcome run_study(const StudyPlan& plan, const StudyContext& context, StudyFile* file,
                       const StudyContent& resumed) {
  StudyOutcome outcome;
  try {
    for (const DeviceCases& cases : plan.devices) {
      DeviceStudy study(cases, plan.spec, context, file, known_of(resumed, cases, plan.spec.rounds));
      study.prepare();
      const bool measured = study.measure();
      outcome.devices.push_back(std::move(study).result());
      const auto& finished = resumed.finished;
      const bool told = std::find(finished.begin(), finished.end(), cases.device.id) != finished.end();
      outcome.devices.back().is_new = !told || measured;
      if (file != nullptr && outcome.devices.back().is_new)
        file->add_result(cases, outcome.devices.back().data, outcome.devices.back().findings);
    }
  } catch (const Interrupted&) {
    outcome.interrupted = true;
  }
  return outcome;
}

}  // namespace kiln
