#include "study/study_runner.h"

#include "base/clock.h"
#include "base/hash.h"
#include "cache/make_cache_key.h"
#include "study/device_study.h"
#include "trial/needs.h"

namespace kiln {
namespace {

/// The earlier measurements of a device, in rounds that are still needed.
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
    for (std::size_t i = 0; i < plan.devices.size(); ++i) {
      const DeviceCases& cases = plan.devices[i];
      if (!plan.shard.takes(i)) {
        outcome.devices.push_back({{}, {}, false, false});
        continue;
      }
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
