#include <algorithm>
#include <map>

#include "base/text.h"
#include "job/variant_record.h"
#include "record/code_origin.h"
#include "tune/candidates.h"
#include "tune/tuner.h"

namespace kiln {
namespace {

/// Values in the order of this search's names; empty where the names are others.
std::vector<std::string> in_order(const std::vector<std::string>& values,
                                  const std::vector<std::string>& names, const TuningSpace& space) {
  std::vector<std::string> ordered;
  if (values.size() != names.size() || names.size() != space.names().size()) return {};
  for (const auto& [name, list] : space.names()) {
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) return {};
    ordered.push_back(values[static_cast<std::size_t>(found - names.begin())]);
  }
  return ordered;
}

/// The results at this search's sizes, up to the first that ended the point; empty where one is missing.
std::vector<SizeResult> at_sizes(const std::vector<SizeResult>& results, const TuningSpace& space) {
  std::vector<SizeResult> chosen;
  for (const std::string& size : space.sizes()) {
    const auto found =
        std::find_if(results.begin(), results.end(), [&](const SizeResult& one) { return one.size == size; });
    if (found == results.end()) return {};
    chosen.push_back(*found);
    if (!may_be_measured(found->status) || found->cut) break;
  }
  return chosen;
}

}  // namespace

JournalHeader journal_header(const TuneTask& task) {
  const DeviceInfo& device = task.context.devices.open(task.device)->info();
  const CompilerIdentity& compiler = task.context.compiler_for(device.target.backend).identity();
  JournalHeader header;
  header.kiln_version = task.context.kiln_version;
  header.workload = task.workload.name;
  const ConfigurationResult usual = task.space.untuned(0);
  header.source_digest =
      describe_variant({usual.configuration, "", task.device}, source_of(task.job), task.context)
          .source_digest;
  header.space = task.space.hash();
  for (const auto& [name, values] : task.space.names()) header.names.push_back(name);
  header.searcher = task.job.tune.searcher;
  header.seed = task.job.tune.seed;
  header.device = device.name;
  header.arch = device.target.arch;
  header.driver = device.driver;
  header.compiler = compiler_text(compiler);
  return header;
}

std::vector<Evaluation> known_evaluations(const std::vector<JournalEvent>& events, const TuneTask& task) {
  const JournalHeader own = journal_header(task);
  const Objective objective(task.job.tune.objective, task.workload, task.space.sizes().size());
  const CandidateMaker candidates(task);
  std::vector<std::string> names;
  std::map<std::string, Evaluation> by_identity;
  std::vector<std::string> order;
  for (const JournalEvent& event : events) {
    if (const auto* header = std::get_if<JournalHeader>(&event)) {
      names = header->names;
      if (header->workload != own.workload || header->device != own.device || header->arch != own.arch)
        throw bad_input("the journal is of workload " + in_quotes(header->workload) + " on " +
                        header->device + " (" + header->arch + "), this search of " +
                        in_quotes(own.workload) + " on " + own.device + " (" + own.arch +
                        "); name another folder");
    }
    const auto* outcome = std::get_if<Evaluation>(&event);
    if (outcome == nullptr) continue;
    Evaluation evaluation = *outcome;
    evaluation.values = in_order(outcome->values, names, task.space);
    evaluation.sizes = at_sizes(outcome->sizes, task.space);
    const bool is_point = task.space.rank(evaluation.values).has_value();
    if (evaluation.sizes.empty() || (!is_point && !outcome->values.empty())) continue;
    // A cut point has no metric, and its time says nothing about another objective.
    const bool cut = evaluation.sizes.back().cut;
    if (cut && objective.metrics() != std::vector<std::string>{"time"}) continue;
    const auto candidate = is_point || evaluation.label != "paper" ? std::optional(candidates.of(evaluation))
                                                                   : candidates.paper();
    if (!candidate || candidate->identity != evaluation.identity) continue;
    if (!by_identity.contains(evaluation.identity)) order.push_back(evaluation.identity);
    by_identity.insert_or_assign(evaluation.identity, std::move(evaluation));
  }
  std::vector<Evaluation> known;
  for (const std::string& identity : order) known.push_back(std::move(by_identity.at(identity)));
  return known;
}

}  // namespace kiln
